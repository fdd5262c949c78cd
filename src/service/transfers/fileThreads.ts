import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { stoppingCause } from '../catalog/databaseUnavailableError.ts';
import { collectGarbage } from '../threads/collectGarbage.ts';
import { startThread, ThreadCalls } from '../threads/threadCalls.ts';
import type { fileJobHandlers } from './fileJobHandlers.ts';

type FileCalls = ThreadCalls<typeof fileJobHandlers>;

interface FileThread {
  readonly worker: Worker;
  readonly calls: FileCalls;
  /** Timer that terminates the thread if it stays idle. */
  idle?: Disposable;
  /** True if the result of its job must be ignored. */
  isAbandoned?: boolean;
}

type JobName = keyof typeof fileJobHandlers;
type JobOf<K extends JobName> = Parameters<(typeof fileJobHandlers)[K]>[0];
type ResultOf<K extends JobName> = Awaited<ReturnType<(typeof fileJobHandlers)[K]>>;

interface WaitingJob {
  readonly name: JobName;
  /** The job of that name. */
  readonly job: never;
  readonly abandonment: AbortSignal;
  /** Takes the result of that job. */
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Maximum number of threads for transfers. Each concurrent transfer can use four: two that copy, and two that read large
 * copies back at the same time (D68: read back while copying). No transfer therefore waits for another's large files.
 */
const maxTransferThreads = 12;
const idleMs = 60_000;

/** Manages the threads that read, hash and copy files: started on demand, terminated when idle. */
export class FileThreads {
  private readonly clock: Clock;
  private readonly maxThreads: number;
  private readonly onAllEnded: () => void;
  private readonly free: FileThread[] = [];
  private readonly waitingJobs: WaitingJob[] = [];
  private readonly threads = new Set<FileThread>();
  /** Pending terminations of threads that hang in system calls (D42: hanging disks). */
  private readonly abandonedEnds = new Set<Promise<unknown>>();
  private isEnded = false;

  /** Calls `onAllEnded` when the last thread has ended because it was idle. */
  constructor(clock: Clock, maxThreads = maxTransferThreads, onAllEnded = collectGarbage) {
    this.clock = clock;
    this.maxThreads = maxThreads;
    this.onAllEnded = onAllEnded;
  }

  /** Starts threads in advance if fewer than `count` are running. */
  ensureThreads(count: number): void {
    while (!this.isEnded && this.threads.size < count) this.release(this.startThread());
  }

  /**
   * Runs a job on a free thread. Rejects if the thread crashes, in which case the result is unknown. Aborting
   * `abandonment` abandons the job's thread: the thread terminates as soon as its current system call returns, and the
   * promise then rejects. A job that is still queued is rejected without being started (D42: hanging disks).
   */
  async run<K extends JobName>(name: K, job: JobOf<K>, abandonment: AbortSignal): Promise<ResultOf<K>> {
    if (this.isEnded) throw new Error(toSentence(stoppingCause));
    return await new Promise<ResultOf<K>>((resolve, reject) => {
      this.waitingJobs.push({ name, job: job as never, abandonment, resolve, reject });
      this.pump();
    });
  }

  /** Terminates the threads, even in the middle of a job. */
  async end(): Promise<void> {
    this.isEnded = true;
    for (const waiting of this.waitingJobs.splice(0)) waiting.reject(new Error(toSentence(stoppingCause)));
    await Promise.all([...this.threads].map(async ({ worker }) => await worker.terminate()));
    await Promise.all(this.abandonedEnds);
  }

  private pump(): void {
    while (this.waitingJobs.length > 0) {
      const thread = this.free.pop() ?? (this.threads.size < this.maxThreads ? this.startThread() : undefined);
      if (thread === undefined) return;
      thread.idle?.dispose();
      const next = this.waitingJobs.shift();
      if (next !== undefined) void this.work(thread, next);
    }
  }

  private async work(thread: FileThread, waiting: WaitingJob): Promise<void> {
    const { name, job, abandonment, resolve, reject } = waiting;
    const abandon = (): void => this.abandon(thread);
    abandonment.addEventListener('abort', abandon);
    try {
      abandonment.throwIfAborted();
      const result = await thread.calls.call(name, job);
      if (thread.isAbandoned === true) throw new Error('The job was abandoned.');
      resolve(result as never);
    } catch (error) {
      reject(error);
    }
    abandonment.removeEventListener('abort', abandon);
    if (!this.threads.has(thread)) return;
    this.release(thread);
    this.pump();
  }

  /** Terminates a thread and removes it from the pool, so that another one can take its place. */
  private abandon(thread: FileThread): void {
    thread.isAbandoned = true;
    this.threads.delete(thread);
    const end = thread.worker.terminate();
    this.abandonedEnds.add(end);
    void end.finally(() => this.abandonedEnds.delete(end));
    this.pump();
  }

  private release(thread: FileThread): void {
    this.free.push(thread);
    thread.idle = this.clock.after(idleMs, () => this.terminateIdle(thread));
  }

  private terminateIdle(thread: FileThread): void {
    if (this.removeFromFree(thread)) void thread.worker.terminate().then(() => this.handleIdleEnd());
  }

  private handleIdleEnd(): void {
    // A garbage collection of this thread also returns the pages of ended threads to the system.
    if (this.threads.size === 0 && !this.isEnded) this.onAllEnded();
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
    // The `exit` event follows, and its handler deals with the crash.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.threads.delete(thread);
      this.removeFromFree(thread);
      thread.idle?.dispose();
      thread.calls.fail(new Error('A file thread exited.'));
      this.pump();
    });
    return thread;
  }
}
