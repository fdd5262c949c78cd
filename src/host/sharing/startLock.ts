import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { Disposable } from '../../core/util/lifetime.ts';

const staleAfterMs = 10_000;
const renewEveryMs = 3_000;

/**
 * Keeps two windows from starting the service at once: a file that names machine and process, and counts for ten
 * seconds unless it is renewed (D30). Should two hold it after all, the service's own journal lets only one start.
 */
export class StartLock {
  private readonly file: string;
  private readonly clock: Clock;
  private readonly mark: string = randomUUID();
  private waiting: Disposable | undefined;
  private renewing: Promise<void> = Promise.resolve();

  private constructor(file: string, clock: Clock) {
    this.file = file;
    this.clock = clock;
  }

  /** Takes the lock; undefined while another holds it. The folder has to be there. */
  static async take(folder: string, clock: Clock): Promise<StartLock | undefined> {
    const lock = new StartLock(join(folder, 'start.lock'), clock);
    if (!(await lock.create())) {
      if (!(await lock.isStale())) return undefined;
      await rm(lock.file, { force: true });
      if (!(await lock.create())) return undefined;
    }
    lock.renewLater();
    return lock;
  }

  /** Lets go, where it is still this one's. */
  async release(): Promise<void> {
    this.waiting?.dispose();
    await this.renewing;
    const text = await readFile(this.file, 'utf8').catch(() => '');
    if (text.includes(this.mark)) await rm(this.file, { force: true });
  }

  private async create(): Promise<boolean> {
    try {
      await using file = await open(this.file, 'wx', 0o600);
      await file.writeFile(this.text());
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  }

  private text(): string {
    return JSON.stringify({ host: hostname(), pid: process.pid, at: this.clock.now(), mark: this.mark });
  }

  private async isStale(): Promise<boolean> {
    const { host, pid, at } = await this.read();
    if (host === hostname() && typeof pid === 'number' && !isRunning(pid)) return true;
    return this.clock.now() - at >= staleAfterMs;
  }

  /** A file that is being written has nothing in it yet: then the time of its making counts. */
  private async read(): Promise<{ host?: unknown; pid?: unknown; at: number }> {
    try {
      const madeAt = (await stat(this.file)).mtimeMs;
      const value: unknown = parse(await readFile(this.file, 'utf8'));
      if (!isJsonObject(value)) return { at: madeAt };
      const { host, pid, at } = value;
      return { host, pid, at: typeof at === 'number' ? at : madeAt };
    } catch {
      return { at: Number.NEGATIVE_INFINITY };
    }
  }

  private renewLater(): void {
    this.waiting = this.clock.after(renewEveryMs, () => {
      this.renewLater();
      this.renewing = this.renew();
    });
  }

  private async renew(): Promise<void> {
    const beside = `${this.file}.${this.mark}`;
    try {
      await writeFile(beside, this.text(), { mode: 0o600 });
      await rename(beside, this.file);
    } catch {
      // Then it goes stale, and the journal decides.
      await rm(beside, { force: true });
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
