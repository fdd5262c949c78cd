import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { ThreadCalls } from '../threads/threadCalls.ts';
import { startThread } from '../threads/threadRole.ts';
import type { FileAnswers } from './fileAnswers.ts';
import type { JobResult, LandedJob, MoveJob, StageJob } from './fileJobs.ts';

/** A thread, with what it was asked and has not answered. */
interface FileThread {
  readonly worker: Worker;
  readonly calls: ThreadCalls<FileAnswers>;
  /** Present while it has nothing to do. */
  idle?: Disposable;
}

type Job = (thread: FileThread) => Promise<JobResult>;

interface WaitingJob {
  readonly job: Job;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Two for each transfer that can run at once, so that none of them waits for the large files of others. */
const mostThreads = 6;
const idleMs = 60_000;

/** The threads that read, hash and copy files for all transfers. They start when needed, and end when idle. */
export class FileThreads {
  private readonly clock: Clock;
  private readonly free: FileThread[] = [];
  private readonly line: WaitingJob[] = [];
  private readonly threads = new Set<FileThread>();
  private isEnded = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Starts threads that are going to be needed, as long as there are none. */
  prepare(count: number): void {
    while (!this.isEnded && this.threads.size < count) this.release(this.begin());
  }

  /** Reads and hashes files. Rejects when the thread broke: nothing is known then. */
  async stage(job: StageJob): Promise<JobResult> {
    return await this.run(async ({ calls }) => await calls.ask('stage', job));
  }

  /** Copies files. Rejects as {@link stage} does. */
  async move(job: MoveJob): Promise<JobResult> {
    return await this.run(async ({ calls }) => await calls.ask('move', job));
  }

  /** Looks for files that had landed. Rejects as {@link stage} does. */
  async findLost(job: LandedJob): Promise<JobResult> {
    return await this.run(async ({ calls }) => await calls.ask('findLost', job));
  }

  /** Ends the threads, in the middle of what they do. */
  async end(): Promise<void> {
    this.isEnded = true;
    for (const waiting of this.line.splice(0)) waiting.reject(new Error('The service is closing.'));
    await Promise.all([...this.threads].map(async ({ worker }) => await worker.terminate()));
  }

  private async run(job: Job): Promise<JobResult> {
    if (this.isEnded) throw new Error('The service is closing.');
    return await new Promise<JobResult>((resolve, reject) => {
      this.line.push({ job, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    while (this.line.length > 0) {
      const thread = this.free.pop() ?? (this.threads.size < mostThreads ? this.begin() : undefined);
      if (thread === undefined) return;
      thread.idle?.dispose();
      const next = this.line.shift();
      if (next !== undefined) void this.work(thread, next);
    }
  }

  private async work(thread: FileThread, { job, resolve, reject }: WaitingJob): Promise<void> {
    try {
      resolve(await job(thread));
    } catch (error) {
      reject(error);
    }
    if (!this.threads.has(thread)) return;
    this.release(thread);
    this.pump();
  }

  private release(thread: FileThread): void {
    this.free.push(thread);
    thread.idle = this.clock.after(idleMs, () => this.letGo(thread));
  }

  private letGo(thread: FileThread): void {
    if (this.takeFree(thread)) void thread.worker.terminate();
  }

  private takeFree(thread: FileThread): boolean {
    const place = this.free.indexOf(thread);
    if (place >= 0) this.free.splice(place, 1);
    return place >= 0;
  }

  private begin(): FileThread {
    const worker = startThread('files');
    const thread: FileThread = { worker, calls: new ThreadCalls<FileAnswers>(worker) };
    this.threads.add(thread);
    // Told by the exit that follows.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.threads.delete(thread);
      this.takeFree(thread);
      thread.idle?.dispose();
      thread.calls.break(new Error('A thread that works on files ended.'));
      this.pump();
    });
    return thread;
  }
}
