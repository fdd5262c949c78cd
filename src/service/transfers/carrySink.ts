import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';
import type { CarrySource } from './carrySource.ts';
import type { DoneFile } from './fileJobs.ts';
import type { StreamDigests } from './streamDigests.ts';

/** A file that was written under a temporary name. */
export interface WrittenFile {
  /** True if it begins with a part that an earlier attempt left. */
  readonly isContinued?: boolean;
  /** Compares what was written with what was read. Returns the shared hash, or `reading back`. */
  verify(digests: StreamDigests, signal: AbortSignal): Promise<string>;
  /** Gives the file its final name. */
  finish(signal: AbortSignal): Promise<void>;
  /** Removes the file. Absent if the next run, or the end of the transfer, removes it. Never throws. */
  discard?(): void;
}

export interface CarriedContent {
  readonly digests: StreamDigests;
  /**
   * True if a partial file from an earlier attempt may be continued, because the whole file is then compared with a
   * hash.
   */
  readonly canResume: boolean;
  read(from: number): AsyncIterable<Buffer>;
  /** Moves a local copy of the file to a path instead, like {@link CarrySource.moveFetched}. */
  moveFetched(path: string): boolean;
}

/** Writes the files of a job below the folder of the transfer. */
export interface CarrySink {
  /** The algorithm of the hash that the destination can compute; undefined if it has none. */
  readonly hash: string | undefined;
  /** Writes a file under a temporary name. A write that is interrupted by a lost connection can be continued. */
  write(file: FileToCarry, content: CarriedContent, signal: AbortSignal): Promise<WrittenFile>;
  /**
   * Writes small files together and verifies them, if that is faster. Returns those that have their final names; the
   * others have to be written one by one. Never rejects.
   */
  writeBatch(
    files: readonly FileToCarry[],
    batch: { readonly source: CarrySource; readonly folder: BatchFolder },
    signal: AbortSignal,
  ): Promise<readonly DoneFile[]>;
}

/** The verification method for files that no store hash could verify. */
export const readBackMethod = 'reading back';

/** Returns the hash that verified a file in a store; if there is none, the file was read back. */
export function chooseMethod(methods: readonly (string | undefined)[]): string {
  return methods.find((method) => method !== undefined && method !== readBackMethod) ?? readBackMethod;
}
