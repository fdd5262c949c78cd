import type { StagingStatus } from '../../contract/search.ts';
import { isJsonObject } from '../util/json.ts';
import type { JsonObject } from '../util/json.ts';
import { RuntimeError, ValueError } from './errors.ts';
import { canStandInHeader } from './token.ts';
import { canonicalUuid } from '../util/uuid.ts';

/** The arguments of one call, by name; at run time they may be anything. */
export type Given = Readonly<Record<string, unknown>>;

type Name =
  | 'orcid'
  | 'database'
  | 'source'
  | 'destination'
  | 'query'
  | 'status'
  | 'offset'
  | 'limit'
  | 'specific'
  | 'ids'
  | 'fileIds'
  | 'timeout'
  | 'description'
  | 'instructions'
  | 'apiKey'
  | 'server'
  | 'port'
  | 'scheme'
  | 'transport'
  | 'allowInsecureHttp'
  | 'id'
  | 'databaseId';

interface Row {
  readonly names: readonly Name[];
  readonly wanted: string;
  readonly isGood: (value: unknown) => boolean;
  readonly Refusal: new (message: string) => Error;
  /** Keeps the value out of the message. */
  readonly isSecret?: boolean;
}

const longestTimeoutS = 2_147_483;

/** §4.8, row by row and in its order; after it, what the decisions add. The first row that fails is the one that is told. */
const rows: readonly Row[] = [
  { names: ['orcid', 'database', 'source', 'destination'], wanted: 'a string', isGood: isString, Refusal: TypeError },
  {
    names: ['query'],
    wanted: 'a string or a finite number',
    isGood: (v) => isString(v) || Number.isFinite(v),
    Refusal: TypeError,
  },
  {
    names: ['status'],
    wanted: '"staged" or "unstaged"',
    isGood: (v) => isEmpty(v) || v === 'staged' || v === 'unstaged',
    Refusal: TypeError,
  },
  { names: ['offset'], wanted: 'a whole number', isGood: (v) => v === undefined || isWhole(v), Refusal: TypeError },
  { names: ['limit'], wanted: 'a whole number', isGood: (v) => isEmpty(v) || isWhole(v), Refusal: TypeError },
  { names: ['offset'], wanted: 'at least 0', isGood: (v) => v === undefined || Number(v) >= 0, Refusal: ValueError },
  { names: ['limit'], wanted: 'at least 1', isGood: (v) => isEmpty(v) || Number(v) >= 0, Refusal: ValueError },
  { names: ['specific'], wanted: 'a JSON object', isGood: isObjectOrAbsent, Refusal: TypeError },
  {
    names: ['ids'],
    wanted: 'a list with at least one id',
    isGood: (v) => Array.isArray(v) && v.length > 0,
    Refusal: RuntimeError,
  },
  { names: ['fileIds'], wanted: 'a list', isGood: Array.isArray, Refusal: TypeError },
  { names: ['timeout'], wanted: 'a number of seconds', isGood: (v) => isAbsent(v) || isNumber(v), Refusal: TypeError },
  { names: ['description'], wanted: 'a string', isGood: (v) => isAbsent(v) || isString(v), Refusal: TypeError },
  { names: ['instructions'], wanted: 'a JSON object', isGood: isObjectOrAbsent, Refusal: TypeError },
  { names: ['apiKey'], wanted: 'a string', isGood: isString, Refusal: TypeError, isSecret: true },
  { names: ['server'], wanted: 'a string', isGood: isString, Refusal: TypeError },
  { names: ['port'], wanted: 'a whole number', isGood: (v) => isAbsent(v) || Number.isInteger(v), Refusal: TypeError },

  {
    names: ['ids', 'fileIds'],
    wanted: 'a list of strings',
    isGood: (v) => Array.isArray(v) && v.every(isString),
    Refusal: TypeError,
  },
  { names: ['id', 'databaseId'], wanted: 'a string', isGood: isString, Refusal: TypeError },
  {
    names: ['apiKey'],
    wanted: 'printable ASCII characters only',
    isGood: (v) => isString(v) && canStandInHeader(v),
    Refusal: TypeError,
    isSecret: true,
  },
  {
    names: ['scheme'],
    wanted: '"base64" or "plain"',
    isGood: (v) => isAbsent(v) || v === 'base64' || v === 'plain',
    Refusal: TypeError,
  },
  {
    names: ['transport'],
    wanted: '"direct" or "editor"',
    isGood: (v) => isAbsent(v) || v === 'direct' || v === 'editor',
    Refusal: TypeError,
  },
  {
    names: ['offset', 'limit'],
    wanted: `at most ${String(Number.MAX_SAFE_INTEGER)}`,
    isGood: (v) => isEmpty(v) || Number.isSafeInteger(Number(v)),
    Refusal: ValueError,
  },
  {
    names: ['timeout'],
    wanted: `more than 0 and at most ${String(longestTimeoutS)} seconds`,
    isGood: (v) => isAbsent(v) || (Number(v) > 0 && Number(v) <= longestTimeoutS),
    Refusal: ValueError,
  },
  {
    names: ['port'],
    wanted: 'between 1 and 65535',
    isGood: (v) => isAbsent(v) || (Number(v) >= 1 && Number(v) <= 65_535),
    Refusal: ValueError,
  },
  {
    names: ['id'],
    wanted: 'a UUID',
    isGood: (v) => isString(v) && canonicalUuid(v) !== undefined,
    Refusal: ValueError,
  },
  {
    names: ['databaseId'],
    wanted: 'an id that can stand in an address',
    isGood: (v) => isString(v) && !['', '.', '..'].includes(v),
    Refusal: ValueError,
  },
];

