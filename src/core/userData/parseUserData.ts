import type { Connection } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';
import { isDeeperThan, type JsonObject } from '../util/json.ts';
import { findValueLines } from '../util/jsonLines.ts';
import { readJsonInSteps } from '../util/jsonObject.ts';
import { omit } from '../util/omit.ts';
import { parseOrcid } from '../util/orcid.ts';
import { findSecrets, type ValuePath } from '../util/secrets.ts';
import type { Steps } from '../util/steps.ts';
import { userDataFormat, userDataVersion, type ServedEntry, type UserData } from './userData.ts';
import { findDroppedSecrets, parseConnection, parseServedEntry, parseTransfer } from './userDataSchema.ts';

/** The result of parsing a user data file. */
export type UserDataReadResult =
  | { readonly kind: 'broken'; readonly line: number; readonly column: number }
  /** Valid JSON, but not a user data file. */
  | { readonly kind: 'other' }
  /** Written by a later version of the extension. */
  | { readonly kind: 'later'; readonly version: number }
  | ParsedUserData;

/** The valid entries of a user data file, and the line numbers of the others, counted from 1. */
export interface ParsedUserData {
  readonly kind: 'parsed';
  readonly data: UserData;
  /** Lines with values that look like a key or a password. These values are not in `data`. */
  readonly secretLines: readonly number[];
  /** Lines of entries that are not valid, or that repeat an earlier one. */
  readonly invalidLines: readonly number[];
}

const maxLevels = 100;

/** Parses the text of a user data file, and yields after each entry. Drops unknown fields. Never throws. */
export function* parseUserData(text: string): Steps<UserDataReadResult> {
  const read = yield* readJsonInSteps(text);
  if (read.kind !== 'object') return read;
  const { format, version } = read.value;
  if (format !== userDataFormat || !Number.isSafeInteger(version) || Number(version) < 1) return { kind: 'other' };
  if (Number(version) > userDataVersion) return { kind: 'later', version: Number(version) };
  if (isDeeperThan(omit(read.value, 'transfers'), maxLevels)) return { kind: 'other' };
  return yield* parseDocument(text, read.value);
}

function* parseDocument(text: string, document: JsonObject): Steps<ParsedUserData> {
  const secrets = [...findSecrets(omit(document, 'transfers'))];
  const parseRecord = (value: unknown, path: ValuePath): Transfer | undefined => {
    const transfer = parseTransfer(value);
    for (const secret of findDroppedSecrets(value, transfer)) secrets.push([...path, ...secret]);
    return transfer;
  };
  const connections = yield* parseList<Connection>(document, 'connections', parseConnection, getId);
  const databases = yield* parseList<ServedEntry>(document, 'databases', parseServedEntry, getPlace);
  const transfers = yield* parseList<Transfer>(document, 'transfers', parseRecord, ({ key }) => key);
  const orcid = typeof document['orcid'] === 'string' ? parseOrcid(document['orcid']) : undefined;
  const [entries, others, records] = [connections.valid, databases.valid, transfers.valid];
  const data = { connections: entries, databases: others, transfers: records, ...(orcid !== undefined && { orcid }) };
  const secretLines = yield* findValueLines(text, secrets);
  const invalid = [...connections.invalid, ...databases.invalid, ...transfers.invalid];
  return { kind: 'parsed', data, secretLines, invalidLines: yield* findValueLines(text, invalid) };
}

interface ParsedList<T> {
  readonly valid: readonly T[];
  readonly invalid: readonly ValuePath[];
}

/** Parses a list. If multiple entries have the same identity, only the first one is valid. */
function* parseList<T>(
  document: JsonObject,
  name: string,
  parse: (value: unknown, path: ValuePath) => T | undefined,
  identify: (entry: T) => string,
): Steps<ParsedList<T>> {
  const list: unknown = document[name] ?? [];
  if (!Array.isArray(list)) return { valid: [], invalid: [[name]] };
  const valid = new Map<string, T>();
  const invalid: ValuePath[] = [];
  for (const [index, value] of list.entries()) {
    const entry = parse(value, [name, index]);
    if (entry === undefined || valid.has(identify(entry))) invalid.push([name, index]);
    else valid.set(identify(entry), entry);
    yield;
  }
  return { valid: [...valid.values()], invalid };
}

function getId({ id }: Connection): string {
  return id;
}

function getPlace({ folder, remote }: ServedEntry): string {
  return folder === undefined ? `remote ${remote ?? ''}` : `folder ${folder}`;
}
