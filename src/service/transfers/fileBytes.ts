import { getByteCounters, type JobSignal } from './fileJobs.ts';

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

/**
 * Counts the bytes of one file in the memory of its job. Never counts more bytes than the file has, even if they are
 * copied or read again.
 */
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
    this.setBoth(this.bytes);
  }

  /** Counts no bytes, because the attempt has failed. */
  reset(): void {
    this.setBoth(0);
  }

  private setBoth(bytes: number): void {
    this.set(0, bytes);
    this.set(1, bytes);
  }

  private set(counter: 0 | 1, bytes: number): void {
    const limited = Math.min(bytes, this.bytes);
    const change = limited - this.counts[counter];
    if (change !== 0) Atomics.add(this.counters, counter, BigInt(change));
    this.counts[counter] = limited;
  }
}
