import { getErrorCode, isFileLimitError } from '../../core/util/errorFacts.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import {
  archivedCause,
  deniedCause,
  differingCause,
  findStoreCause,
  fullCause,
  nameCause,
  tooLargeCause,
  tooManyFiles,
  unsignedCause,
} from '../../core/util/remote.ts';

/** The kind of failure. For a single object, `missing` and `refused` are final; the other kinds can be temporary. */
export type StoreErrorKind = 'missing' | 'full' | 'unreachable' | 'refused' | 'broken' | 'failed';

/** Thrown if an operation on a store fails. The message is a clause that doesn't contain the store's response. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The reason for a failure with a file or folder that was deleted or moved. */
export const missingCause = 'it no longer exists';

/** The reason for a failure with a file whose folder doesn't exist. */
export const missingParentCause = "its folder doesn't exist";

const refusedCauses = new Set([deniedCause, archivedCause, tooLargeCause, unsignedCause, nameCause]);

/**
 * Creates the error for an error response from rclone, given its body. Its status code is no cause: rclone also answers
 * 404 for an object that it can't open.
 */
export function toStoreError(body: string): StoreError {
  const { error } = parseJsonObject(body) ?? {};
  const said = typeof error === 'string' ? error : '';
  const known = findStoreError(said);
  if (known?.kind === 'full') return known;
  if (/object not found/i.test(said)) return new StoreError('missing', missingCause);
  if (/directory not found/i.test(said)) return new StoreError('missing', missingParentCause);
  return known ?? createUnknownError();
}

/** Returns an error for the failure that rclone's error output describes; undefined if the cause is unknown. */
export function findStoreError(output: string): StoreError | undefined {
  const cause = findStoreCause(output);
  if (cause === undefined) return undefined;
  if (cause === fullCause) return new StoreError('full', cause);
  if (cause === differingCause) return new StoreError('failed', cause);
  return new StoreError(refusedCauses.has(cause) ? 'refused' : 'unreachable', cause);
}

/** Creates an error for a failure without a known cause. */
export function createUnknownError(): StoreError {
  return new StoreError('failed', 'the store reported an error');
}

/** Creates the error for content that ends too early. */
export function createCutOffError(): StoreError {
  return new StoreError('broken', 'its content was cut off');
}

/** Creates the error for calls that an exit of rclone interrupts. */
export function createEndError(): StoreError {
  return new StoreError('unreachable', 'rclone exited');
}

/** Creates the error for a connection that failed because rclone exited or too many files are open. */
export function toConnectionStoreError(error: unknown): StoreError {
  return isFileLimitError(error) ? new StoreError('unreachable', tooManyFiles) : createEndError();
}

const connectionCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);

/** Returns true if an error means that the connection failed or that too many files are open. */
export function isConnectionError(error: unknown): boolean {
  return connectionCodes.has(getErrorCode(error)) || isFileLimitError(error);
}
