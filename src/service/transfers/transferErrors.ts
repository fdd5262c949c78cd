import * as nodePath from 'node:path';
import { tooLargeCause, tooManyFiles } from '../../core/util/remote.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { inspectFolder } from '../folderCalls.ts';
import { missingCause, StoreError } from '../stores/storeError.ts';
import { irregularCause, type FileFailure } from './fileJobs.ts';
import { isFileName } from './destinationFiles.ts';

/** An operation on a file of a transfer that failed, and the reason. */
export interface FileProblem {
  readonly operation: FileFailure['operation'] | 'restore';
  /** Path relative to the source's folder and the transfer's folder. */
  readonly path: string;
  /** The reason as a clause, such as `permission denied`. */
  readonly text: string;
}

/** Ends a transfer as failed. The message is a clause with the reason, and the file (D23: transfer states). */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
  readonly #problem: FileProblem | undefined;

  constructor(cause: string | FileProblem) {
    super(typeof cause === 'string' ? cause : describeProblem(cause));
    this.#problem = typeof cause === 'string' ? undefined : cause;
  }

  /** The problem, if it is that of a file. */
  get problem(): FileProblem | undefined {
    return this.#problem;
  }
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
  /** True once rclone has closed its connections, so that objects that it removed take no space. */
  hasClosedStores = false;
  readonly #problem: FileProblem | undefined;

  constructor(cause: string | FileProblem, neededBytes = 0, retryMs?: number) {
    super(typeof cause === 'string' ? cause : `waiting to try again: ${describeProblem(cause)}`);
    this.#problem = typeof cause === 'string' ? undefined : cause;
    this.neededBytes = neededBytes;
    this.retryMs = retryMs;
  }

  /** Resolves to false if what the transfer waits for is known to be still missing. Never rejects. */
  async canContinue(): Promise<boolean> {
    return await Promise.resolve(true);
  }

  /** The problem of a file that is tried again; undefined if the transfer waits for something else. */
  get problem(): FileProblem | undefined {
    return this.#problem;
  }
}

function describeProblem({ operation, path, text }: FileProblem): string {
  return `could not ${operation} ${path}: ${text}`;
}

/** Creates the suspension of a transfer to a full destination, which needs `bytes` more for the next file. */
export function createFullSuspension(bytes?: number): TransferSuspension {
  return new TransferSuspension('waiting: the destination is full', bytes);
}

/** A file that failed, and the folder of its database at the side that failed. */
interface FailedFile {
  readonly path: string;
  readonly bytes: number;
  readonly root: string;
}

const disconnectedDisk = 'its disk is not connected';
/** The reason why a folder can't be used at present. */
export const silentDiskCause = "its disk doesn't respond";
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

const fileLimitCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

const reasons: Readonly<Record<string, string>> = {
  ...disconnections,
  EACCES: 'permission denied',
  EFBIG: 'it is larger than the disk allows',
  EIO: 'the disk reported an error',
  EISDIR: 'a folder has the same name',
  EMFILE: tooManyFiles,
  ENAMETOOLONG: 'its name is too long',
  ENFILE: tooManyFiles,
  ENXIO: irregularCause,
  ENOTDIR: 'part of its path is a file, not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  UNKNOWN: 'the system reported an unknown error',
};

/**
 * Converts a failure in a folder to a failure or suspension of the transfer, which may depend on the earlier
 * `attempts`. Returns another error for a code that isn't the system's, because only a bug causes one.
 */
export async function toTransferError(
  { operation, code, text }: Omit<FileFailure, 'position'>,
  file: FailedFile,
  attempts: FileAttempts,
): Promise<Error> {
  const { path, root, bytes } = file;
  if (code === undefined || operation === 'copy')
    return new TransferFailure({ operation, path, text: text ?? code ?? '' });
  const systemCode = findSystemCode(code);
  if (systemCode === undefined) return new Error(`could not ${operation} ${path}: ${code}`);
  if (operation === 'write' && (systemCode === 'ENOSPC' || systemCode === 'EDQUOT')) return createFullSuspension(bytes);
  if (!(await isFolder(root))) {
    const side = operation === 'read' ? 'source' : 'destination';
    return new TransferSuspension(`waiting: the ${side} folder is unavailable`);
  }
  const wasMissing = systemCode in disconnections && !(await isRemoved(operation, systemCode, file));
  const problem = { operation, path, text: explain(operation, systemCode, path, wasMissing) };
  const mayPass = fileLimitCodes.has(systemCode) || (wasMissing && attempts.countFailure(path));
  return mayPass ? new TransferSuspension(problem) : new TransferFailure(problem);
}

/** Returns the system's code in that of an error. Node.js has its own code for a folder in the place of a file. */
export function findSystemCode(code: string): string | undefined {
  return /^(?:E[A-Z0-9]+|UNKNOWN)$/.exec(code.replace('ERR_FS_', ''))?.[0];
}

/** Describes an error of the system as a clause, given its code. */
export function describeSystemCode(code: string): string {
  return reasons[code] ?? code;
}

/** Returns true if a file couldn't be found in the source, and still can't, although its database's folder exists. */
async function isRemoved(operation: 'read' | 'write', code: string, { path, root }: FailedFile): Promise<boolean> {
  if (operation === 'write' || code !== 'ENOENT') return false;
  const isFound = (await inspectFolder(nodePath.join(root, path))).realPath !== undefined;
  return !isFound && (await isFolder(root));
}

/** Returns the reason as a clause. `wasMissing` is false if a file was removed from the source. */
function explain(operation: 'read' | 'write', code: string, path: string, wasMissing: boolean): string {
  if (operation === 'write' && mayRefuseName(code, path)) return 'the disk may not allow its name';
  if (wasMissing && code === 'ENOENT') return operation === 'read' ? 'it was missing' : 'part of its path was missing';
  return describeSystemCode(code);
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
  const text = 'it is missing from the destination, or has a different size there';
  const problem = { operation: 'write', path, text } as const;
  return attempts.countFailure(path) ? new TransferSuspension(problem) : new TransferFailure(problem);
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
