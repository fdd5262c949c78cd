import type { DeclaredHash } from '../../core/util/declaredHash.ts';

/** What was known of a file when its hash was taken. */
export interface HeldHash {
  readonly bytes: number;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedMs: number;
  readonly sha256: string;
}

/** A file that is to be made ready (D22). */
export interface FileToStage {
  readonly position: number;
  /** Relative to the folder. */
  readonly path: string;
  readonly declared?: DeclaredHash;
  readonly held?: HeldHash;
}

/** Files to be read and hashed. */
export interface StageJob {
  readonly folder: string;
  readonly files: readonly FileToStage[];
  readonly sign: JobSign;
}

/** A staged file that is to be copied. */
export interface FileToMove {
  readonly position: number;
  /** Relative to the source's folder, and to the landing folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Files to be copied, read back, and given their names (D24). */
export interface MoveJob {
  readonly transferId: string;
  readonly sourceFolder: string;
  readonly destinationFolder: string;
  /** Where that was when the transfer was submitted, links resolved. */
  readonly destinationPlace?: string;
  readonly files: readonly FileToMove[];
  readonly bytesPerSecond?: number;
  /** Each file is written through to the disk by itself. */
  readonly isFlushed: boolean;
  readonly sign: JobSign;
}

/** Files that had landed, and may not be there any longer. */
export type LandedJob = Pick<MoveJob, 'transferId' | 'destinationFolder' | 'files' | 'sign'>;

/**
 * Shared with the thread that works: 1 in its first place tells it to stop, in its second it counts the files that are
 * done, so that how far it has come can be told at every moment.
 */
export type JobSign = Int32Array<SharedArrayBuffer>;

/** What a file is after the work on it was done. */
export interface DoneFile {
  readonly position: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Of a staged file: when it was modified last, in milliseconds since 1970. */
  readonly modifiedMs?: number;
}

/** Why the work on a file was not done. */
export interface FileTrouble {
  readonly position: number;
  /** Whether it came about at the source, at the destination, or between them. */
  readonly act: 'read' | 'write' | 'copy';
  /** The file system's own word, `ENOSPC`. */
  readonly code?: string;
  /** The rest of a sentence about the file, where it was not the file system's. */
  readonly text?: string;
}

/** What became of a job: the files that were done, in order, and why it went no further. */
export interface JobResult {
  readonly done: readonly DoneFile[];
  readonly trouble?: FileTrouble;
  readonly isStopped?: boolean;
  /** Of a look at files that had landed: the positions of those that are not there any longer. */
  readonly lost?: readonly number[];
}

/** A sign that nobody has raised yet. */
export function jobSign(): JobSign {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Tells the thread to stop, also one that waits. */
export function raise(sign: JobSign): void {
  Atomics.store(sign, 0, 1);
  Atomics.notify(sign, 0);
}

/** One more file is done. */
export function countDone(sign: JobSign): void {
  Atomics.add(sign, 1, 1);
}

/** How many files are done under this sign. */
export function doneCount(sign: JobSign): number {
  return Atomics.load(sign, 1);
}
