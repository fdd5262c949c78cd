import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toBaseAddress } from '../../core/client/serverAddress.ts';
import type { Connection } from '../../core/model/connection.ts';
import { findNearestName } from '../../core/recipes/nearestName.ts';
import { createConnectionId } from '../../core/util/connectionId.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { isJsonObject, omit, type JsonObject } from '../../core/util/json.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import { findSecrets } from '../../core/util/secrets.ts';
import { describeInvalidEntry } from '../../core/words/sharedSentences.ts';
import { createUsageError } from '../cliError.ts';
import type { GlobalOptions } from '../options.ts';
import { english } from '../text/sentences.ts';
import { toPlainCell } from '../output.ts';

/** A connection in a connections file. `serviceFile` has the present address and key of a local service. */
export interface FileConnection extends Omit<Connection, 'transport'> {
  readonly serviceFile?: string;
}

/** The content of a connections file (docs/command-line.md). Contains no keys. */
export interface ConnectionsFile {
  readonly orcid?: string;
  readonly connections: readonly FileConnection[];
}

const noConnections: ConnectionsFile = { connections: [] };

/**
 * Reads the connections file at the path `option` or, if that is undefined, at the path `variable`. Returns no
 * connections if neither is given, or if no file exists at `variable`. Throws a usage error if the file can't be read
 * or is invalid.
 */
export async function readConnectionsFile(
  option: string | undefined,
  variable: string | undefined,
): Promise<ConnectionsFile> {
  const file = option ?? variable;
  if (!file || (option === undefined && !existsSync(file))) return noConnections;
  return parseConnections(file, await readText(file));
}

function parseConnections(file: string, text: string): ConnectionsFile {
  const json = readJsonObject(text);
  if (json.kind === 'broken') throw createFileError(file, `line ${json.line}, column ${json.column}: not valid JSON`);
  const { connections, ...shared }: JsonObject = json.kind === 'object' ? json.value : {};
  const secret = findSecret(shared);
  if (secret !== undefined) throw createFileError(file, secret);
  if (!Array.isArray(connections)) throw createFileError(file, '"connections" must be a list');
  const entries = connections.map((entry: unknown, index) => toConnection(file, entry, index));
  const { orcid } = shared;
  return { connections: entries, ...(typeof orcid === 'string' && { orcid }) };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw createUsageError(`Couldn't read ${toPlainCell(file)} (${getErrorCode(error)}).`);
  }
}

function toConnection(file: string, entry: unknown, index: number): FileConnection {
  const problem = findProblem(entry);
  if (problem !== undefined) throw createFileError(file, `connection ${index + 1}: ${problem}`);
  const { serviceFile, ...connection } = omit(entry as Connection & FileConnection, 'transport');
  return { ...connection, ...(serviceFile !== undefined && { serviceFile: resolve(dirname(file), serviceFile) }) };
}

const optionalTypes = { port: 'number', allowInsecureHttp: 'boolean', serviceFile: 'string' } as const;

function findProblem(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return describeInvalidEntry(english);
  // A password in an address is reported only when the connection is used, so that the other connections stay usable.
  const secret = findSecret(omit(entry, 'server', 'name'));
  if (secret !== undefined) return secret;
  const missing = ['id', 'name', ...(entry['serviceFile'] === undefined ? ['server'] : [])].find(
    (name) => typeof entry[name] !== 'string' || entry[name] === '',
  );
  if (missing !== undefined) return `"${missing}" must be a non-empty string`;
  return findOptionalProblem(entry) ?? findMisspelledField(entry);
}

/** Describes the first field that seems to contain a key or a password, without its value. */
function findSecret(value: unknown): string | undefined {
  const [path] = findSecrets(value);
  const field = toPlainCell(String(path?.at(-1) ?? ''));
  return path && `"${field}": keys aren't stored here; set "apiKeyVariable" to the name of an environment variable`;
}

const optionalNames = [...Object.keys(optionalTypes), 'apiKeyVariable', 'scheme', 'transport'];

/**
 * Describes the first unknown field whose name resembles that of an absent optional field. Ignores other unknown
 * fields, which a later version may define.
 */
function findMisspelledField(entry: JsonObject): string | undefined {
  const absent = optionalNames.filter((name) => !(name in entry));
  const unknown = Object.keys(entry).filter((name) => ![...optionalNames, 'id', 'name', 'server'].includes(name));
  const similar = unknown.flatMap((name) => {
    const nearest = findNearestName(name, absent);
    return nearest === undefined ? [] : [`unknown field "${toPlainCell(name)}" instead of "${nearest}"`];
  });
  return similar[0];
}

