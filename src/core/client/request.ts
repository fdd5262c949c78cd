import type { MetadataRequest, SearchRequest, TransferRequest } from '../../contract/contract.ts';
import type { BeforeSending, RequestKind, TurnObserver } from '../model/requestTurn.ts';

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
  /**
   * True for a request that every service supports. A 404 then means that the server is not a data transfer service.
   */
  readonly isUniversal?: boolean;
  /** Set for a request that must wait for its turn (D34: serialized requests). */
  readonly turn?: {
    readonly kind: RequestKind;
    readonly observer?: TurnObserver | undefined;
    readonly willSend?: BeforeSending | undefined;
  };
  /** Filled in while the request is sent, for a caller that has to know its progress after an unexpected error. */
  readonly trail?: ExchangeTrail;
  /**
   * True to prevent retries of a GET after failures that the caller handles by splitting the batch (D8: metadata by
   * ids).
   */
  readonly isHalved?: boolean;
}

/** Records the progress of a request. */
export interface ExchangeTrail {
  /** True if part of the request may have reached the server (D12: never resubmit). */
  wasSent?: boolean;
  response?: HttpResponse;
}

/**
 * A response with any status. `text` is the entire body, or empty if the body of an error response is too large or
 * could not be read.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
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
  /**
   * Maximum `Retry-After` delay before a retry; if the server requests a longer delay, the request fails (D16: timeouts
   * and retries).
   */
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
