import { setImmediate } from 'node:timers/promises';
import type { DeclaredHash } from '../../core/util/declaredHash.ts';
import type { DatabaseLocation } from '../catalog/servedDatabases.ts';
import type { RcloneAddress } from '../stores/storeClient.ts';
import { StoreError, type StoreErrorKind } from '../stores/storeError.ts';
import type { CopyVerification, KeptTimes } from '../stores/storeFeatures.ts';

/** The reason why a folder, a device, a pipe or a socket isn't read. */
export const irregularCause = 'it is not a regular file';

/** A cached hash, with the file's size and modification time when the hash was computed. */
interface CachedHash {
  readonly bytes: number;
  /** In milliseconds since 1970, with fractions. */
  readonly modifiedMs: number;
  readonly sha256: string;
}

/** A file whose source must be checked before it is moved. */
export interface FileToStage {
  readonly position: number;
  readonly path: string;
  /** The size when the file was found; only divides the work. */
  readonly bytes?: number | undefined;
  readonly declared?: DeclaredHash | undefined;
  readonly cachedHash?: CachedHash | undefined;
}

/** A job that checks source files. */
export interface StageWork {
  readonly folder: string;
  readonly files: readonly FileToStage[];
}

/** {@link StageWork} for a thread. */
export interface StageJob extends StageWork {
  readonly signal: JobSignal;
}

/** A file to move to the transfer's folder. */
export interface FileToMove {
  readonly position: number;
  /** Path relative to both the source's folder and the transfer's folder. */
  readonly path: string;
  readonly bytes: number;
  /** In hex; empty for a file that is hashed while it is transferred: one in a store, or one that wasn't staged. */
  readonly sha256: string;
  /** Modification time of a staged file in milliseconds since 1970, with fractions; a store has its own. */
  readonly modifiedMs?: number | undefined;
  /** Modification time when the file was listed, in milliseconds since 1970; absent if it is unknown. */
  readonly listedMs?: number | undefined;
  /** The hash that the source's metadata declares for the file. */
  readonly declared?: DeclaredHash | undefined;
  /** True if the destination is a store that has an object with this name from an earlier attempt. */
  readonly isPresent?: boolean | undefined;
}

/** One side of a move. */
export interface MoveSide {
  readonly location: DatabaseLocation;
  /** A store's preferred hash algorithm; undefined for a folder, or a store without hashes. */
  readonly hash?: string | undefined;
  /** The modification times that a store keeps; absent for a folder. */
  readonly keptTimes?: KeptTimes | undefined;
  /** True for a web server, which may answer with a page for a file that it no longer has. */
  readonly isWebServer?: boolean | undefined;
}

/** Files to copy, verify and give their final names (D24: destination layout). */
export interface MoveWork {
  readonly transferId: string;
  /** The chosen name of the transfer's folder, if any. */
  readonly folderName?: string | undefined;
  readonly source: MoveSide;
  readonly destination: MoveSide;
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace?: string | undefined;
  readonly files: readonly FileToMove[];
  readonly bytesPerSecond?: number | undefined;
  /** True if each file is flushed to disk individually. */
  readonly isFlushed: boolean;
  /** Memory shared with the {@link ReadBackJob}; present only in a job with a single file between folders. */
  readonly sharedCopy?: SharedCopyMemory | undefined;
  /** Access to a store on either side (D62: stores through rclone). */
  readonly rclone?: RcloneAddress | undefined;
  /** Identifies the run of the transfer. Names the folder in a store that contains its batches' unfinished objects. */
  readonly attempt?: string | undefined;
  /** Present if both sides share a remote and its store supports server-side copies (D66: copies within a store). */
  readonly copyVerification?: CopyVerification | undefined;
}

/** {@link MoveWork} for a thread. */
export interface MoveJob extends MoveWork {
  readonly signal: JobSignal;
}

/** A copy to read back while another job writes it. */
export interface ReadBackJob {
  readonly sharedCopy: SharedCopyMemory;
  readonly bytes: number;
  readonly signal: JobSignal;
}

/** A job that concerns files at a folder as the destination. */
export interface TransferredFilesJob {
  readonly transferId: string;
  readonly folderName?: string | undefined;
  readonly destinationFolder: string;
  readonly files: readonly FileToMove[];
  readonly signal: JobSignal;
}

/**
 * Memory shared with the worker thread. Element 0 is 1 when the job must stop; element 1 counts completed files. Two
 * counters of bytes follow, see {@link getByteCounters}, and then a mark for each file, see {@link markFile}.
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
  /** The modification time of the content, in milliseconds since 1970; absent if it is unknown. */
  readonly modifiedMs?: number | undefined;
  /** Method that verified a store's file: a hash algorithm, `<hash> within the store` or `reading back`. */
  readonly verifiedBy?: string;
}

/**
 * A file that a job couldn't complete: the one form of such failures between what the system, a store or a check throws
 * ({@link OperationError} adds the operation) and what becomes of the transfer (`toTransferError`).
 */
