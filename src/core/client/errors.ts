import type { Reason } from '../model/reason.ts';

/** Thrown for an argument that has the correct type but an invalid value (§4.8, D1: error classes). */
export class ValueError extends RangeError {
  override readonly name = 'ValueError';
}

/** Thrown if the client is not connected, or if `ids` is empty or not a list (§4.8, D1: error classes). */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError';
}

/** Thrown if an attempt to connect fails or is canceled (§4.8, D1: error classes). */
export class ConnectionError extends RuntimeError {
  override readonly name = 'ConnectionError';
  /** The reason as data, without a message for the user. */
  readonly reason: Reason;

  constructor(message: string, reason: Reason) {
    super(message, { cause: reason });
    this.reason = reason;
  }
}
