import * as fs from 'node:fs';
import type { DeclaredHash } from '../../core/util/declaredHash.ts';
import type { StoreErrorKind } from '../stores/storeError.ts';
import type { SharedCopyMemory } from './sharedCopy.ts';

/** A cached hash, with the file's size and modification time when the hash was computed. */
export interface CachedHash {
  readonly bytes: number;
  /** In milliseconds since 1970, with fractions. */
  readonly modifiedMs: number;
  readonly sha256: string;
}

/** A file whose source must be checked before it is moved. */
export interface FileToStage {
  readonly position: number;
  readonly path: string;
  readonly declared?: DeclaredHash | undefined;
  readonly cachedHash?: CachedHash | undefined;
}

/** A job that checks source files. */
export interface StageJob {
  readonly folder: string;
  readonly files: readonly FileToStage[];
  readonly signal: JobSignal;
}

/** A file to move to the transfer's folder. */
export interface FileToMove {
  readonly position: number;
  /** Path relative to both the source's folder and the transfer's folder. */
  readonly path: string;
  readonly bytes: number;
  /** In hex; empty for a file in a store, which is hashed while it is transferred. */
  readonly sha256: string;
  /** The hash that the source's metadata declares for the file. */
  readonly declared?: DeclaredHash | undefined;
}

/** Files to copy, verify and rename to their final names (D24: destination layout). */
export interface MoveJob {
  readonly transferId: string;
  readonly sourceFolder: string;
  readonly destinationFolder: string;
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace?: string | undefined;
  readonly files: readonly FileToMove[];
  readonly bytesPerSecond?: number | undefined;
  /** True if each file is flushed to disk individually. */
  readonly isFlushed: boolean;
  /** Memory shared with the {@link ReadBackJob}; present only in a job with a single file. */
  readonly sharedCopy?: SharedCopyMemory | undefined;
  readonly signal: JobSignal;
}

/** A copy to read back while another job writes it. */
export interface ReadBackJob {
  readonly sharedCopy: SharedCopyMemory;
  readonly bytes: number;
  readonly signal: JobSignal;
}

/** A job that concerns files at the destination. */
export type TransferredFilesJob = Pick<MoveJob, 'transferId' | 'destinationFolder' | 'files' | 'signal'>;

/**
 * Memory shared with the worker thread. Element 0 is 1 when the job must stop; element 1 counts completed files. Two
 * counters of bytes follow, see {@link getByteCounters}.
 */
export type JobSignal = Int32Array<SharedArrayBuffer>;

/** A file that a job has completed. */
export interface DoneFile {
  readonly position: number;
  readonly bytes: number;
  /** In hex; absent if only the store has read the content (D66: copies within a store). */
  readonly sha256?: string;
  /** The hash, such as `md5:…`, that the store reports for the object and its copy; replaces the SHA-256. */
  readonly storeHash?: string;
  /** The modification time of a staged file, in milliseconds since 1970. */
  readonly modifiedMs?: number;
  /**
   * Method that verified a file transferred to or from a store: a hash algorithm, `<hash> within the store`, or
   * `reading back`.
   */
  readonly verifiedBy?: string;
}

/** A file that a job couldn't complete. */
export interface FileFailure {
  readonly position: number;
  /**
   * The operation that failed: `read` at the source, `write` at the destination, or `copy` if the content doesn't
   * match.
   */
  readonly operation: 'read' | 'write' | 'copy';
  /** The file system's error code, such as `ENOSPC`. */
  readonly code?: string;
  /** The kind of error, if it came from a store. */
  readonly store?: StoreErrorKind;
  /** The reason as a clause, such as `it changed while it was being read`; present for errors without a code. */
  readonly text?: string;
}

/** The result of a job: the completed files, and the failure if a file failed. */
export interface JobResult {
  readonly done: readonly DoneFile[];
  readonly failure?: FileFailure;
  readonly isStopped?: boolean;
  /**
   * True if some files that were sent to a store, or copied within it, as a batch had to be sent again, so that the
   * store may still create unfinished objects.
   */
  readonly isBatchIncomplete?: boolean;
  /** Positions of transferred files that are missing or have the wrong size; present only for a `findLost` job. */
  readonly lost?: readonly number[];
}

/** Creates the memory that a job shares with its thread. */
export function createJobSignal(): JobSignal {
  return new Int32Array(new SharedArrayBuffer(24));
}

/** Returns the counters of copied and of read bytes. */
export function getByteCounters(signal: JobSignal): BigInt64Array<SharedArrayBuffer> {
  return new BigInt64Array(signal.buffer, 8, 2);
}

