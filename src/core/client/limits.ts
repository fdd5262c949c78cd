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
  /** Maximum number of attempts for a GET request, including the first (D16: timeouts and retries). */
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
