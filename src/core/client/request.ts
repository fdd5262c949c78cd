import type { MetadataRequest, SearchRequest, TransferRequest } from '../../contract/contract.ts';
import type { Connection } from '../model/connection.ts';
import type { BeforeSending, RequestKind, TurnObserver } from '../model/requestTurn.ts';
import type { FileStaging } from '../model/searchModel.ts';
import { fileStates, type FileState } from '../util/fileStates.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { parseUuid } from '../util/uuid.ts';
import { markArgumentError, RuntimeError, ValueError } from './reply.ts';
import { isHeaderSafe } from './serverAddress.ts';

/** Describes the service to connect to and the key to use (§4.9). */
export type ConnectOptions = Pick<Connection, 'server' | 'port' | 'scheme' | 'allowInsecureHttp' | 'transport'> & {
  readonly apiKey: string;
};

/** Describes a search (§4.3). Requests omit empty or zero `offset` and `limit`, and empty `status` and `specific`. */
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

/** Describes a request to cancel (§4.7), pause or resume a transfer. `orcid` submitted it. */
export interface CancelOptions {
  readonly id: string;
  readonly orcid: string;
}

/** Describes a request for a page of a transfer's files (D71: file states). */
export interface TransferFilesRequest {
  readonly id: string;
  /** Absent for files in any state. */
  readonly state?: FileState | undefined;
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/** Describes a request for a range of a file's content. */
export interface FileRangeRequest {
  /** The database's name or ID. */
  readonly databaseId: string;
  readonly fileId: string;
  /** Offset of the first byte. */
  readonly offset: number;
  /** Maximum number of bytes; at most {@link maxContentBytes} are returned. */
  readonly limit: number;
  /** The entity tag of the version to read; absent for any version. */
  readonly entityTag?: string | undefined;
}

/** The arguments of each operation. */
interface OperationArguments {
  readonly connect: ConnectOptions;
  readonly search: SearchOptions;
  readonly fetchMetadata: MetadataOptions;
  readonly transfer: TransferOptions;
  readonly transferStatus: { readonly id: string };
  readonly cancelTransfer: CancelOptions;
  readonly pauseTransfer: CancelOptions;
  readonly resumeTransfer: CancelOptions;
  readonly transferFiles: TransferFilesRequest;
  readonly searchParameters: { readonly databaseId: string };
  readonly scanDatabase: { readonly databaseId: string };
  readonly readContent: FileRangeRequest;
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
  pauseTransfer: ['orcid', 'id'],
  resumeTransfer: ['orcid', 'id'],
  transferFiles: ['id', 'state', 'limit', 'cursor'],
  searchParameters: ['databaseId'],
  scanDatabase: ['databaseId'],
  readContent: ['databaseId', 'fileId', 'offset', 'limit', 'entityTag'],
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

/** The rules of §4.8 in their order, then those of decisions. Only the first violation is reported. */
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
  [['cursor', 'entityTag'], 'a string', TypeError, nullable, isString],
  [['state'], 'the state of a file', TypeError, nullable, isOneOf(...fileStates)],
  [['id', 'databaseId', 'fileId'], 'a string', TypeError, required, isString],
  [['apiKey'], 'printable ASCII characters only', TypeError, required, (v) => isHeaderSafe(String(v))],
  [['entityTag'], 'printable ASCII characters only', TypeError, nullable, (v) => isHeaderSafe(String(v))],
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

/** Stands for a value that isn't a JSON object, such as a date, or an object with a cycle or a bigint. */
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

/** Returns a checked `offset` or `limit`; undefined if absent, empty or 0 (D3: numbers and empty values). */
export function toSentNumber(value: number | string | null | undefined): number | undefined {
  return Number(value ?? 0) || undefined;
}

/** Returns a checked object; undefined if it is absent or empty (D3: numbers and empty values). */
export function toSentObject(value: JsonObject | null | undefined): JsonObject | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}

/** An HTTP request to a service, and how to send it. Reaches the transport as it is. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path and the query. */
  readonly path: string;
  readonly body?: string;
  /**
   * Time limit for the entire response to a submission, in milliseconds; absent for other requests (§4.5, D16: timeouts
   * and retries). Also marks the request as a submission, which may have taken effect even if no response was received
   * (D12: never resubmit).
   */
  readonly submissionMs?: number;
  /** True for a request that every service supports: after a 404, the server is no data transfer service. */
  readonly isUniversal?: boolean;
  /** Set for a request that must wait for its turn (D34: serialized requests). */
  readonly turn?: {
    readonly kind: RequestKind;
    readonly observer?: TurnObserver | undefined;
    readonly willSend?: BeforeSending | undefined;
  };
  /** Set for a request for the content of a file: the values of its headers. */
  readonly content?: { readonly range: string; readonly 'if-match'?: string };
  /** Filled in while the request is sent, for a caller that has to know its progress after an unexpected error. */
  readonly trail?: ExchangeTrail;
  /** True for a GET that isn't retried after failures for which the batch is split (D8: metadata by ids). */
  readonly isHalved?: boolean;
}

