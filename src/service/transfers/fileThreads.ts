import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { ThreadCalls } from '../threads/threadCalls.ts';
import { startThread } from '../threads/threadRole.ts';
import type { fileJobHandlers } from './fileJobHandlers.ts';
import type { JobResult } from './fileJobs.ts';

type FileCalls = ThreadCalls<typeof fileJobHandlers>;

interface FileThread {
  readonly worker: Worker;
  readonly calls: FileCalls;
  /** Present while the thread is idle. */
  idle?: Disposable;
}

type Job = (calls: FileCalls) => Promise<JobResult>;

interface WaitingJob {
  readonly job: Job;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Two threads for each concurrent transfer, so that none waits for the large files of others. */
const maxThreads = 6;
const idleMs = 60_000;

/** Runs the threads that read, hash and copy files for all transfers. Starts them on demand and ends idle ones. */
export class FileThreads {
  private readonly clock: Clock;
  private readonly free: FileThread[] = [];
  private readonly waitingJobs: WaitingJob[] = [];
  private readonly threads = new Set<FileThread>();
  private isEnded = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Starts threads in advance if fewer than `count` are running. */
  ensureThreads(count: number): void {
    while (!this.isEnded && this.threads.size < count) this.release(this.startThread());
  }

  /** Runs a job on a free thread. Rejects if the thread crashes, in which case the result is unknown. */
  async run(job: Job): Promise<JobResult> {
    if (this.isEnded) throw new Error('The service is closing.');
    return await new Promise<JobResult>((resolve, reject) => {
      this.waitingJobs.push({ job, resolve, reject });
      this.pump();
    });
  }

  /** Ends the threads, even in the middle of a job. */
  async end(): Promise<void> {
    this.isEnded = true;
    for (const waiting of this.waitingJobs.splice(0)) waiting.reject(new Error('The service is closing.'));
    await Promise.all([...this.threads].map(async ({ worker }) => await worker.terminate()));
  }

  private pump(): void {
    while (this.waitingJobs.length > 0) {
      const thread = this.free.pop() ?? (this.threads.size < maxThreads ? this.startThread() : undefined);
      if (thread === undefined) return;
      thread.idle?.dispose();
      const next = this.waitingJobs.shift();
      if (next !== undefined) void this.work(thread, next);
    }
  }

  private async work(thread: FileThread, { job, resolve, reject }: WaitingJob): Promise<void> {
    try {
      resolve(await job(thread.calls));
    } catch (error) {
      reject(error);
    }
    if (!this.threads.has(thread)) return;
    this.release(thread);
    this.pump();
  }

  private release(thread: FileThread): void {
    this.free.push(thread);
    thread.idle = this.clock.after(idleMs, () => this.terminateIdle(thread));
  }

  private terminateIdle(thread: FileThread): void {
    if (this.removeFromFree(thread)) void thread.worker.terminate();
  }

  private removeFromFree(thread: FileThread): boolean {
    const index = this.free.indexOf(thread);
    if (index >= 0) this.free.splice(index, 1);
    return index >= 0;
  }

  private startThread(): FileThread {
    const worker = startThread('files');
    const thread: FileThread = { worker, calls: new ThreadCalls(worker) };
    this.threads.add(thread);
    // The exit event that follows handles the error.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.threads.delete(thread);
      this.removeFromFree(thread);
      thread.idle?.dispose();
      thread.calls.fail(new Error('A file thread ended.'));
      this.pump();
    });
    return thread;
  }
}
