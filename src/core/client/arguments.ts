import type { MetadataRequest, SearchRequest, StagingStatus } from '../../contract/search.ts';
import type { TransferRequest } from '../../contract/transfer.ts';
import type { FileStaging } from '../model/searchModel.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { parseUuid } from '../util/uuid.ts';
import type { ConnectOptions } from './clientSession.ts';
import type { HttpRequest } from './exchange.ts';
import { markArgumentError, RuntimeError, ValueError } from './reply.ts';
import { isHeaderSafe } from './serverAccess.ts';

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
  isValid: (value: unknown) => boolean,
];

const maxTimeoutS = 2_147_483;
const maxNumber = Number.MAX_SAFE_INTEGER;

/**
 * The argument rules of §4.8, in the order given there, followed by additional rules from design decisions. Only the
 * first violation is reported.
 */
const argumentRules: readonly ArgumentRule[] = [
  [['orcid', 'database', 'source', 'destination'], 'a string', TypeError, isString],
  [['query'], 'a string or a finite number', TypeError, (v) => isString(v) || Number.isFinite(v)],
  [['status'], '"staged" or "unstaged"', TypeError, (v) => isEmpty(v) || v === 'staged' || v === 'unstaged'],
  [['offset'], 'a whole number', TypeError, (v) => v === undefined || isWholeNumber(v)],
  [['limit'], 'a whole number', TypeError, (v) => isEmpty(v) || isWholeNumber(v)],
  [['offset'], 'at least 0', ValueError, (v) => v === undefined || Number(v) >= 0],
  [['limit'], 'at least 1', ValueError, (v) => isEmpty(v) || Number(v) >= 0],
  [['specific'], 'a JSON object', TypeError, isObjectOrAbsent],
  [['ids'], 'a list with at least one ID', RuntimeError, (v) => Array.isArray(v) && v.length > 0],
  [['fileIds'], 'a list', TypeError, Array.isArray],
  [['timeout'], 'a number of seconds', TypeError, (v) => isAbsent(v) || isNumber(v)],
  [['description'], 'a string', TypeError, (v) => isAbsent(v) || isString(v)],
  [['instructions'], 'a JSON object', TypeError, isObjectOrAbsent],
  [['apiKey'], 'a string', TypeError, isString],
  [['server'], 'a string', TypeError, isString],
  [['port'], 'a whole number', TypeError, (v) => isAbsent(v) || Number.isInteger(v)],

  [['ids', 'fileIds'], 'a list of strings', TypeError, (v) => Array.isArray(v) && v.every(isString)],
  [['cursor'], 'a string', TypeError, (v) => isAbsent(v) || isString(v)],
  [['id', 'databaseId'], 'a string', TypeError, isString],
  [['apiKey'], 'printable ASCII characters only', TypeError, (v) => isString(v) && isHeaderSafe(v)],
  [['scheme'], '"base64" or "plain"', TypeError, (v) => isAbsent(v) || v === 'base64' || v === 'plain'],
  [['transport'], '"direct" or "editor"', TypeError, (v) => isAbsent(v) || v === 'direct' || v === 'editor'],
  [['offset', 'limit'], `at most ${maxNumber}`, ValueError, (v) => isEmpty(v) || Number.isSafeInteger(Number(v))],
  [['timeout'], `more than 0 and at most ${maxTimeoutS} seconds`, ValueError, isTimeoutOrAbsent],
  [['port'], 'between 1 and 65535', ValueError, (v) => isAbsent(v) || (Number(v) >= 1 && Number(v) <= 65_535)],
  [['id'], 'a UUID', ValueError, (v) => isString(v) && parseUuid(v) !== undefined],
  [['databaseId'], 'an ID that can be part of an address', ValueError, (v) => !['', '.', '..'].includes(String(v))],
];

/** The arguments whose values must not appear in messages. */
const secretNames: ReadonlySet<ArgumentName> = new Set(['apiKey']);

type Check = readonly [name: ArgumentName, rule: ArgumentRule];

/** The rules for each operation, in order. Each rule is paired with the argument to which it applies. */
const checksByOperation: ReadonlyMap<string, readonly Check[]> = new Map(
  Object.entries<readonly ArgumentName[]>(argumentsByOperation).map(([operation, checked]) => [
    operation,
    argumentRules.flatMap((rule) =>
      rule[0].filter((name) => checked.includes(name)).map((name): Check => [name, rule]),
    ),
  ]),
);

/**
 * Returns the checked arguments, which can be of any type before, because callers may not use type checking. Reads each
 * argument only once, so that none can change before it is sent. Throws the error for the first violated rule (§4.8,
 * D1: error classes, D3: numbers and empty values), or TypeError if the arguments can't be read.
 */
