import type { Reason } from '../model/reason.ts';

const argumentBrand = Symbol('argument error');

/**
 * Marks an error as one of the caller's arguments, and returns it. The built-in TypeError, which the contract names, can
 * also be an error of this program (D1: error classes).
 */
export function markArgumentError<E extends Error>(error: E): E {
  return Object.defineProperty(error, argumentBrand, { value: true });
}

/** Returns true for an error that an argument check threw, before anything was sent. */
export function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && Reflect.has(error, argumentBrand);
}

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
