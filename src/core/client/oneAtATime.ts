/** A line of tasks: each starts when the one before it has ended, well or not (D11). */
export class OneAtATime {
  /** Resolved when the whole line has ended; absent while nobody stands in it. Never rejected. */
  private last: Promise<void> | undefined;

  /** Runs `task` in its turn. With an aborted `signal` the task starts at once, to find that out by itself. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.last;
    const work = before ? turnOf(before, task, signal) : task();
    const leave = (): void => {
      if (this.last === last) this.last = undefined;
    };
    const last = before ? Promise.allSettled([before, work]).then(leave) : work.then(leave, leave);
    this.last = last;
    return await work;
  }
}

async function turnOf<T>(before: Promise<void>, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  await endedOrAborted(before, signal);
  return await task();
}

async function endedOrAborted(before: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void before.then(done);
  });
}
