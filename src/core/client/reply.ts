import type { StoreListing } from '../model/databaseModel.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';

/** The value of an operation and, if it failed, the reason (D2: replies instead of exceptions). */
export interface Reply<T> {
  readonly value: T;
  readonly reason?: Reason;
}

/** A page of search results. */
export interface SearchReply extends Reply<readonly FoundFile[]> {
  /** The position after the last file, if the service can continue from it (D9: paging). */
  readonly cursor?: string;
  /** The names that the local service's listing leaves out of a search for all files; only in its first page. */
  readonly leftOut?: LeftOutCounts;
  /** The state of the local service's listing of a store (D62: stores through rclone). */
  readonly listing?: StoreListing;
}

/** Describes an ID whose metadata the server refused to return, with the reason (D8: metadata by ids). */
export interface RefusedId {
  readonly id: string;
  readonly reason: Reason;
}

/** The result of a metadata request. Has no `reason` if only some IDs were refused (D8: metadata by ids). */
export interface MetadataReply extends Reply<readonly FoundFile[]> {
  readonly refusedIds?: readonly RefusedId[];
  /** The state of the local service's listing of a store (D62: stores through rclone). */
  readonly listing?: StoreListing;
}

/** Describes a request that failed or received no usable response. */
export interface RequestFailure {
  readonly value?: never;
  readonly reason: Reason;
  /** True for a refusal with a JSON error document; false for a missing route (D8: metadata by ids). */
  readonly isProblem: boolean;
  /** The state of a store's listing, if the error document has it. Any server may claim one. */
  readonly listing?: StoreListing;
}

/** The result of a single request. The client's operations convert it to a `Reply`. */
export type Result<T> = { readonly value: T; readonly reason?: never } | RequestFailure;

const argumentBrand = Symbol('argument error');

/**
 * Marks an error as one of the caller's arguments, and returns it. The built-in TypeError, which the contract names,
 * can also be an error of this program (D1: error classes).
 */
export function markArgumentError<E extends Error>(error: E): E {
  return Object.defineProperty(error, argumentBrand, { value: true });
}

/** Returns true for an error that an argument check threw, before anything was sent. */
export function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && Reflect.has(error, argumentBrand);
}

/** Thrown for an argument of the right type but an invalid value (§4.8, D1: error classes). */
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