export interface FileFailure {
  readonly position: number;
  /** The failed operation: `read` at the source, `write` at the destination, `copy` if the content doesn't match. */
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

const signalBytes = 24;

/** Creates the memory that a job shares with its thread, with marks for a number of files. */
export function createJobSignal(markCount = 0): JobSignal {
  return new Int32Array(new SharedArrayBuffer(signalBytes + markCount), 0, signalBytes / Int32Array.BYTES_PER_ELEMENT);
}

const fileMarks = [undefined, 'transferring', 'transferred'] as const;

/** The state of a file in a job that moves it; undefined before the job begins it. */
export type FileMark = (typeof fileMarks)[number];

/** Shows the state of the file at an index in the list of the job. Does nothing if the memory has no marks. */
export function markFile(signal: JobSignal, index: number, mark: FileMark): void {
  const marks = new Uint8Array(signal.buffer, signalBytes);
  if (index < marks.length) Atomics.store(marks, index, fileMarks.indexOf(mark));
}

/** Returns the mark of the file at an index in the list of the job. */
export function getFileMark(signal: JobSignal, index: number): FileMark {
  return fileMarks[new Uint8Array(signal.buffer, signalBytes)[index] ?? 0];
}

function getByteCounters(signal: JobSignal): BigInt64Array<SharedArrayBuffer> {
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

/** Sets the counts of a job that another machine does. */
export function setCounts(signal: JobSignal, { done, copied, read }: ByteCounts & { readonly done: number }): void {
  Atomics.store(signal, 1, done);
  const counters = getByteCounters(signal);
  Atomics.store(counters, 0, BigInt(copied));
  Atomics.store(counters, 1, BigInt(read));
}

/** Thrown to end a job after a stop request. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/** A problem other than a file system's. The message is a clause such as `it points outside the folder`. */
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

/** Runs `work`, and adds the operation to its errors with {@link toOperationError}. */
export function runOperation<T>(operation: FileFailure['operation'], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toOperationError(operation, error);
  }
}

/** Adds the operation to an error. Returns a {@link JobStopped} or an {@link OperationError} unchanged. */
export function toOperationError(operation: FileFailure['operation'], error: unknown): Error {
  if (error instanceof OperationError || error instanceof JobStopped) return error;
  return new OperationError(operation, error);
}

const turnMs = 20;

/** Lets timers and signals run, every 20 milliseconds or after a longer file, during a job. */
export class EventTurns {
  private dueMs = performance.now() + turnMs;

  /** Waits for a turn of the event loop if it is due. */
  async take(): Promise<void> {
    if (performance.now() < this.dueMs) return;
    await setImmediate();
    this.dueMs = performance.now() + turnMs;
  }
}

/** Runs an operation for files one by one until the first failure or a stop request. */
export async function processFiles<T extends { readonly position: number }>(
  operation: FileFailure['operation'],
  files: readonly T[],
  signal: JobSignal,
  work: (file: T) => DoneFile,
): Promise<JobResult> {
  const done: DoneFile[] = [];
  const turns = new EventTurns();
  for (const file of files) {
    await turns.take();
    if (isStopRequested(signal)) return { done, isStopped: true };
    try {
      done.push(work(file));
      countDone(signal);
    } catch (error) {
      if (error instanceof JobStopped) return { done, isStopped: true };
      return { done, failure: toFileFailure(file.position, toOperationError(operation, error)) };
    }
  }
  return { done };
}

/** Converts an error to the failure of a file. An error without an operation is one of writing. */
export function toFileFailure(position: number, error: unknown): FileFailure {
  const { operation, cause } = error instanceof OperationError ? error : { operation: 'write' as const, cause: error };
  if (cause instanceof StoreError) return { position, operation, store: cause.kind, text: cause.message };
  if (cause instanceof BadFile) return { position, operation, text: cause.message };
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? { position, operation, code } : { position, operation, text: String(cause) };
}

/** Returns true if the job must stop. */
export function isStopRequested(signal: JobSignal): boolean {
  return Atomics.load(signal, 0) === 1;
}

/** Throws {@link JobStopped} if the job must stop. */
export function throwIfStopped(signal: JobSignal): void {
  if (isStopRequested(signal)) throw new JobStopped('stopped');
}

/** The bytes of a job's files so far: those copied, and those read to hash a file or to verify a copy. */
interface ByteCounts {
  readonly copied: number;
  readonly read: number;
}

/** Returns the counts of a job. */
export function getByteCounts(signal: JobSignal): ByteCounts {
  const counters = getByteCounters(signal);
  return { copied: Number(Atomics.load(counters, 0)), read: Number(Atomics.load(counters, 1)) };
}

/** Counts one file's bytes in its job's memory, each once, even if they are copied or read again. */
export class FileBytes {
  private readonly counters: BigInt64Array<SharedArrayBuffer>;
  private readonly bytes: number;
  private readonly counts: [copied: number, read: number] = [0, 0];

