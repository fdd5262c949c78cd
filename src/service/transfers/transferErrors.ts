import * as nodePath from 'node:path';
import { getErrorCode, isFileLimitError } from '../../core/util/errorFacts.ts';
import { tooLargeCause, tooManyFiles } from '../../core/util/remote.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { inspectFolder } from '../folderCalls.ts';
import { missingCause, StoreError } from '../stores/storeError.ts';
import { isArchived } from '../stores/storeListing.ts';
import type { FileFailure } from './fileJobs.ts';
import type { TransferRecordFile } from './journal.ts';
import { isFileName } from './fileNames.ts';

/**
 * Thrown to end a transfer as failed. The message is a clause that gives the reason and names the file, if any (D23:
 * transfer states).
 */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
}

/**
 * Thrown to suspend a transfer until it can continue automatically, for example while a folder or store is unavailable
 * or full (D23: transfer states).
 */
export class TransferSuspension extends Error {
  override readonly name = 'TransferSuspension';
  /** Number of free bytes that the transfer needs at the destination to continue. */
  readonly neededBytes: number;
  /** Milliseconds until the next check; undefined for the default, which grows (LiveTransfer.getRetryMs). */
  readonly retryMs: number | undefined;

  constructor(message: string, neededBytes = 0, retryMs?: number) {
    super(message);
    this.neededBytes = neededBytes;
    this.retryMs = retryMs;
  }
}

/** Creates the suspension of a transfer to a full destination, which needs `bytes` more for the next file. */
export function createFullSuspension(bytes?: number): TransferSuspension {
  return new TransferSuspension('waiting: the destination is full', bytes);
}

interface FileOperation {
  readonly operation: 'read' | 'write';
  readonly path: string;
  /** The folder of the file's database. */
  readonly root: string;
  readonly bytes: number;
}

const disconnectedDisk = 'its disk is not connected';
const silentServer = 'its server does not respond';

/** Reasons for errors that a missing folder, or a disk or server that is no longer connected, may have caused. */
const disconnections: Readonly<Record<string, string>> = {
  ECONNABORTED: silentServer,
  ECONNRESET: silentServer,
  EHOSTDOWN: silentServer,
  EHOSTUNREACH: silentServer,
  ENODEV: disconnectedDisk,
  ENOENT: missingCause,
  ENOMEDIUM: disconnectedDisk,
  ENOTCONN: disconnectedDisk,
  ESHUTDOWN: silentServer,
  ESTALE: 'its server no longer recognizes it',
  ETIMEDOUT: silentServer,
};

const reasons: Readonly<Record<string, string>> = {
  ...disconnections,
  EACCES: 'permission denied',
  EFBIG: 'it is larger than the disk allows',
  EIO: 'the disk reported an error',
  EISDIR: 'a folder has the same name',
  EMFILE: tooManyFiles,
  ENAMETOOLONG: 'its name is too long',
  ENFILE: tooManyFiles,
  ENOTDIR: 'part of its path is a file, not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  UNKNOWN: 'the system reported an unknown error',
};

/** Converts a file's failure to a failure or suspension of the transfer. */
export async function convertFileFailure(
  failure: FileFailure,
  file: Omit<FileOperation, 'operation'>,
  attempts: FileAttempts,
): Promise<unknown> {
  const { operation, code, text } = failure;
  if (code === undefined || operation === 'copy')
    return new TransferFailure(`could not ${operation} ${file.path}: ${text ?? code}`);
  return await toTransferError(Object.assign(new Error(code), { code }), { ...file, operation }, attempts);
}

/**
 * Converts a file system error to a failure or suspension of the transfer, which may depend on the earlier `attempts`.
 * Returns other errors unchanged.
 */
export async function toTransferError(error: unknown, file: FileOperation, attempts: FileAttempts): Promise<unknown> {
  const code = getSystemCode(error);
  if (code === undefined) return error;
  const { operation, path, root, bytes } = file;
  if (operation === 'write' && (code === 'ENOSPC' || code === 'EDQUOT')) return createFullSuspension(bytes);
  if (!(await isFolder(root))) {
    const side = operation === 'read' ? 'source' : 'destination';
    return new TransferSuspension(`waiting: the ${side} folder is unavailable`);
  }
  const wasMissing = code in disconnections && !(await isRemoved(code, file));
  const text = `could not ${operation} ${path}: ${explain(code, file, wasMissing)}`;
  const mayPass = isFileLimitError(error) || (wasMissing && attempts.countFailure(path));
  return mayPass
    ? new TransferSuspension(`waiting to try again: ${text}`)
    : new TransferFailure(text, { cause: error });
}

/** Returns true if a file couldn't be found in the source, and still can't, although its database's folder exists. */
async function isRemoved(code: string, { operation, path, root }: FileOperation): Promise<boolean> {
  if (operation === 'write' || code !== 'ENOENT') return false;
  const isFound = (await inspectFolder(nodePath.join(root, path))).realPath !== undefined;
  return !isFound && (await isFolder(root));
}

/** Returns the reason as a clause. `wasMissing` is false if a file was removed from the source. */
function explain(code: string, { operation, path }: FileOperation, wasMissing: boolean): string {
  if (operation === 'write' && mayRefuseName(code, path)) return 'the disk may not allow its name';
  if (wasMissing && code === 'ENOENT') return operation === 'read' ? 'it was missing' : 'part of its path was missing';
  return reasons[code] ?? code;
}

/** Returns true if the error may mean that a disk with the naming rules of Windows, such as exFAT, refuses a name. */
function mayRefuseName(code: string, path: string): boolean {
  return ['ENOENT', 'EINVAL'].includes(code) && !path.split('/').every((name) => isFileName(name, 'win32'));
}

/** Returns true if a path is a folder, or a link to a folder, on a disk that responds (D42: hanging disks). */
export async function isFolder(path: string): Promise<boolean> {
  return (await inspectFolder(path)).isFolder;
}

/**
 * Returns false if either folder doesn't exist or the destination is known to have too little free space. Pass
 * undefined for a side that is a store.
 */
export async function hasRoom(
  source: string | undefined,
  destination: string | undefined,
  neededBytes: number,
): Promise<boolean> {
  const folders = [source, destination].flatMap((folder) => folder ?? []);
  if ((await Promise.all(folders.map(isFolder))).includes(false)) return false;
  if (destination === undefined) return true;
  const { freeBytes = neededBytes } = await inspectFolder(destination);
  return freeBytes >= neededBytes;
}

/** Returns the code of a file system error. Node.js has its own code for a folder in the place of a file. */
function getSystemCode(error: unknown): string | undefined {
  const code = getErrorCode(error).replace('ERR_FS_', '');
  return /^(?:E[A-Z0-9]+|UNKNOWN)$/.exec(code)?.[0];
}

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
  if (error instanceof StoreError && error.kind === 'full') return createFullSuspension();
  const isUnavailable = error instanceof StoreError || error instanceof DatabaseUnavailableError;
  return isUnavailable ? new TransferSuspension(`waiting: the store can't be used: ${error.message}`) : error;
}

/**
 * Maximum number of attempts per file if a store fails without a known cause, cuts off content or corrupts it, if a
 * folder or disk was missing and is back, or if the file was lost from the destination.
 */
const maxAttempts = 5;

/** Counts the failed attempts for each file of a transfer. */
export class FileAttempts {
  private readonly counts = new Map<string, number>();

  /** Counts a failed attempt for the file at `path`. Returns true if it may be tried again. */
  countFailure(path: string): boolean {
    const count = (this.counts.get(path) ?? 0) + 1;
    this.counts.set(path, count);
    return count < maxAttempts;
  }
}
