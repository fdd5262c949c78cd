import type { Reason } from '../model/reason.ts';

/** An argument of the right type with a value that is not allowed (§4.8, D1). */
export class ValueError extends RangeError {
  override readonly name = 'ValueError';
}

/** The client cannot do this now: it is not connected, or `ids` is empty (§4.8, D1). */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError';
}

/** The service could not be reached, or its root answered an error (§4.8, D1). */
export class ConnectionError extends RuntimeError {
  override readonly name = 'ConnectionError';
  /** What stood in the way, for those who decide what a person reads. */
  readonly reason: Reason;

  constructor(message: string, reason: Reason) {
    super(message, { cause: reason });
    this.reason = reason;
  }
}
