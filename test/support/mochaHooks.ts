import { useBuiltThreads } from './builtThreads.ts';
import { recordFailedSetups } from './failedSetups.ts';
import { ensureBuilt } from './prepared.ts';
import { useChosenRclone } from './rclones.ts';

useBuiltThreads();
useChosenRclone();

/** Cleanups to run after all tests, each registered by the code that needs it. */
const endings: (() => Promise<void>)[] = [];

/** Registers a cleanup to run after all tests of this process. */
export function atEndOfTests(end: () => Promise<void>): void {
  endings.push(end);
}

/** Runs the registered cleanups one after another, to end or remove what tests have left behind. */
export async function endTests(): Promise<void> {
  for (const end of endings) await end();
}

/** The root hooks for running mocha without the test runner. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: endTests };

/** Builds the files that tests use, if mocha runs without the test runner. Starts recording failed setups. */
export function mochaGlobalSetup(this: Mocha.Runner): void {
  ensureBuilt();
  recordFailedSetups(this);
}