/** Records the progress of a request. */
export interface ExchangeTrail {
  /** True if part of the request may have reached the server (D12: never resubmit). */
  wasSent?: boolean;
  response?: HttpResponse;
}

/** A response with any status. `text` is empty if an error's body is too large or could not be read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The entire body, instead of `text`; only of a successful response to a request for the content of a file. */
  readonly bytes?: Uint8Array;
}

/** Returns the method and path of a request, without the query string. */
export function getRequestName({ method, path }: HttpRequest): string {
  const queryStart = path.indexOf('?');
  return `${method} ${queryStart < 0 ? path : path.slice(0, queryStart)}`;
}

/** Builds a request with a JSON body. Omits undefined fields. */
export function buildPostRequest(path: string, body: SearchRequest | MetadataRequest | TransferRequest): HttpRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
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

/** The client's limits. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Maximum time to open a connection (D16: timeouts and retries). */
  readonly connectMs: number;
  /** Maximum wait for response headers, except those of a submission (D16: timeouts and retries). */
  readonly headersMs: number;
  /** Maximum pause while a response body is received (D16: timeouts and retries). */
  readonly bodyMs: number;
  /** Default time limit for the entire response to a submission (D16: timeouts and retries). */
  readonly submissionMs: number;
  /** Time for which an abandoned submission continues to block its server's queue (D34: serialized requests). */
  readonly lateMs: number;
  /** Maximum size of a response body (D15: tolerant reading). */
  readonly bodyBytes: number;
  /** Maximum size of an error response's body. A larger body is ignored. */
  readonly errorBytes: number;
  /** Maximum attempts for a GET request, including the first (D16: timeouts and retries). */
  readonly tries: number;
  /** Delay before the second attempt. Doubles for each further attempt, with jitter (D16: timeouts and retries). */
  readonly retryMs: number;
  /** Maximum `Retry-After` delay; after a longer one, the request fails (D16: timeouts and retries). */
  readonly retryAfterMs: number;
  /** Time after which an idle connection is closed (D17: close idle connections). */
  readonly idleMs: number;
  /** Maximum number of redirects per request (D18: same-origin redirects). */
  readonly redirects: number;
  /** Maximum length of the address of a `GET files/by-id` request with more than one ID (D8: metadata by ids). */
  readonly urlBytes: number;
  /** Maximum number of IDs in a `POST files/by-id` request (D8: metadata by ids). */
  readonly batchIds: number;
  /** Delay before a status is requested again after a response about another transfer (D11: check status identity). */
  readonly statusRetryMs: number;
}

/** The default limits. */
export const defaultLimits: Limits = {
  connectMs: 15_000,
  headersMs: 120_000,
  bodyMs: 120_000,
  submissionMs: 600_000,
  lateMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  errorBytes: 1024 * 1024,
  tries: 3,
  retryMs: 500,
  retryAfterMs: 30_000,
  idleMs: 4_000,
  redirects: 5,
  urlBytes: 4_000,
  batchIds: 500,
  statusRetryMs: 200,
};