function findOptionalProblem(entry: JsonObject): string | undefined {
  const { scheme, apiKeyVariable } = entry;
  if (scheme !== undefined && scheme !== 'base64' && scheme !== 'plain') return '"scheme" must be "base64" or "plain"';
  if (apiKeyVariable !== undefined && !isVariableName(apiKeyVariable)) {
    return '"apiKeyVariable" must be the name of an environment variable';
  }
  const wrong = Object.entries(optionalTypes).find(
    ([name, type]) => entry[name] !== undefined && typeof entry[name] !== type,
  );
  return wrong && `"${wrong[0]}" must be a ${wrong[1]}`;
}

function isVariableName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value);
}

function createFileError(file: string, problem: string): Error {
  return createUsageError(`${toPlainCell(file)}: ${problem}.`);
}

/**
 * Returns the connection for `--server`, otherwise the one that `--connection` names, otherwise the only one in the
 * file. Throws a usage error if the file doesn't contain the named connection, or if neither option is given and
 * the file doesn't contain exactly one connection.
 */
export function chooseConnection(
  { server, connection: name }: GlobalOptions,
  { connections }: ConnectionsFile,
): FileConnection {
  if (server !== undefined) return findByAddress(connections, server) ?? createUnlistedConnection(server);
  if (name !== undefined) return findByName(connections, name);
  const [only, ...others] = connections;
  if (!only) throw createUsageError('No service was given. Use --server, or --connections with a file.');
  if (others.length > 0) throw createUsageError(`Use --connection with one of: ${listNames(connections)}.`);
  return only;
}

/**
 * Returns true if the key options apply to `connection`. They apply to the connection that `--server` or `--connection`
 * selects, or to the only one in the file. Except for local services, they also apply to other connections with the
 * same address. Throws a usage error if `--connection` names a connection that isn't in the file.
 */
export function isKeyConnection(options: GlobalOptions, file: ConnectionsFile, connection: FileConnection): boolean {
  const { server, connection: name } = options;
  if (server === undefined && name === undefined && file.connections.length !== 1) return false;
  const selected = chooseConnection(options, file);
  if (selected.id === connection.id) return true;
  const isLocal = selected.serviceFile !== undefined || connection.serviceFile !== undefined;
  return !isLocal && toAddress(selected) === toAddress(connection);
}

/**
 * Returns the connection to which a transfer's record refers by the ID of the connection, which the result keeps, or by
 * that of the address; undefined if there is none.
 */
export function findRecordConnection(
  { server }: GlobalOptions,
  { connections }: ConnectionsFile,
  id: string,
  addressId = id,
): FileConnection | undefined {
  const known = connections.find((connection) => connection.id === id);
  if (known) return known;
  const listed = connections.filter(({ serviceFile }) => serviceFile === undefined);
  const unlisted = server === undefined ? [] : [createUnlistedConnection(server)];
  const found = [...listed, ...unlisted].find((connection) =>
    [createConnectionId(connection.server, connection.port), createConnectionId(toAddress(connection))].some(
      (one) => one === id || one === addressId,
    ),
  );
  return found && { ...found, id };
}

/** Returns the connection with this address; undefined if there is none. */
export function findByAddress(connections: readonly FileConnection[], server: string): FileConnection | undefined {
  const address = toAddress({ server });
  return connections.find((connection) => connection.serviceFile === undefined && toAddress(connection) === address);
}

const fileAdvice = 'Use --connections or DATA_TRANSFER_CONNECTIONS to name the file that contains it.';

function findByName(connections: readonly FileConnection[], name: string): FileConnection {
  const found = connections.find(({ id }) => id === name) ?? connections.find((connection) => connection.name === name);
  if (found) return found;
  const advice = connections.length > 0 ? `Connections: ${listNames(connections)}.` : fileAdvice;
  throw createUsageError(`There is no connection ${toPlainCell(name)}. ${advice}`);
}

function listNames(connections: readonly FileConnection[]): string {
  return connections.map(({ name }) => toPlainCell(name)).join(', ');
}

/** Creates a connection for an address that isn't in the file, with the ID that the extension gives it. */
function createUnlistedConnection(server: string): FileConnection {
  return { id: createConnectionId(server), name: toShownAddress(server), server };
}

/** Returns an address for a message. Omits the query of an invalid one, because it may contain a token. */
export function toShownAddress(server: string): string {
  return toAddress({ server }).replace(/[?#].*/s, '…');
}

/** Returns the base address of a connection; its `server` unchanged if that isn't a valid address. */
export function toAddress(connection: Pick<Connection, 'server' | 'port'>): string {
  try {
    return toBaseAddress({ ...connection, allowInsecureHttp: true });
  } catch {
    return connection.server;
  }
}
