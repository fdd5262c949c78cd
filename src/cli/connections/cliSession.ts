import type { Explorer } from '../../core/explorer.ts';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import type { Database } from '../../core/model/databaseModel.ts';
import { resolveNetworkSettings } from '../../core/model/networkSettings.ts';
import { findNearestName } from '../../core/recipes/nearestName.ts';
import type { ExplorerDependencies, SearchExplorer } from '../../core/searchExplorer.ts';
import { createRedactingLog, type Logger } from '../../core/util/logger.ts';
import { getLoginName, parseOrcid } from '../../core/util/userIdentity.ts';
import { createRequestError, createUsageError } from '../cliError.ts';
import { getLedgerFolder, type CommandContext } from '../commandContext.ts';
import { askAboutName } from '../text/sentences.ts';
import { toPlainCell } from '../text/terminalText.ts';
import { readApiKey, readServiceFile } from './apiKey.ts';
import {
  chooseConnection,
  isKeyConnection,
  readConnectionsFile,
  type ConnectionsFile,
  type FileConnection,
} from './connectionsFile.ts';

/** Returns a hint that suggests the database with the most similar name or, if none is similar, lists all databases. */
function describeNearest(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known);
  if (nearest !== undefined) return askAboutName(`"${toPlainCell(nearest)}"`);
  return `Databases: ${known.map(toPlainCell).join(', ') || 'none'}.`;
}

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
    const create = (dependencies: ExplorerDependencies): Explorer => new core.Explorer(dependencies);
    return await CliSession.runWith(context, create, use, isForeground);
  }

  /** Like {@link run}, but without what only transfers need. */
  static async runSearch<T>(context: CommandContext, use: (session: SearchSession) => Promise<T>): Promise<T> {
    const core = await import('../../core/searchExplorer.ts');
    const create = (dependencies: ExplorerDependencies): SearchExplorer => new core.SearchExplorer(dependencies);
    return await CliSession.runWith(context, create, use);
  }

  private static async runWith<Core extends SearchExplorer, T>(
    context: CommandContext,
    create: (dependencies: ExplorerDependencies) => Core,
    use: (session: CliSession<Core>) => Promise<T>,
    isForeground = true,
  ): Promise<T> {
    const { options, environment, signal } = context;
    const file = await readConnectionsFile(options.connections, environment['DATA_TRANSFER_CONNECTIONS']);
    const session = new CliSession(context, file, (getOrcid) =>
      create(createDependencies(context, getOrcid, isForeground)),
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

  /**
   * Connects to the service that the options name, or to the only one in the connections file. Throws an error if
   * connecting fails.
   */
  async connect(): Promise<OpenConnection> {
    return await this.open(chooseConnection(this.context.options, this.file));
  }

  /** Returns the open connection to a service. Connects first if necessary. Throws an error if connecting fails. */
  async open(connection: FileConnection): Promise<OpenConnection> {
    const { explorer } = this;
    const open = explorer.sessions.get(connection.id);
    if (open) return open;
    this.requireOrcid(connection.id);
    const { serviceFile, ...saved } = connection;
    const access = serviceFile === undefined ? undefined : await readServiceFile(serviceFile);
    const hasKeyOptions = isKeyConnection(this.context.options, this.file, connection);
    const key = access?.token ?? (await readApiKey(this.context, connection.apiKeyVariable, hasKeyOptions));
    const target = access ? { ...saved, server: access.address } : saved;
    const attempt = await explorer.connectFlow.open(target, key);
    if (attempt.session) return attempt.session;
    throw createRequestError(`Couldn't connect to ${toPlainCell(target.name)}`, attempt.reason);
  }

  /**
   * Returns the ORCID iD for requests; empty if it is missing or invalid. For a local service, which accepts any text,
   * defaults to the login name.
   */
  getOrcid(connectionId: string): string {
    const entered = this.context.options.orcid ?? this.file.orcid;
    if (entered === undefined) return this.localIds.has(connectionId) ? getLoginName() : '';
    return parseOrcid(entered) ?? '';
  }

  /**
   * Returns the database with this name or ID. If there is no such database, throws a usage error that suggests the
   * nearest name or lists all names.
   */
  findDatabase(name: string): Database {
    const { databases } = this.explorer.connectionStore.listing;
    const found = databases.find((one) => one.name === name) ?? databases.find(({ id }) => id === name);
    if (found) return found;
    const names = databases.map((one) => one.name);
    throw createUsageError(`There is no database "${toPlainCell(name)}". ${describeNearest(name, names)}`);
  }

  private requireOrcid(connectionId: string): void {
    if (this.getOrcid(connectionId) !== '') return;
    const isGiven = (this.context.options.orcid ?? this.file.orcid) !== undefined;
    throw createUsageError(isGiven ? "The ORCID iD isn't valid." : 'No ORCID iD was given. Use --orcid.');
  }
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
    savedDialects: undefined,
    saveDialects: () => undefined,
    savedSearchability: undefined,
    saveSearchability: () => undefined,
    rememberConnection: () => Promise.resolve(),
  };
}

function createLog({ options, output }: CommandContext): Logger {
  const drop = (): void => undefined;
  const write = options.verbose === true ? (message: string): void => output.note(message) : drop;
  return createRedactingLog({ trace: drop, debug: write, info: write, warn: write, error: write });
}