  constructor(signal: JobSignal, bytes: number) {
    this.counters = getByteCounters(signal);
    this.bytes = bytes;
  }

  addCopied(bytes: number): void {
    this.set(0, this.counts[0] + bytes);
  }

  addRead(bytes: number): void {
    this.set(1, this.counts[1] + bytes);
  }

  /** Counts all bytes as copied and read. */
  complete(): void {
    this.set(0, this.bytes);
    this.set(1, this.bytes);
  }

  /** Counts no bytes, because the attempt has failed. */
  reset(): void {
    this.set(0, 0);
    this.set(1, 0);
  }

  private set(counter: 0 | 1, bytes: number): void {
    const limited = Math.min(bytes, this.bytes);
    const change = limited - this.counts[counter];
    if (change !== 0) Atomics.add(this.counters, counter, BigInt(change));
    this.counts[counter] = limited;
  }
}

/** The memory of a {@link SharedCopy}, which is sent to both threads. */
type SharedCopyMemory = Int32Array<SharedArrayBuffer>;

const words = { written: 0, file: 1, reader: 2, result: 3, digest: 4 } as const;
const digestWords = 8;
/** Number of bytes per unit of the copy's progress, which is stored in 32 bits. */
const stepBytes = 64 * 1024;

/** Special values of the copy's progress. */
const complete = -1;
const ended = -2;

const readers = { nobody: 0, second: 1, copying: 2 } as const;
const results = { pending: 0, digested: 1, failed: 2 } as const;

/** Creates the memory for one copy. */
export function createSharedCopyMemory(): SharedCopyMemory {
  return new Int32Array(new SharedArrayBuffer((words.digest + digestWords) * Int32Array.BYTES_PER_ELEMENT));
}

/**
 * A copy that a second thread reads back while the first is still writing it (D68: read back while copying). If the
 * second thread hasn't started by the time the copy is complete, the first one reads it back.
 */
export class SharedCopy {
  private readonly memory: SharedCopyMemory;

  constructor(memory: SharedCopyMemory) {
    this.memory = memory;
  }

  /** Reports the file descriptor of the copy and the number of bytes written so far. */
  reportWritten(file: number, bytes: number): void {
    Atomics.store(this.memory, words.file, file);
    this.setWritten(Math.floor(bytes / stepBytes));
  }

  /**
   * Marks the copy as complete and waits for the digest from the second thread. Returns the digest in hex; undefined if
   * the caller has to read the copy back.
   */
  takeDigest(): string | undefined {
    this.setWritten(complete);
    if (this.claim(readers.copying)) return undefined;
    Atomics.wait(this.memory, words.result, results.pending);
    if (Atomics.load(this.memory, words.result) !== results.digested) return undefined;
    return Buffer.from(this.digestBytes).toString('hex');
  }

  /** Ends the copy. Blocks until the second thread is no longer using the file. */
  end(): void {
    if (this.claim(readers.copying)) return;
    if (Atomics.load(this.memory, words.reader) !== readers.second) return;
    this.setWritten(ended);
    Atomics.wait(this.memory, words.result, results.pending);
  }

  /** Releases both threads, in case one of them has crashed. Never blocks. */
  release(): void {
    this.setWritten(ended);
    this.setResult(results.failed);
  }

  /** Claims the read-back for the second thread. Returns false if the first thread has claimed it. */
  startReading(): boolean {
    return this.claim(readers.second);
  }

  /**
   * Blocks until the writer reports progress beyond `bytes`. Returns `whole`, `ended` (early), or the size so far,
   * rounded down, which may still be `bytes`.
   */
  waitForMore(bytes: number): number | 'whole' | 'ended' {
    const steps = Math.floor(bytes / stepBytes);
    Atomics.wait(this.memory, words.written, steps);
    const written = Atomics.load(this.memory, words.written);
    if (written === complete) return 'whole';
    return written === ended ? 'ended' : written * stepBytes;
  }

  /** The descriptor of the copy, which only the first thread closes. */
  get file(): number {
    return Atomics.load(this.memory, words.file);
  }

  /** Reports the result of the read-back: the digest, or undefined if reading failed. */
  finishReading(digest: Uint8Array | undefined): void {
    if (digest !== undefined) this.digestBytes.set(digest);
    this.setResult(digest === undefined ? results.failed : results.digested);
  }

  private get digestBytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer, words.digest * Int32Array.BYTES_PER_ELEMENT);
  }

  private claim(reader: number): boolean {
    return Atomics.compareExchange(this.memory, words.reader, readers.nobody, reader) === readers.nobody;
  }

  private setWritten(value: number): void {
    Atomics.store(this.memory, words.written, value);
    Atomics.notify(this.memory, words.written);
  }

  private setResult(result: number): void {
    Atomics.compareExchange(this.memory, words.result, results.pending, result);
    Atomics.notify(this.memory, words.result);
  }
}
