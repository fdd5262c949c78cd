import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { Emitter } from './emitter.ts';
import { isJsonObject } from './json.ts';
import type { Disposable } from './lifetime.ts';

const staleAfterMs = 10_000;
const renewEveryMs = 3_000;
const lookAgainMs = 20;
const patienceMs = 15_000;

/** What stands in the file of a lock. */
interface Holder {
  readonly host?: unknown;
  readonly pid?: unknown;
  readonly at: number;
  /** Names this holding of the lock, and no other. */
  readonly mark: string;
  readonly purpose?: unknown;
}

/**
 * A file that only one process has at a time: made exclusively, it names machine and process, and counts for ten
 * seconds unless it is renewed, which it is until it is released (D30).
 */
export class FileLock implements Disposable {
  private readonly file: string;
  private readonly clock: Clock;
  private readonly purpose: string | undefined;
  private readonly mark: string = randomUUID();
  private readonly lost = new Emitter<void>();
  private waiting: Disposable | undefined;
  private renewing: Promise<void> | undefined;
  private renewsAgain = false;
  private isDisposed = false;

  /** Another has taken it over, because this process was asleep or its disk was away. */
  readonly onDidLose = this.lost.event;

  private constructor(file: string, clock: Clock, purpose?: string) {
    this.file = file;
    this.clock = clock;
    this.purpose = purpose;
  }

  /**
   * Takes the lock; undefined while another holds it. Rejects where its file cannot be written; the folder has to be there.
   * Others can read the `purpose` for which it is held.
   */
  static async take(file: string, clock: Clock, purpose?: string): Promise<FileLock | undefined> {
    const lock = new FileLock(file, clock, purpose);
    if (!(await lock.create()) && !(await lock.takeOver())) return undefined;
    lock.renewLater();
    return lock;
  }

  /** When the lock can be had unless it is renewed, in milliseconds since 1970; the past where it can be had now. */
  static async freeAt(file: string): Promise<number> {
    const holder = await readHolder(file);
    return holder && !isGone(holder) ? holder.at + staleAfterMs : Number.NEGATIVE_INFINITY;
  }

  /** Returns the purpose for which another process holds the lock; undefined where it is free or no purpose was given. */
  static async purposeOf(file: string): Promise<string | undefined> {
    const holder = await readHolder(file);
    return holder && !isGone(holder) && typeof holder.purpose === 'string' ? holder.purpose : undefined;
  }

  /** Lets go, where it is still this one's. */
  async release(): Promise<void> {
    this.waiting?.dispose();
    await this.renewing;
    if ((await readHolder(this.file))?.mark === this.mark) await rm(this.file, { force: true });
  }

  /** Lets go before it returns: for the end of the program. */
  dispose(): void {
    this.isDisposed = true;
    this.waiting?.dispose();
    try {
      if (readFileSync(this.file, 'utf8').includes(this.mark)) rmSync(this.file, { force: true });
    } catch {
      // Then it is gone, or goes stale.
    }
  }

  private async create(): Promise<boolean> {
    try {
      await using file = await open(this.file, 'wx', 0o600);
      await this.fill(file);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  }

  /** On a full disk a file can be made but not filled: what is left of it must not keep others waiting. */
  private async fill(file: { writeFile(text: string): Promise<void> }): Promise<void> {
    try {
      await file.writeFile(this.text());
    } catch (error) {
      await rm(this.file, { force: true });
      throw error;
    }
  }

  /** Of all who find it stale one takes it over: the one who has the lock that is named after what was found. */
  private async takeOver(): Promise<boolean> {
    const found = await readHolder(this.file);
    if (!found) return await this.create();
    if (!isGone(found) && this.clock.now() - found.at < staleAfterMs) return false;
    const turn = await FileLock.take(`${this.file}.${found.mark}`, this.clock);
    if (!turn) return false;
    try {
      const now = await readHolder(this.file);
      if (now?.mark !== found.mark || now.at !== found.at) return false;
      await this.write();
      return true;
    } finally {
      await turn.release();
    }
  }

  private text(): string {
    const { mark, purpose } = this;
    return JSON.stringify({ host: hostname(), pid: process.pid, at: this.clock.now(), mark, purpose });
  }

  private async write(): Promise<void> {
    const beside = `${this.file}.${this.mark}.new`;
    try {
      await writeFile(beside, this.text(), { mode: 0o600 });
      await rename(beside, this.file);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  private renewLater(): void {
    this.waiting = this.clock.after(renewEveryMs, () => {
      this.renewLater();
      this.renewsAgain = true;
      this.renewing ??= this.renewWhileWanted();
    });
  }

  /** One after the other, however slow the disk is. */
  private async renewWhileWanted(): Promise<void> {
    while (this.renewsAgain) {
      this.renewsAgain = false;
      await this.renew();
    }
    this.renewing = undefined;
  }

  private async renew(): Promise<void> {
    try {
      if ((await readHolder(this.file))?.mark === this.mark) {
        await this.write();
        // What was under way when the lock was let go must not bring it back.
        if (this.isDisposed) this.dispose();
        return;
      }
      this.waiting?.dispose();
      this.lost.fire();
    } catch {
      // Then it goes stale.
    }
  }
}

/** Does something while nobody else does it under this lock; rejects when another has been at it for too long. */
export async function underLock<T>(file: string, clock: Clock, act: () => Promise<T>): Promise<T> {
  const until = clock.now() + patienceMs;
  for (;;) {
    const lock = await FileLock.take(file, clock);
    if (lock) return await act().finally(() => lock.release());
    if (clock.now() >= until) throw new Error('another window has been using it for too long');
    // What is waited for is a disk, whatever the clock says.
    await setTimeout(lookAgainMs * Math.random());
  }
}

/** Who has the lock; undefined where nobody has. A file that is being written has nothing in it yet: its time counts. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const madeAt = (await stat(file)).mtimeMs;
    const value: unknown = parse(await readFile(file, 'utf8'));
    const { host, pid, at, mark, purpose } = isJsonObject(value) ? value : {};
    const isMark = typeof mark === 'string' && /^[\w-]+$/.test(mark);
    const made = isMark ? mark : `made-${String(madeAt)}`;
    return { host, pid, at: typeof at === 'number' ? at : madeAt, mark: made, purpose };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the holder was a process of this machine that has ended. */
function isGone({ host, pid }: Holder): boolean {
  return host === hostname() && typeof pid === 'number' && !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
