import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { createFileExclusively, writeFileAtomically } from './durableFiles.ts';
import type { Disposable } from './lifetime.ts';
import { getErrorCode } from './errorFacts.ts';
import { parseJsonObject } from './json.ts';
import { describeProcess, isComparable, isRunning } from './ownProcess.ts';

const staleAfterMs = 10_000;
const renewEveryMs = 3_000;
const retryDelayMs = 20;
const acquireTimeoutMs = 15_000;

interface Holder {
  readonly host?: unknown;
  readonly pid?: unknown;
  readonly at: number;
  /** The ID of this acquisition of the lock; stored as `mark` in the file. */
  readonly token: string;
  readonly purpose?: unknown;
  readonly namespaces?: unknown;
}

/** The description of this process, once it was needed. */
let ownProcess: ReturnType<typeof describeProcess> | undefined;

/**
 * A lock that only one process at a time can hold. The lock file identifies the machine and the process, and expires
 * ten seconds after its last renewal (D30: network file systems).
 */
export class FileLock implements Disposable {
  private readonly file: string;
  private readonly clock: Clock;
  private readonly purpose: string | undefined;
  private readonly token: string = randomUUID();
  private renewalTimer: Disposable | undefined;
  private renewing: Promise<void> | undefined;
  private shouldRenewAgain = false;
  private isDisposed = false;

  /**
   * Called when the lock has been lost: the file was deleted, or taken over because this process or its disk did not
   * respond. Set by the owner of the lock.
   */
  onDidLose: () => void = () => undefined;

  private constructor(file: string, clock: Clock, purpose?: string) {
    this.file = file;
    this.clock = clock;
    this.purpose = purpose;
  }

  /** Acquires the lock. Resolves to undefined if it is already held. The file's folder must exist. */
  static async acquire(file: string, clock: Clock, purpose?: string): Promise<FileLock | undefined> {
    const lock = new FileLock(file, clock, purpose);
    const found = await readHolder(file);
    // The file is created together with its content, because an empty file would block other processes.
    const isOwn = found ? await lock.takeOver(found) : await createFileExclusively(file, lock.text());
    if (!isOwn) return undefined;
    lock.renewLater();
    return lock;
  }

  /**
   * Resolves to the time at which the lock expires unless it is renewed, in milliseconds since 1970; -Infinity if it is
   * free.
   */
  static async getFreeAt(file: string): Promise<number> {
    const holder = await readHolder(file);
    return holder && !isGone(holder) ? holder.at + staleAfterMs : Number.NEGATIVE_INFINITY;
  }

  /** Resolves to the purpose that the lock's holder declared; undefined if the lock is free or has no purpose. */
  static async readPurpose(file: string): Promise<string | undefined> {
    const holder = await readHolder(file);
    return holder && !isGone(holder) && typeof holder.purpose === 'string' ? holder.purpose : undefined;
  }

  /**
   * Releases the lock if it still belongs to this process. Never rejects, because the work that needed the lock is
   * already done.
   */
  async release(): Promise<void> {
    this.renewalTimer?.dispose();
    await this.renewing;
    try {
      if ((await readHolder(this.file))?.token === this.token) await rm(this.file, { force: true });
    } catch {
      // A file that cannot be deleted will go stale.
    }
  }

  /** Releases the lock synchronously, because asynchronous work may not finish once the process is exiting. */
  dispose(): void {
    this.isDisposed = true;
    this.renewalTimer?.dispose();
    try {
      if (readFileSync(this.file, 'utf8').includes(this.token)) rmSync(this.file, { force: true });
    } catch {
      // The file is already deleted, or the lock will go stale.
    }
  }

  /**
   * Takes over a stale lock. Resolves to false if another process holds the lock. A second lock, named after the stale
   * one's token, ensures that only one process does so.
   */
  private async takeOver(found: Holder): Promise<boolean> {
    if (!isGone(found) && this.clock.now() - found.at < staleAfterMs) return false;
    const takeover = await FileLock.acquire(`${this.file}.${found.token}`, this.clock);
    if (!takeover) return false;
    try {
      const now = await readHolder(this.file);
      if (now?.token !== found.token || now.at !== found.at) return false;
      await writeFileAtomically(this.file, this.text());
      return true;
    } finally {
      await takeover.release();
    }
  }

  private text(): string {
    const { token, purpose } = this;
    ownProcess ??= describeProcess();
    return JSON.stringify({ ...ownProcess, at: this.clock.now(), mark: token, purpose });
  }

  private renewLater(): void {
    this.renewalTimer = this.clock.after(renewEveryMs, () => {
      this.renewLater();
      this.shouldRenewAgain = true;
      this.renewing ??= this.renew();
    });
  }

  /** Renews the lock. Never starts a write before the previous one has finished, even if the disk is slow. */
  private async renew(): Promise<void> {
    while (this.shouldRenewAgain) {
      this.shouldRenewAgain = false;
      try {
        if ((await readHolder(this.file))?.token === this.token) {
          await writeFileAtomically(this.file, this.text());
          // Deletes the file again if this renewal restored it after `dispose`.
          if (this.isDisposed) this.dispose();
        } else {
          this.renewalTimer?.dispose();
          this.onDidLose();
        }
      } catch {
        // The lock will go stale.
      }
    }
    this.renewing = undefined;
  }
}

/**
 * Runs `act` while holding the lock and resolves to its result. Rejects if the lock can't be acquired within
 * `timeoutMs`.
 */
export async function runUnderLock<T>(
  file: string,
  clock: Clock,
  act: () => Promise<T>,
  timeoutMs = acquireTimeoutMs,
): Promise<T> {
  const until = clock.now() + timeoutMs;
  for (;;) {
    const lock = await FileLock.acquire(file, clock);
    if (lock) {
      try {
        return await act();
      } finally {
        await lock.release();
      }
    }
    if (clock.now() >= until) throw new Error('another window or program has held its lock for too long');
    // Uses the system clock even in tests, because a real disk determines the wait.
    await setTimeout(retryDelayMs * Math.random());
  }
}

/**
 * Reads the holder of a lock. Resolves to undefined if there is no file. If the file is empty or damaged, derives the
 * renewal time and the token from the file's modification time.
 */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const { mtimeMs } = await stat(file);
    const { host, pid, at, mark, purpose, namespaces } = parseJsonObject(await readFile(file, 'utf8')) ?? {};
    const token = typeof mark === 'string' && /^[\w-]+$/.test(mark) ? mark : `made-${String(mtimeMs)}`;
    return { host, pid, at: typeof at === 'number' ? at : mtimeMs, token, purpose, namespaces };
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns true if the holder was a process on this machine that has exited. Returns false if the process can't be
 * checked, for example because it is in another container.
 */
function isGone(holder: Holder): boolean {
  const { pid } = holder;
  return isComparable(holder) && typeof pid === 'number' && !isRunning(pid);
}
