let failedTitle: string | undefined;

/** Remembers the last setup that failed in the running outermost suite, for {@link takeFailedSetup}. */
export function recordFailedSetups(runner: Mocha.Runner): void {
  runner.on('fail', (runnable) => {
    if (runnable.title.startsWith('"before ')) failedTitle = runnable.fullTitle();
  });
  runner.on('suite end', (suite) => {
    if (suite.parent?.root) failedTitle = undefined;
  });
}

/** Returns the title of the setup that failed in the running suite; undefined if none did, or on a later call. */
export function takeFailedSetup(): string | undefined {
  const title = failedTitle;
  failedTitle = undefined;
  return title;
}
