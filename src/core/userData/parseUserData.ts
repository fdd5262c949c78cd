import { visit, type JSONPath } from 'jsonc-parser';
import type { Connection } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { JsonObject } from '../util/json.ts';
import { readJsonObject } from '../util/jsonObject.ts';
import { omit } from '../util/omit.ts';
import { parseOrcid } from '../util/orcid.ts';
import { findSecrets } from '../util/secrets.ts';
import { userDataFormat, userDataVersion, type ServedEntry, type UserData } from './userData.ts';
import { parseConnection, parseServedEntry, parseTransfer } from './userDataSchema.ts';

/** The result of parsing a user data file. */
export type UserDataReadResult =
  | { readonly kind: 'broken'; readonly line: number; readonly column: number }
  /** JSON of another kind. */
  | { readonly kind: 'other' }
  /** Written by a later version of the extension. */
  | { readonly kind: 'later'; readonly version: number }
  | ParsedUserData;

/** The valid entries of a user data file, and the lines of the others. Lines count from 1. */
export interface ParsedUserData {
  readonly kind: 'parsed';
  readonly data: UserData;
  /** Lines with values that look like a key or a password. They are not in `data`. */
  readonly secretLines: readonly number[];
  /** Lines of entries that are not valid, or that repeat an earlier one. */
  readonly invalidLines: readonly number[];
}

type Path = readonly (string | number)[];

/** Parses the text of a user data file. Unknown fields are dropped. Never throws. */
export function parseUserData(text: string): UserDataReadResult {
  const read = readJsonObject(text);
  if (read.kind !== 'object') return read;
  const { format, version } = read.value;
  if (format !== userDataFormat || !Number.isSafeInteger(version) || Number(version) < 1) return { kind: 'other' };
  if (Number(version) > userDataVersion) return { kind: 'later', version: Number(version) };
  return parseDocument(text, read.value);
}

function parseDocument(text: string, document: JsonObject): ParsedUserData {
  const secrets = findSecrets(omit(document, 'transfers'));
  const connections = parseList<Connection>(document, 'connections', withoutSecrets(parseConnection), ({ id }) => id);
  const databases = parseList<ServedEntry>(document, 'databases', withoutSecrets(parseServedEntry), getPlace);
  const transfers = parseList<Transfer>(document, 'transfers', parseTransfer, ({ key }) => key);
  const orcid = typeof document['orcid'] === 'string' ? parseOrcid(document['orcid']) : undefined;
  const invalid = [...connections.invalid, ...databases.invalid, ...transfers.invalid];
  const [entries, others, records] = [connections.valid, databases.valid, transfers.valid];
  const data = { connections: entries, databases: others, transfers: records, ...(orcid !== undefined && { orcid }) };
  return { kind: 'parsed', data, secretLines: findLines(text, secrets), invalidLines: findLines(text, invalid) };
}

interface ParsedList<T> {
  readonly valid: readonly T[];
  readonly invalid: readonly Path[];
}

/** Parses a list. The first of several entries with the same identity is valid. */
function parseList<T>(
  document: JsonObject,
  name: string,
  parse: (value: unknown) => T | undefined,
  identify: (entry: T) => string,
): ParsedList<T> {
  const list: unknown = document[name] ?? [];
  if (!Array.isArray(list)) return { valid: [], invalid: [[name]] };
  const valid = new Map<string, T>();
  const invalid: Path[] = [];
  for (const [index, value] of list.entries()) {
    const entry = parse(value);
    if (entry === undefined || valid.has(identify(entry))) invalid.push([name, index]);
    else valid.set(identify(entry), entry);
  }
  return { valid: [...valid.values()], invalid };
}

function withoutSecrets<T>(parse: (value: unknown) => T | undefined): (value: unknown) => T | undefined {
  return (value) => {
    const entry = parse(value);
    return entry !== undefined && findSecrets(entry).length === 0 ? entry : undefined;
  };
}

function getPlace({ folder, remote }: ServedEntry): string {
  return folder === undefined ? `remote ${remote ?? ''}` : `folder ${folder}`;
}

/** Returns the lines of values, in order. */
function findLines(text: string, paths: readonly Path[]): readonly number[] {
  if (paths.length === 0) return [];
  const wanted = new Set(paths.map((path) => path.join('\n')));
  const lines: number[] = [];
  const check = (line: number, getPath: () => JSONPath): boolean => {
    const path = getPath();
    if (wanted.has(path.join('\n'))) lines.push(line + 1);
    return path[0] !== 'transfers' || path.length < 2;
  };
  visit(text, {
    onObjectBegin: (_offset, _length, line, _column, getPath) => check(line, getPath),
    onArrayBegin: (_offset, _length, line, _column, getPath) => check(line, getPath),
    onLiteralValue: (_value, _offset, _length, line, _column, getPath) => void check(line, getPath),
    // Without these, the parser doesn't notice the end of what it skips.
    onObjectEnd: () => undefined,
    onArrayEnd: () => undefined,
  });
  return lines;
}
