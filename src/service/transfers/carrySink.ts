import type { StreamDigests } from './streamDigests.ts';
import type { FileToCarry } from './carryJob.ts';

/** A file that was written under a temporary name. */
export interface WrittenFile {
  /** Compares what was written with what was read. Returns the shared hash, or `reading back`. */
  verify(digests: StreamDigests, signal: AbortSignal): Promise<string>;
  /** Gives the file its final name. */
  finish(signal: AbortSignal): Promise<void>;
  /** Removes the file. Never rejects. */
  discard(): Promise<void>;
}

export interface CarriedContent {
  readonly digests: StreamDigests;
  /** True if a part that an earlier attempt left may be continued: the whole is compared with a hash afterwards. */
  readonly canResume: boolean;
  read(from: number): AsyncIterable<Buffer>;
}

/** Writes the files of a job below the folder of the transfer. */
export interface CarrySink {
  /** The algorithm of the hash that the destination can compute; undefined if it has none. */
  readonly hash: string | undefined;
  /** Writes a file under a temporary name. What is left after a lost connection can be continued. */
  write(file: FileToCarry, content: CarriedContent, signal: AbortSignal): Promise<WrittenFile>;
}

/** The method of files that no hash of a store could verify. */
export const readBackMethod = 'reading back';
