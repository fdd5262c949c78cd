import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { FileLock } from '../util/fileLock.ts';
import type { Disposable } from '../util/lifetime.ts';

/**
 * Records the submissions for which an open window or a running command awaits the response. Such submissions aren't
 * treated as lost (D12: never resubmit).
 */
export class PendingSubmissions implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly own = new Map<string, FileLock>();

  /** `folder` is the ledger's folder. */
  constructor(folder: string, clock: Clock) {
    this.folder = join(folder, 'submitting');
    this.clock = clock;
  }

  /** Adds an entry for a submission by this process. Rejects if the entry cannot be written. */
  async start(key: string): Promise<void> {
    await createFolder(this.folder, 0o700);
    const lock = await FileLock.acquire(this.getPath(key), this.clock);
    if (lock) this.own.set(key, lock);
  }

  /**
   * Removes the entry for a submission that no longer awaits a response. Never rejects, because the transfer may
   * already have been sent.
   */
  async end(key: string): Promise<void> {
    const lock = this.own.get(key);
    this.own.delete(key);
    await lock?.release();
  }

  /** Returns true while a window or a command is waiting for the response to a submission. */
  async isPending(key: string): Promise<boolean> {
    return this.own.has(key) || (await FileLock.getFreeAt(this.getPath(key))) > this.clock.now();
  }

  dispose(): void {
    for (const lock of this.own.values()) lock.dispose();
    this.own.clear();
  }

  private getPath(key: string): string {
    return join(this.folder, `${key}.lock`);
  }
}
