import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { AsyncFolderReader, WalkBatch } from './folderWalk.ts';
import type { InspectedPath } from './pathInspection.ts';

/** Thrown for a call that was queued behind a hanging call for another folder. A retry uses another thread. */
export class ReadingDelayedError extends Error {
  constructor() {
    super('Another folder is blocking the thread.');
  }
}

const checkIntervalMs = 500;
/** Number of checks, over a total of ten seconds, after which a call counts as hanging. */
const maxChecks = 20;
const maxThreads = 8;

interface PendingCall {
  readonly folder: string;
  readonly result: Promise<unknown>;
  readonly reject: (error: Error) => void;
}

/** A thread that reads folders and handles calls one by one, in the order in which they were made. */
class ReadingThread {
  /** The folder of the call that hangs, if any. */
  hangingFolder: string | undefined;
  private readonly reader: AsyncFolderReader;
  private readonly clock: Clock;
  private readonly onHang: (folder: string) => void;
  private readonly calls = new Set<PendingCall>();
  private isChecking = false;

  constructor(reader: AsyncFolderReader, clock: Clock, onHang: (folder: string) => void) {
    this.reader = reader;
    this.clock = clock;
    this.onHang = onHang;
  }

  /** Makes a call for a folder. Rejects with {@link ReadingDelayedError} if a call for another folder hangs. */
  async call<T>(folder: string, call: (reader: AsyncFolderReader) => Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const result = call(this.reader);
      result.then(resolve, reject);
      this.calls.add({ folder, result, reject });
      if (!this.isChecking) void this.checkCalls();
    });
  }

  /** Waits for each call in turn. Waits in short steps, so that responses don't seem late if this thread is busy. */
  private async checkCalls(): Promise<void> {
    this.isChecking = true;
    for (const call of this.calls) {
      for (let checks = 1; !(await settlesWithin(this.clock, checkIntervalMs, call.result)); checks += 1)
        if (checks % maxChecks === 0) this.handleHang(call.folder);
      this.calls.delete(call);
      this.hangingFolder = undefined;
    }
    this.isChecking = false;
  }

  private handleHang(folder: string): void {
    if (this.hangingFolder === undefined) this.onHang(folder);
    this.hangingFolder = folder;
    for (const call of this.calls) if (call.folder !== folder) call.reject(new ReadingDelayedError());
  }
}

interface ReadingThreadsDependencies {
  /** Starts a thread. */
  readonly start: () => AsyncFolderReader;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reads all folders on one thread, until a disk hangs (D42: hanging disks). From then on, other folders are read on
 * another thread, and their calls that are queued behind the hanging one reject with {@link ReadingDelayedError}.
 */
export class ReadingThreads implements AsyncFolderReader {
  private readonly dependencies: ReadingThreadsDependencies;
  private readonly threads: ReadingThread[] = [];
  private readonly walks = new Map<number, { thread: ReadingThread; folder: string; walk: number }>();
  private lastWalk = 0;
  /**
   * The folders that were logged as not responding. Each is logged only once, because every part of a slow folder may
   * take long.
   */
  private readonly reported = new Set<string>();

  constructor(dependencies: ReadingThreadsDependencies) {
    this.dependencies = dependencies;
  }

  async ready(): Promise<void> {
    await this.getThread('').call('', async (reader) => await reader.ready());
  }

  async walk(folder: string, under: string): Promise<number> {
    const thread = this.getThread(folder);
    const walk = thread.call(folder, async (reader) => {
      const started = await reader.walk(folder, under);
      // Nobody waits for a walk that starts after its call was rejected.
      walk.catch(() => void reader.stop(started));
      return started;
    });
    const started = { thread, folder, walk: await walk };
    this.walks.set(++this.lastWalk, started);
    return this.lastWalk;
  }

  async next(walk: number): Promise<WalkBatch | undefined> {
    const started = this.walks.get(walk);
    return await started?.thread.call(started.folder, async (reader) => await reader.next(started.walk));
  }

  /** Requests that a walk stop. Doesn't wait for it to stop, because the walk's thread may be blocked. */
  async stop(walk: number): Promise<void> {
    const started = this.walks.get(walk);
    this.walks.delete(walk);
    started?.thread.call(started.folder, async (reader) => await reader.stop(started.walk)).catch(() => undefined);
    await Promise.resolve();
  }

  async inspectPaths(folder: string, paths: readonly string[]): Promise<readonly InspectedPath[]> {
    return await this.getThread(folder).call(folder, async (reader) => await reader.inspectPaths(folder, paths));
  }

  /** Returns the thread that a hanging call for the folder blocks. Otherwise, returns an unblocked one, if possible. */
  private getThread(folder: string): ReadingThread {
    const blocked = this.threads.find(({ hangingFolder }) => hangingFolder === folder);
    const usable = blocked ?? this.threads.find(({ hangingFolder }) => hangingFolder === undefined);
    if (usable) return usable;
    const last = this.threads.at(-1);
    return last && this.threads.length === maxThreads ? last : this.startThread();
  }

  private startThread(): ReadingThread {
    const { start, clock, logger } = this.dependencies;
    const thread = new ReadingThread(start(), clock, (folder) => {
      if (folder === '') logger.warn("A thread that reads folders hasn't started within 10 s.");
      else if (!this.reported.has(folder)) logger.warn(`The folder ${folder} hasn't responded for 10 s.`);
      this.reported.add(folder);
    });
    this.threads.push(thread);
    return thread;
  }
}
