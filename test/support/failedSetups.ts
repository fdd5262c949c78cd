let failedTitle: string | undefined;

/**
 * Records the last failed setup (a `before` or `beforeEach` hook) in the current top-level suite, for
 * {@link takeFailedSetup}.
 */
export function recordFailedSetups(runner: Mocha.Runner): void {
  runner.on('fail', (runnable) => {
    if (runnable.title.startsWith('"before ')) failedTitle = runnable.fullTitle();
  });
  runner.on('suite end', (suite) => {
    if (suite.parent?.root) failedTitle = undefined;
  });
}

/** Returns the title of the recorded setup and forgets the setup; undefined if none is recorded. */
export function takeFailedSetup(): string | undefined {
  const title = failedTitle;
  failedTitle = undefined;
  return title;
}
