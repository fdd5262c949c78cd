let failedTitle: string | undefined;

/** Records the setup that fails in each outermost suite of a run. */
export function recordFailedSetups(runner: Mocha.Runner): void {
  runner.on('fail', (runnable) => {
    if (runnable.title.startsWith('"before ')) failedTitle = runnable.fullTitle();
  });
  runner.on('suite end', (suite) => {
    if (suite.parent?.root) failedTitle = undefined;
  });
}

/** Returns the title of the setup that failed in the running suite, once; undefined if none did. */
export function takeFailedSetup(): string | undefined {
  const title = failedTitle;
  failedTitle = undefined;
  return title;
}