/** The arguments that each operation checks; what is not named here is not looked at. */
const argumentsOf = {
  connect: ['apiKey', 'server', 'port', 'scheme', 'transport', 'allowInsecureHttp'],
  search: ['orcid', 'database', 'query', 'status', 'offset', 'limit', 'specific'],
  fetchMetadata: ['orcid', 'database', 'offset', 'limit', 'ids'],
  transfer: ['orcid', 'source', 'destination', 'fileIds', 'timeout', 'description', 'instructions'],
  transferStatus: ['id'],
  cancelTransfer: ['orcid', 'id'],
  searchParameters: ['databaseId'],
} as const satisfies Record<string, readonly Name[]>;

/** The operations that take arguments. */
export type Operation = keyof typeof argumentsOf;

type Check = readonly [name: Name, row: Row];

/** The rows that each operation has to keep, with the argument of each; in their order. */
const checksOf: ReadonlyMap<Operation, readonly Check[]> = new Map(
  Object.entries(argumentsOf).map(([operation, checked]: readonly [string, readonly Name[]]) => [
    operation as Operation,
    rows.flatMap((row) => row.names.filter((name) => checked.includes(name)).map((name): Check => [name, row])),
  ]),
);

/**
 * Returns the arguments as they are to be sent, each read once, so that nothing can change between check and sending;
 * throws what §4.8 says for the first row that they break (D1, D3).
 */
export function checkArguments(operation: Operation, given: unknown): Given {
  const values = readOnce(operation, argumentsOf[operation], given);
  for (const [name, row] of checksOf.get(operation) ?? []) {
    if (!row.isGood(values[name])) throw refusal(operation, name, values[name], row);
  }
  return values;
}

function readOnce(operation: Operation, names: readonly Name[], given: unknown): Given {
  try {
    const values = isJsonObject(given) ? given : {};
    return Object.fromEntries(names.map((name) => [name, settled(values[name])]));
  } catch (cause) {
    throw new TypeError(`${operation}: the arguments cannot be read`, { cause });
  }
}

/** Stands for an object that has no JSON form as an object: a ring, a date, a bigint inside. */
const unwritable: JsonObject = Object.freeze({});

function settled(value: unknown): unknown {
  if (Array.isArray(value)) return settledList(value as readonly unknown[]);
  return isJsonObject(value) ? settledObject(value) : value;
}

/** The list up to the first element that is no string: one is enough to refuse it, and holes may be without number. */
function settledList(values: readonly unknown[]): readonly unknown[] {
  const list: unknown[] = [];
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    list.push(value);
    if (!isString(value)) break;
  }
  return list;
}

function settledObject(value: JsonObject): JsonObject {
  try {
    const text: unknown = JSON.stringify(value);
    const written: unknown = isString(text) ? JSON.parse(text) : undefined;
    return isJsonObject(written) ? written : unwritable;
  } catch {
    return unwritable;
  }
}

function refusal(operation: Operation, name: Name, value: unknown, { wanted, Refusal, isSecret }: Row): Error {
  const shown = isSecret === true ? 'what was given' : describe(value);
  return new Refusal(`${operation}: "${name}" must be ${wanted}, not ${shown}`);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? 'a long string' : JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

function isWhole(value: unknown): boolean {
  return typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isInteger(value);
}

function isObjectOrAbsent(value: unknown): boolean {
  return isAbsent(value) || (isJsonObject(value) && value !== unwritable);
}

/** A checked `offset` or `limit` as it is sent; undefined, to be left out, for nothing and 0 (D3). */
export function numberToSend(value: unknown): number | undefined {
  return isEmpty(value) ? undefined : Number(value) || undefined;
}

/** A checked object as it is sent; undefined, to be left out, when empty (D3). */
export function objectToSend(value: unknown): JsonObject | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

/** A checked text as it is sent; undefined, to be left out, when empty (D3). */
export function textToSend(value: unknown): string | undefined {
  return isString(value) && value !== '' ? value : undefined;
}

/** A checked staging filter as it is sent; undefined, to be left out, when empty (D3). */
export function statusToSend(value: unknown): StagingStatus | undefined {
  return value === 'staged' || value === 'unstaged' ? value : undefined;
}
