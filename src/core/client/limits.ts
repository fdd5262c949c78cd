/** Every bound the client keeps to. Times in milliseconds, sizes in bytes. */
export interface Limits {
  /** Until a connection stands (D16). */
  readonly connectMs: number;
  /** From the request to the headers of its answer (D16). */
  readonly headersMs: number;
  /** Longest standstill of an answer's body (D16). */
  readonly bodyMs: number;
  /** A submission's whole wait where the caller names none (D16). */
  readonly submissionMs: number;
  /** Time for which an abandoned submission keeps the line of its server closed (D34). */
  readonly lateMs: number;
  /** Largest answer (D15). */
  readonly bodyBytes: number;
  /** Largest part of an error's body that is read. */
  readonly errorBytes: number;
  /** Tries of a GET, the first one included (D16). */
  readonly tries: number;
  /** Wait before the second try; it doubles after that, with jitter (D16). */
  readonly retryMs: number;
  /** Longest `Retry-After` that is waited for inside one request; a longer one ends it (D16). */
  readonly retryAfterMs: number;
  /** Idle connections are closed after this time (D17). */
  readonly idleMs: number;
  /** Redirects followed for one request (D18). */
  readonly redirects: number;
  /** Longest address of `GET files/by-id` (D8). */
  readonly urlBytes: number;
  /** Most ids of one `POST files/by-id` (D8). */
  readonly batchIds: number;
  /** Wait before a doubtful status is asked for again (D11). */
  readonly askAgainMs: number;
}

/** The bounds of D8, D15, D16, D17, D18 and D34. */
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
  askAgainMs: 200,
};
