/** The memory of a {@link SharedCopy}, which is sent to both threads. */
export type SharedCopyMemory = Int32Array<SharedArrayBuffer>;

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

  /**
   * Claims the read-back for the caller, which is the second thread. Returns false if the first thread has already
   * claimed the read-back.
   */
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
