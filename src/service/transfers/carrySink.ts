import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';
import type { CarrySource } from './carrySource.ts';
import type { FileBytes } from './fileBytes.ts';
import type { DoneFile } from './fileJobs.ts';
import type { StreamDigests } from './streamDigests.ts';

/** A file that was written under a temporary name. */
export interface WrittenFile {
  /** True if the file continues a partial file from an earlier attempt. */
  readonly isContinued?: boolean;
  /**
   * Compares the written content with the content that was read. Returns the method: the destination's hash algorithm,
   * or `reading back`. Counts the bytes that it reads. Throws {@link OperationError} if they differ.
   */
  verify(digests: StreamDigests, signal: AbortSignal, counter: FileBytes): Promise<string>;
  /** Gives the file its final name. */
  finish(signal: AbortSignal): Promise<void>;
  /**
   * Removes the file after an error, unless the next run can continue it. Absent if the next run or the end of the
   * transfer removes it anyway. Never throws.
   */
  discard?(error: unknown): void;
}

/** The content of a file on its way, with the digests and the count of its bytes. */
export interface CarriedContent {
  readonly digests: StreamDigests;
  readonly counter: FileBytes;
  /** True if a partial file from an earlier attempt may be continued, because the whole file is verified by a hash. */
  readonly canResume: boolean;
  read(from: number): AsyncIterable<Buffer>;
  /** Moves an already fetched copy to `path`; see {@link CarrySource.moveFetched}. */
  moveFetched(path: string): boolean;
}

/** The result of transferring files together. */
export interface BatchResult {
  /** The files that were verified and given their final names. */
  readonly done: readonly DoneFile[];
  /** True if a file that was or may have been sent isn't among those, so that the store may create its object later. */
  readonly isIncomplete: boolean;
}

/** Writes a job's files to the transfer's folder. */
export interface CarrySink {
  /** The destination's preferred hash algorithm; undefined if it has none. */
  readonly hash: string | undefined;
  /** Writes a file under a temporary name. A later attempt may continue an interrupted file in a folder. */
  write(file: FileToCarry, content: CarriedContent, signal: AbortSignal): Promise<WrittenFile>;
  /**
   * Writes and verifies small files together, if that is faster. The caller must write the remaining files one by one.
   * Never rejects.
   */
  writeBatch(
    files: readonly FileToCarry[],
    batch: { readonly source: CarrySource; readonly folder: BatchFolder },
    signal: AbortSignal,
  ): Promise<BatchResult>;
}

/** The verification method for files that no store hash could verify. */
export const readBackMethod = 'reading back';