/** Requests that the job stop; wakes its thread if it is waiting. */
export function requestStop(signal: JobSignal): void {
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

/** Counts a file as completed. */
export function countDone(signal: JobSignal): void {
  Atomics.add(signal, 1, 1);
}

/** Returns the number of completed files. */
export function getDoneCount(signal: JobSignal): number {
  return Atomics.load(signal, 1);
}

/** Thrown to end a job after a stop request. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/**
 * Thrown for a problem that is not a file system error. The message is a clause such as `it points outside the folder`.
 */
export class BadFile extends Error {
  override readonly name = 'BadFile';
}

/** Creates the error for a file that was replaced or written to while it was being read. */
export function createChangedFileError(): BadFile {
  return new BadFile('it changed while it was being read');
}

/** An error with the operation that failed. */
export class OperationError extends Error {
  readonly operation: FileFailure['operation'];

  constructor(operation: FileFailure['operation'], cause: unknown) {
    super(`The ${operation} operation failed.`, { cause });
    this.operation = operation;
  }
}

/**
 * Runs `work` and wraps its errors in an {@link OperationError} with the given operation. Rethrows a {@link JobStopped}
 * or {@link OperationError} unchanged.
 */
export function runOperation<T>(operation: FileFailure['operation'], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof OperationError || error instanceof JobStopped ? error : new OperationError(operation, error);
  }
}

/** Processes files one by one until the first failure or a stop request. */
export function processFiles<T extends { readonly position: number }>(
  files: readonly T[],
  signal: JobSignal,
  work: (file: T) => DoneFile,
): JobResult {
  const done: DoneFile[] = [];
  for (const file of files) {
    if (isStopRequested(signal)) return { done, isStopped: true };
    try {
      done.push(work(file));
      countDone(signal);
    } catch (error) {
      if (error instanceof JobStopped) return { done, isStopped: true };
      return { done, failure: toFileFailure(file.position, error) };
    }
  }
  return { done };
}

/** Converts an error to the failure of a file. */
export function toFileFailure(position: number, error: unknown): FileFailure {
  const { operation, cause } = error instanceof OperationError ? error : { operation: 'write' as const, cause: error };
  if (cause instanceof BadFile) return { position, operation, text: cause.message };
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return { position, operation, code };
  return { position, operation, text: String(cause) };
}

/** Returns true if the job must stop. */
export function isStopRequested(signal: JobSignal): boolean {
  return Atomics.load(signal, 0) === 1;
}

/** Throws {@link JobStopped} if the job must stop. */
export function throwIfStopped(signal: JobSignal): void {
  if (isStopRequested(signal)) throw new JobStopped('stopped');
}

const bufferBytes = 1024 * 1024;
const buffer = Buffer.allocUnsafeSlow(bufferBytes);

/**
 * Passes the bytes of a file, starting at an offset, to `take` in a reused buffer. Stops once it has read more than the
 * expected size, because a file may keep growing.
 */
export function readPieces(
  file: number,
  range: { readonly from: number; readonly expectedBytes: number },
  signal: JobSignal,
  take: (piece: Buffer) => void,
): void {
  for (let offset = range.from; offset <= range.expectedBytes;) {
    throwIfStopped(signal);
    const count = fs.readSync(file, buffer, 0, bufferBytes, offset);
    if (count === 0) return;
    offset += count;
    take(buffer.subarray(0, count));
    // A short piece that ends at the expected size is the last one.
    if (count < bufferBytes && offset === range.expectedBytes) return;
  }
}

/**
 * Reads the bytes from `from` up to `to`, and passes them piece by piece to `take` in a reused buffer. Returns the
 * offset at which reading stopped, which is less than `to` if the file ends earlier.
 */
export function readRange(
  file: number,
  range: { readonly from: number; readonly to: number },
  signal: JobSignal,
  take: (piece: Buffer) => void,
): number {
  let offset = range.from;
  for (let count = 1; count > 0 && offset < range.to; offset += count) {
    throwIfStopped(signal);
    count = fs.readSync(file, buffer, 0, Math.min(bufferBytes, range.to - offset), offset);
    take(buffer.subarray(0, count));
  }
  return offset;
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/**
 * Runs `work` with a regular file that is open for reading. Never waits for a pipe (D42: hanging disks) and, except on
 * Windows, never follows a link. Throws {@link BadFile} if `path` isn't a regular file.
 */
export function withRegularFile<T>(path: string, work: (file: number) => T): T {
  return withOpenFile(openRegularFile(path), work);
}

/** Opens a regular file for reading, with the checks of {@link withRegularFile}. The caller must close it. */
export function openRegularFile(path: string): number {
  return openChecked(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, requireRegularFile);
}

/** Opens a file, and closes it if `check` throws. Otherwise, the caller must close it. */
export function openChecked(path: string, flags: number, check: (file: number) => void): number {
  const file = fs.openSync(path, flags);
  try {
    check(file);
    return file;
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

/** Throws {@link BadFile} if an open file is a folder, a device or a pipe. */
export function requireRegularFile(file: number): void {
  if (!fs.fstatSync(file).isFile()) throw new BadFile('it is not a regular file');
}

/** Returns true if both stats describe the same folder. A link doesn't count, because it has its own inode. */
export function isSameFolder(one: fs.BigIntStats, other: fs.BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/** Calls `work` with an open file, and closes the file afterwards. */
export function withOpenFile<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    fs.closeSync(file);
  }
}
