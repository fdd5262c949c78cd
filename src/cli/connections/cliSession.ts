import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isHeaderSafe } from '../../core/client/serverAddress.ts';
import type { Explorer } from '../../core/explorer.ts';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import type { Database } from '../../core/model/databaseModel.ts';
import { resolveNetworkSettings } from '../../core/model/networkSettings.ts';
import { findNearestName } from '../../core/recipes/nearestName.ts';
import type { ExplorerDependencies, SearchExplorer } from '../../core/searchExplorer.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import { createRedactingLog, type Logger } from '../../core/util/logger.ts';
import { isOwnProcess } from '../../core/util/ownProcess.ts';
import { getLoginName, parseOrcid } from '../../core/util/userIdentity.ts';
import { CliError, createRequestError, createUsageError, exitCode } from '../cliError.ts';
import { getLedgerFolder, type CommandContext } from '../commandContext.ts';
import { toPlainCell } from '../output.ts';
import { askAboutName } from '../text/sentences.ts';
import {
  chooseConnection,
  isKeyConnection,
  readConnectionsFile,
  type ConnectionsFile,
  type FileConnection,
} from './connectionsFile.ts';

/** A session that can connect and search. */
export type SearchSession = CliSession<SearchExplorer>;

/** The state of one command: the core, or only the part of it that searches, and the connections that it uses. */
export class CliSession<Core extends SearchExplorer = Explorer> {
  readonly context: CommandContext;
  readonly explorer: Core;
  readonly file: ConnectionsFile;
  private readonly localIds: ReadonlySet<string>;

  private constructor(
    context: CommandContext,
    file: ConnectionsFile,
    createCore: (getOrcid: ExplorerDependencies['getOrcid']) => Core,
  ) {
    this.context = context;
    this.file = file;
    this.localIds = new Set(file.connections.flatMap(({ id, serviceFile }) => (serviceFile === undefined ? [] : [id])));
    this.explorer = createCore((connectionId) => this.getOrcid(connectionId));
  }

  /**
   * Runs `use` with a session, and disposes of the session afterwards. Doesn't connect to a service. If `isForeground`
   * is false, polls like a window without focus.
   */
  static async run<T>(
    context: CommandContext,
    use: (session: CliSession) => Promise<T>,
    { isForeground = true } = {},
  ): Promise<T> {
    const core = await import('../../core/explorer.ts');
    return await CliSession.runWith(context, core.Explorer, use, isForeground);
  }

  /** Like {@link run}, but without what only transfers need. */
  static async runSearch<T>(context: CommandContext, use: (session: SearchSession) => Promise<T>): Promise<T> {
    const core = await import('../../core/searchExplorer.ts');
    return await CliSession.runWith(context, core.SearchExplorer, use);
  }

  private static async runWith<Core extends SearchExplorer, T>(
    context: CommandContext,
    Core: new (dependencies: ExplorerDependencies) => Core,
    use: (session: CliSession<Core>) => Promise<T>,
    isForeground = true,
  ): Promise<T> {
    const { options, environment, signal } = context;
    const file = await readConnectionsFile(options.connections, environment['DATA_TRANSFER_CONNECTIONS']);
    const session = new CliSession(
      context,
      file,
      (getOrcid) => new Core(createDependencies(context, getOrcid, isForeground)),
    );
    // Closes the connection, so that a pending request ends.
    const disconnect = (): void => session.explorer.connectFlow.disconnect();
    signal.addEventListener('abort', disconnect);
    try {
      return await use(session);
    } finally {
      signal.removeEventListener('abort', disconnect);
      session.explorer.dispose();
    }
  }

  /** Connects to the service of the options, or the only one in the connections file. Throws an error on failure. */
  async connect(): Promise<OpenConnection> {
    return await this.open(chooseConnection(this.context.options, this.file));
  }

  /** Returns the open connection to a service. Connects first if necessary. Throws an error if connecting fails. */
  async open(connection: FileConnection): Promise<OpenConnection> {
    const { explorer } = this;
    const open = explorer.sessions.get(connection.id);
    if (open) return open;
    if (this.getOrcid(connection.id) === '') {
      const isGiven = (this.context.options.orcid ?? this.file.orcid) !== undefined;
      throw createUsageError(isGiven ? "The ORCID iD isn't valid." : 'No ORCID iD was given. Use --orcid.');
    }
    const { serviceFile, ...saved } = connection;
    const access = serviceFile === undefined ? undefined : await readServiceFile(serviceFile);
    const hasKeyOptions = isKeyConnection(this.context.options, this.file, connection);
    const key = access?.token ?? (await readApiKey(this.context, connection.apiKeyVariable, hasKeyOptions));
    const target = access ? { ...saved, server: access.address } : saved;
    const attempt = await explorer.connectFlow.open(target, key);
    if (attempt.session) return attempt.session;
    throw createRequestError(`Couldn't connect to ${toPlainCell(target.name)}`, attempt.reason);
  }

  /** Returns the ORCID iD; empty if invalid or, except for a local service (then the login name), if missing. */
  getOrcid(connectionId: string): string {
    const entered = this.context.options.orcid ?? this.file.orcid;
    if (entered === undefined) return this.localIds.has(connectionId) ? getLoginName() : '';
    return parseOrcid(entered) ?? '';
  }

