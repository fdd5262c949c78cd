import type { Connection } from '../model/connection.ts';
import type { FileStaging } from '../model/searchModel.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { parseUuid } from '../util/uuid.ts';
import { markArgumentError, RuntimeError, ValueError } from './reply.ts';
import { isHeaderSafe } from './serverAddress.ts';

/** Describes the service to connect to and the key to use (§4.9). */
export type ConnectOptions = Pick<Connection, 'server' | 'port' | 'scheme' | 'allowInsecureHttp' | 'transport'> & {
  readonly apiKey: string;
};

/**
 * Describes a search (§4.3). Requests omit `status`, `limit` and `specific` if empty, and `offset` and `limit` if 0.
 */
export interface SearchOptions {
  readonly database: string;
  readonly orcid: string;
  readonly query: string | number;
  readonly status?: FileStaging | '' | undefined;
  readonly offset?: number | string | undefined;
  readonly limit?: number | string | null | undefined;
  /** The cursor of the previous page; `offset` then counts from there. Sent only to the local service (D9: paging). */
  readonly cursor?: string | undefined;
  readonly specific?: JsonObject | undefined;
}

/** Describes a metadata request (§4.4). */
export interface MetadataOptions {
  readonly database: string;
  readonly orcid: string;
  readonly ids: readonly string[];
  readonly offset?: number | string | undefined;
  readonly limit?: number | string | null | undefined;
}

/** Describes a submission (§4.5). */
export interface TransferOptions {
  readonly orcid: string;
  readonly source: string;
  readonly destination: string;
  readonly fileIds: readonly string[];
  /** Markdown. */
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
  /** Time limit for the response, in seconds; absent for the default. Not sent to the server. */
  readonly timeout?: number | undefined;
}

/** Describes a request to cancel a transfer (§4.7). `orcid` identifies the user who submitted the transfer. */
export interface CancelOptions {
  readonly id: string;
  readonly orcid: string;
}

/** The arguments of each operation. */
interface OperationArguments {
  readonly connect: ConnectOptions;
  readonly search: SearchOptions;
  readonly fetchMetadata: MetadataOptions;
  readonly transfer: TransferOptions;
  readonly transferStatus: { readonly id: string };
  readonly cancelTransfer: CancelOptions;
  readonly searchParameters: { readonly databaseId: string };
  readonly scanDatabase: { readonly databaseId: string };
}

/** The name of an operation that takes arguments. */
export type Operation = keyof OperationArguments;

/** The arguments that each operation checks. All other arguments are ignored. */
const argumentsByOperation = {
  connect: ['apiKey', 'server', 'port', 'scheme', 'transport', 'allowInsecureHttp'],
  search: ['orcid', 'database', 'query', 'status', 'offset', 'limit', 'cursor', 'specific'],
  fetchMetadata: ['orcid', 'database', 'offset', 'limit', 'ids'],
  transfer: ['orcid', 'source', 'destination', 'fileIds', 'timeout', 'description', 'instructions'],
  transferStatus: ['id'],
  cancelTransfer: ['orcid', 'id'],
  searchParameters: ['databaseId'],
  scanDatabase: ['databaseId'],
} as const satisfies Record<Operation, readonly string[]>;

type ArgumentName = (typeof argumentsByOperation)[Operation][number];

type ArgumentRule = readonly [
  names: readonly ArgumentName[],
  expected: string,
  ErrorClass: new (message: string) => Error,
  /** The values that count as "not set" and need no further check (D3: numbers and empty values). */
  absent: readonly unknown[],
  isValid: (value: unknown) => boolean,
];

const required: readonly unknown[] = [];
const optional: readonly unknown[] = [undefined];
const nullable: readonly unknown[] = [undefined, null];
const canBeEmpty: readonly unknown[] = [undefined, null, ''];

const maxTimeoutS = 2_147_483;
const maxNumber = Number.MAX_SAFE_INTEGER;

/**
 * The argument rules of §4.8, in the order given there, followed by additional rules from design decisions. Only the
 * first violation is reported.
 */