export function checkArguments<O extends Operation>(operation: O, given: unknown): OperationArguments[O] {
  const values = readOnce(operation, argumentsByOperation[operation], given);
  for (const [name, [, expected, ErrorClass, isValid]] of checksByOperation.get(operation) ?? []) {
    if (isValid(values[name])) continue;
    const shown = secretNames.has(name) ? 'what was given' : describe(values[name]);
    throw markArgumentError(new ErrorClass(`${operation}: "${name}" must be ${expected}, not ${shown}`));
  }
  return values as unknown as OperationArguments[O];
}

function readOnce(
  operation: Operation,
  names: readonly ArgumentName[],
  given: unknown,
): Readonly<Record<string, unknown>> {
  try {
    const values = isJsonObject(given) ? given : {};
    return Object.fromEntries(names.map((name) => [name, toPlainValue(values[name])]));
  } catch (cause) {
    throw markArgumentError(new TypeError(`${operation}: the arguments cannot be read`, { cause }));
  }
}

/**
 * A placeholder for a value that cannot be serialized as a JSON object. Examples are dates, cyclic objects and objects
 * with a bigint.
 */
const unserializable: JsonObject = Object.freeze({});

function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) return toPlainList(value as readonly unknown[]);
  return isJsonObject(value) ? toPlainObject(value) : value;
}

/** Copies a list up to and including the first element that isn't a string, which suffices to reject the list. */
function toPlainList(values: readonly unknown[]): readonly unknown[] {
  const list: unknown[] = [];
  for (const value of values) {
    list.push(value);
    if (!isString(value)) break;
  }
  return list;
}

function toPlainObject(value: JsonObject): JsonObject {
  try {
    const text: unknown = JSON.stringify(value);
    const copy: unknown = isString(text) ? JSON.parse(text) : undefined;
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

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

function isWholeNumber(value: unknown): boolean {
  return typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isInteger(value);
}

function isTimeoutOrAbsent(value: unknown): boolean {
  return isAbsent(value) || (Number(value) > 0 && Number(value) <= maxTimeoutS);
}

function isObjectOrAbsent(value: unknown): boolean {
  return isAbsent(value) || (isJsonObject(value) && value !== unserializable);
}

/**
 * Returns a checked `offset` or `limit` as a number. Returns undefined for a value that the request omits: absent,
 * empty or 0 (D3: numbers and empty values).
 */
export function toSentNumber(value: unknown): number | undefined {
  return isEmpty(value) ? undefined : Number(value) || undefined;
}

/**
 * Returns a checked object; undefined if it is absent or empty, so that the request omits it (D3: numbers and empty
 * values).
 */
function toSentObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

/**
 * Returns a checked string. Returns undefined if it is absent or empty, so that the request omits it (D3: numbers and
 * empty values).
 */
function toSentText(value: unknown): string | undefined {
  return isString(value) && value !== '' ? value : undefined;
}

/**
 * Returns a checked staging filter; undefined if it is absent or empty, so that the request omits it (D3: numbers and
 * empty values).
 */
export function toSentStatus(value: unknown): StagingStatus | undefined {
  return value === 'staged' || value === 'unstaged' ? value : undefined;
}

/** Builds a request with a JSON body. Omits undefined fields. */
export function buildPostRequest(path: string, body: SearchRequest | MetadataRequest | TransferRequest): HttpRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

/**
 * Builds a search request from checked arguments and the database's name or ID (§4.3, D7: database name or id). Omits
 * the cursor unless the service has cursors (D9: paging).
 */
export function buildSearchRequest(given: SearchOptions, database: string, hasCursors: boolean): HttpRequest {
  return buildPostRequest('files', {
    database,
    orcid: given.orcid,
    query: String(given.query),
    status: toSentStatus(given.status),
    offset: toSentNumber(given.offset),
    limit: toSentNumber(given.limit),
    cursor: hasCursors ? toSentText(given.cursor) : undefined,
    specific: toSentObject(given.specific),
  });
}

/** Builds a submission from checked arguments and the names or IDs of the databases (§4.5, D7: database name or id). */
export function buildTransferRequest(given: TransferOptions, source: string, destination: string): HttpRequest {
  return buildPostRequest('transfers', {
    orcid: given.orcid,
    source,
    destination,
    file_ids: [...given.fileIds],
    description: toSentText(given.description),
    instructions: toSentObject(given.instructions),
  });
}

/** Formats a query string with a leading `?`. Omits undefined values. Returns an empty string if no values remain. */
export function formatQuery(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodePart(String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encodes a string for use in a path or a query. Never throws, because lone surrogates are replaced. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
