import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Connection } from '../../core/model/connection.ts';
import { findNearestName } from '../../core/recipes/nearestName.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { isJsonObject, omit, type JsonObject } from '../../core/util/json.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import { findSecrets } from '../../core/util/secrets.ts';
import { createUsageError } from '../cliError.ts';
import { toPlainCell } from '../text/plainCell.ts';

/**
 * A connection in a connections file. For a local service, the address and key are read from `serviceFile` when the
 * connection is used.
 */
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
  if (!isJsonObject(entry)) return 'it must be an object';
  // A password in an address is reported only when the connection is used, so that the other connections stay usable.
  const secret = findSecret(omit(entry, 'server', 'name'));
  if (secret !== undefined) return secret;
  const missing = ['id', 'name', ...(entry['serviceFile'] === undefined ? ['server'] : [])].find(
    (name) => typeof entry[name] !== 'string' || entry[name] === '',
  );
  if (missing !== undefined) return `"${missing}" must be a non-empty string`;
  return findOptionalProblem(entry) ?? findMisspelledField(entry);
}

/**
 * Describes the first field that seems to contain a key or a password; undefined if none does. Omits the field's value.
 */
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
