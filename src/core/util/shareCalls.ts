/** Returns a function that makes one call at a time for each argument. Callers in the meantime share its result. */
export function shareCalls<T>(call: (argument: string) => Promise<T>): (argument: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return async (argument) => {
    const known = running.get(argument);
    if (known !== undefined) return await known;
    const started = call(argument).finally(() => running.delete(argument));
    running.set(argument, started);
    return await started;
  };
}
