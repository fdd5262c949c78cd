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
