/** A line of tasks: each starts when the one before it has ended, well or not (D11). */
export class OneAtATime {
  /** Settled when the whole line has ended; absent while nobody stands in it. Never rejected. */
  private last: Promise<unknown> | undefined;

  /** Runs `task` in its turn. With an aborted `signal` the task starts at once, to find that out by itself. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.last;
    const { promise: ended, resolve: end } = promiseWithResolvers();
    const last = before ? Promise.all([before, ended]) : ended;
    this.last = last;
    void last.then(() => {
      if (this.last === last) this.last = undefined;
    });
    try {
      if (before) await Promise.race([before, aborted(signal, ended)]);
      return await task();
    } finally {
      end();
    }
  }
}

function promiseWithResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((callback) => {
    resolve = callback;
  });
  return { promise, resolve };
}

async function aborted(signal: AbortSignal, ended: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void ended.then(done);
  });
}