  /** Returns the database with this name or ID. Otherwise, throws a usage error that suggests names. */
  findDatabase(name: string): Database {
    const { databases } = this.explorer.connectionStore.listing;
    const found = databases.find((one) => one.name === name) ?? databases.find(({ id }) => id === name);
    if (found) return found;
    const names = databases.map((one) => one.name);
    const nearest = findNearestName(name, names);
    const hint =
      nearest === undefined
        ? `Databases: ${names.map(toPlainCell).join(', ') || 'none'}.`
        : askAboutName(`"${toPlainCell(nearest)}"`);
    throw createUsageError(`There is no database "${toPlainCell(name)}". ${hint}`);
  }
}

/** The maximum length of the content of a file with an API key. Servers accept at most 8 to 16 kB in a header. */
const maxLength = 65_536;

const notConnected = "Couldn't connect";

const selectAdvice = 'Use --connection or --server to select the service that the key belongs to.';

/**
 * Reads a connection's API key. If `hasOptions` is true, the key options apply to this connection and can name the
 * source of the key. The default source is the environment variable `connectionVariable`. Throws an error with exit
 * code 3 if there is no key. Throws a usage error if the options name several sources, if they name standard input and
 * it is a terminal, or if they don't apply and the connection has no variable.
 */
async function readApiKey(
  context: CommandContext,
  connectionVariable: string | undefined,
  hasOptions: boolean,
): Promise<string> {
  const { keyVariable, keyFile, keyStdin } = context.options;
  const sources = [keyVariable, keyFile, keyStdin].filter((source) => source !== undefined);
  if (sources.length > 1) throw createUsageError('Use only one of --key-variable, --key-file, and --key-stdin.');
  if (!hasOptions && connectionVariable === undefined && sources.length > 0) throw createUsageError(selectAdvice);
  if (!hasOptions) return readVariable(context, connectionVariable);
  if (keyFile !== undefined) return requireKey(await readKeyFile(keyFile), toPlainCell(keyFile));
  if (keyStdin) return requireKey(await readStandardInput(), 'standard input');
  return readVariable(context, keyVariable ?? connectionVariable);
}

function readVariable(context: CommandContext, variable: string | undefined): string {
  if (variable === undefined) throw createRequestError(notConnected, { kind: 'keyMissing' });
  const value = context.environment[variable]?.trim();
  if (!value) throw createRequestError(notConnected, { kind: 'variableEmpty', detail: variable });
  return requireKey(value, variable);
}

function requireKey(content: string, source: string): string {
  const fail = (problem: string): never => {
    throw new CliError(`${notConnected}: ${source} ${problem}.`, exitCode.connection);
  };
  const key = content.trim();
  if (content.length > maxLength) return fail('is too large for an API key');
  if (!isHeaderSafe(key)) return fail('contains more than an API key in ASCII');
  return key === '' ? fail('contains no API key') : key;
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readStart(createReadStream(file));
  } catch (error) {
    // The argument is not repeated, because it may be a key that was given instead of a file.
    throw new CliError(`Couldn't read the file of --key-file (${getErrorCode(error)}).`, exitCode.connection);
  }
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) throw createUsageError('--key-stdin reads a pipe or a file, not a terminal.');
  return await readStart(process.stdin);
}

/** Reads a text until it is longer than an API key, because a device or a pipe can be endless. */
async function readStart(stream: Readable): Promise<string> {
  let content = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    content += String(chunk);
    if (content.length > maxLength) break;
  }
  return content;
}

/** Reads the address and key of the user's local service (D29: shared service). Throws an error if it isn't running. */
export async function readServiceFile(file: string): Promise<{ readonly address: string; readonly token: string }> {
  const content = await readFile(file, 'utf8').catch(() => '');
  const record = parseJsonObject(content) ?? {};
  const { address, token } = record;
  if (isOwnProcess(record) && typeof address === 'string' && typeof token === 'string') return { address, token };
  throw createRequestError(notConnected, { kind: 'serviceStopped' });
}

const networkDefaults = {
  proxy: '',
  noProxy: [],
  proxyAuthorization: '',
  proxySupport: 'override',
  proxyStrictSSL: true,
  systemCertificates: true,
};

/**
 * Returns what the core needs outside an editor. The proxy settings are those of the environment variables. While the
 * user is waiting (`isForeground`), the core polls as often as in a focused window.
 */
function createDependencies(
  context: CommandContext,
  getOrcid: (connectionId: string) => string,
  isForeground: boolean,
): ExplorerDependencies {
  const { clock, environment } = context;
  return {
    clock,
    getOrcid,
    log: createLog(context),
    ledgerFolder: getLedgerFolder(context),
    getTimeoutSeconds: () => undefined,
    getMinIntervalMs: () => 1000,
    hasFocus: () => isForeground,
    getNetworkSettings: () => resolveNetworkSettings(networkDefaults, environment),
    fetch: async (address, init) => await globalThis.fetch(address, init),
  };
}

function createLog({ options, output }: CommandContext): Logger {
  const drop = (): void => undefined;
  if (options.verbose !== true) return { trace: drop, debug: drop, info: drop, warn: drop, error: drop };
  const write = (message: string): void => output.note(message);
  return createRedactingLog({ trace: drop, debug: write, info: write, warn: write, error: write });
}
