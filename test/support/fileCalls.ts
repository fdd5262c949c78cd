import { createHook } from 'node:async_hooks';

const kinds: ReadonlySet<string> = new Set(['FSREQCALLBACK', 'FSREQPROMISE']);

/** Runs `act` and returns the number of asynchronous file system calls that were made in the meantime. */
export async function countFileCalls(act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_, type) => {
      if (kinds.has(type)) count++;
    },
  });
  hook.enable();
  try {
    await act();
  } finally {
    hook.disable();
  }
  return count;
}
