import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { FileLock } from '../util/fileLock.ts';
import type { Disposable } from '../util/lifetime.ts';

/**
 * Which submissions wait for their answer in a window that is alive: of those no other window may say that they are not
 * confirmed (D12).
 */
export class Submissions implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly ours = new Map<string, FileLock>();

  /** `folder` is the ledger's. */
  constructor(folder: string, clock: Clock) {
    this.folder = join(folder, 'submitting');
    this.clock = clock;
  }

  /** Says that this window submits a transfer; rejects where that cannot be written. */
  async begin(key: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const lock = await FileLock.take(this.file(key), this.clock);
    if (lock) this.ours.set(key, lock);
  }

  /** Says that what became of it is written down. */
  async end(key: string): Promise<void> {
    const lock = this.ours.get(key);
    this.ours.delete(key);
    await lock?.release();
  }

  /** Whether a window, this one or another, still waits for the answer. */
  async isUnderWay(key: string): Promise<boolean> {
    return this.ours.has(key) || (await FileLock.freeAt(this.file(key))) > this.clock.now();
  }

  dispose(): void {
    for (const lock of this.ours.values()) lock.dispose();
    this.ours.clear();
  }

  private file(key: string): string {
    return join(this.folder, `${key}.lock`);
  }
}