const argumentRules: readonly ArgumentRule[] = [
  [['orcid', 'database', 'source', 'destination'], 'a string', TypeError, required, isString],
  [['query'], 'a string or a finite number', TypeError, required, (v) => isString(v) || Number.isFinite(v)],
  [['status'], '"staged" or "unstaged"', TypeError, canBeEmpty, isOneOf('staged', 'unstaged')],
  [['offset'], 'a whole number', TypeError, optional, isWholeNumber],
  [['limit'], 'a whole number', TypeError, canBeEmpty, isWholeNumber],
  [['offset'], 'at least 0', ValueError, optional, isWithin(0, Infinity)],
  [['limit'], 'at least 1', ValueError, canBeEmpty, isWithin(0, Infinity)],
  [['specific'], 'a JSON object', TypeError, nullable, isSerializableObject],
  [['ids'], 'a list with at least one ID', RuntimeError, required, (v) => Array.isArray(v) && v.length > 0],
  [['fileIds'], 'a list', TypeError, required, Array.isArray],
  [['timeout'], 'a number of seconds', TypeError, nullable, (v) => typeof v === 'number' && !Number.isNaN(v)],
  [['description'], 'a string', TypeError, nullable, isString],
  [['instructions'], 'a JSON object', TypeError, nullable, isSerializableObject],
  [['apiKey'], 'a string', TypeError, required, isString],
  [['server'], 'a string', TypeError, required, isString],
  [['port'], 'a whole number', TypeError, nullable, Number.isInteger],

  [['ids', 'fileIds'], 'a list of strings', TypeError, required, (v) => Array.isArray(v) && v.every(isString)],
  [['cursor'], 'a string', TypeError, nullable, isString],
  [['id', 'databaseId'], 'a string', TypeError, required, isString],
  [['apiKey'], 'printable ASCII characters only', TypeError, required, (v) => isHeaderSafe(String(v))],
  [['scheme'], '"base64" or "plain"', TypeError, nullable, isOneOf('base64', 'plain')],
  [['transport'], '"direct" or "editor"', TypeError, nullable, isOneOf('direct', 'editor')],
  [['offset', 'limit'], `at most ${maxNumber}`, ValueError, canBeEmpty, isWithin(0, maxNumber)],
  [
    ['timeout'],
    `more than 0 and at most ${maxTimeoutS} seconds`,
    ValueError,
    nullable,
    isWithin(Number.MIN_VALUE, maxTimeoutS),
  ],
  [['port'], 'between 1 and 65535', ValueError, nullable, isWithin(1, 65_535)],
  [['id'], 'a UUID', ValueError, required, (v) => parseUuid(String(v)) !== undefined],
  [
    ['databaseId'],
    'an ID that can be part of an address',
    ValueError,
    required,
    (v) => !['', '.', '..'].includes(String(v)),
  ],
];

/**
 * Returns the checked arguments, which can be of any type before, because callers may not use type checking. Reads each
 * argument only once, so that none can change before it is sent. Throws the error for the first violated rule (§4.8,
 * D1: error classes, D3: numbers and empty values), or TypeError if the arguments can't be read.
 */
export function checkArguments<O extends Operation>(operation: O, given: unknown): OperationArguments[O] {
  const values = readOnce(operation, given);
  for (const [names, expected, ErrorClass, absent, isValid] of argumentRules) {
    for (const name of names) {
      if (!(name in values) || absent.includes(values[name]) || isValid(values[name])) continue;
      // A key must not appear in messages.
      const shown = name === 'apiKey' ? 'what was given' : describe(values[name]);
      throw markArgumentError(new ErrorClass(`${operation}: "${name}" must be ${expected}, not ${shown}`));
    }
  }
  return values as unknown as OperationArguments[O];
}

function readOnce(operation: Operation, given: unknown): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  try {
    const all = isJsonObject(given) ? given : {};
    for (const name of argumentsByOperation[operation]) values[name] = toPlainValue(all[name]);
    return values;
  } catch (cause) {
    throw markArgumentError(new TypeError(`${operation}: the arguments cannot be read`, { cause }));
  }
}

/**
 * A placeholder for a value that cannot be serialized as a JSON object. Examples are dates, cyclic objects and objects
 * with a bigint.
 */
const unserializable: JsonObject = Object.freeze({});

/**
 * Copies a list up to and including the first element that isn't a string, which suffices to reject the list. Copies an
 * object as it is sent. Returns other values unchanged.
 */
function toPlainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return toPlainObject(value);
  const list: unknown[] = [];
  for (const element of value as readonly unknown[]) {
    list.push(element);
    if (!isString(element)) break;
  }
  return list;
}

function toPlainObject(value: object): JsonObject {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    return isJsonObject(copy) ? copy : unserializable;
  } catch {
    return unserializable;
  }
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

function isWholeNumber(value: unknown): boolean {
  return typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isInteger(value);
}

function isWithin(min: number, max: number): (value: unknown) => boolean {
  return (value) => Number(value) >= min && Number(value) <= max;
}

function isOneOf(...allowed: readonly unknown[]): (value: unknown) => boolean {
  return (value) => allowed.includes(value);
}

function isSerializableObject(value: unknown): boolean {
  return isJsonObject(value) && value !== unserializable;
}

/**
 * Returns a checked `offset` or `limit` as a number. Returns undefined for a value that requests omit: absent, empty or
 * 0 (D3: numbers and empty values).
 */
export function toSentNumber(value: number | string | null | undefined): number | undefined {
  return Number(value ?? 0) || undefined;
}

/**
 * Returns a checked object; undefined if it is absent or empty, so that requests omit it (D3: numbers and empty
 * values).
 */
export function toSentObject(value: JsonObject | null | undefined): JsonObject | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}
