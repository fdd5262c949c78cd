import { recordFailedSetups } from './failedSetups.ts';
import { ensureBuilt } from './prepared.ts';

/** Cleanups to run before mocha ends, each registered by the code that needs it. */
const endings: (() => Promise<void>)[] = [];

/** Registers a cleanup to run after all tests of this process. */
export function atEndOfTests(end: () => Promise<void>): void {
  endings.push(end);
}

/** Runs the cleanups for everything that tests have left running for reuse. */
export async function endTests(): Promise<void> {
  for (const end of endings) await end();
}

/** The hooks for running mocha directly. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: endTests };

/** Builds once before the first test when mocha runs directly, and records failed setups. */
export function mochaGlobalSetup(this: Mocha.Runner): void {
  ensureBuilt();
  recordFailedSetups(this);
}
