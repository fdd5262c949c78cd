import { tooLargeCause } from '../../core/util/remote.ts';
import { isArchived } from '../stores/storeListing.ts';
import type { TransferRecordFile } from './journalRecord.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { StoreError } from '../stores/storeError.ts';
import type { FileAttempts } from './fileAttempts.ts';
import type { FileFailure } from './fileJobs.ts';
import { TransferFailure, TransferSuspension } from './transferErrors.ts';

/**
 * Returns true if a file could not be read, probably because it is archived. rclone doesn't say why it can't open an
 * object.
 */
export function isRefusedAsArchived({ operation, store }: FileFailure, { resource }: TransferRecordFile): boolean {
  return operation === 'read' && (store === 'failed' || store === 'refused') && isArchived(resource['storageClass']);
}

/** Creates the error that ends a transfer to a store that can neither rename nor copy objects. */
export function createRenameFailure(): TransferFailure {
  const reason = 'unfinished files would be visible under their final names';
  return new TransferFailure(`the destination can neither rename nor copy objects: ${reason}`);
}

/**
 * Counts a failed attempt for a file that was lost from the destination. Creates the error that suspends the transfer,
 * or ends it after too many attempts.
 */
export function createLossError(path: string, attempts: FileAttempts): Error {
  const text = `could not write ${path}: it is missing from the destination, or has a different size there`;
  const mayRepeat = attempts.countFailure(path);
  return mayRepeat ? new TransferSuspension(`waiting to try again: ${text}`) : new TransferFailure(text);
}

/** Creates the error that suspends a transfer because its source or destination can't be used. */
export function createSuspension(operation: FileFailure['operation'], reason: string): TransferSuspension {
  const side = operation === 'read' ? 'source' : 'destination';
  return new TransferSuspension(`waiting: the ${side} can't be used: ${reason}`);
}

/**
 * Converts an error from rclone or a store to a suspension, or to a failure if the manifest is too large for the store.
 * Not meant for errors that concern a single file. Returns other errors unchanged.
 */
export function toRouteError(error: unknown): unknown {
  if (error instanceof StoreError && error.message === tooLargeCause)
    return new TransferFailure(`could not write the manifest: ${tooLargeCause}`);
  if (error instanceof StoreError && error.kind === 'full')
    return new TransferSuspension('waiting: the destination is full');
  const isUnavailable = error instanceof StoreError || error instanceof DatabaseUnavailableError;
  return isUnavailable ? new TransferSuspension(`waiting: the store can't be used: ${error.message}`) : error;
}
