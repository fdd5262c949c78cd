import type { Reason } from '../model/reason.ts';

/** Describes a request that failed or received no usable response. */
export interface RequestFailure {
  readonly value?: never;
  readonly reason: Reason;
  /**
   * True if the service refused the request with a JSON error document; false for a missing route (D8: metadata by
   * ids).
   */
  readonly isProblem: boolean;
}

/** The result of a single request. The client's operations convert it to a `Reply`. */
export type Result<T> = { readonly value: T; readonly reason?: never } | RequestFailure;
