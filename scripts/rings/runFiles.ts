/**
 * Runs test files of one ring with Mocha, one at a time, as `ring.mjs` requests them: `runFiles.ts unit [pattern]`.
 * Started by `worker.mjs` with an IPC channel.
 */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { commandsRun } from '../../test/support/editor/commandsRun.ts';
import { saveFailureArtifacts } from '../../test/support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { hangLimitMs } from '../../test/support/hangLimit.ts';
import { endTests } from '../../test/support/mochaHooks.ts';
import { printEnd, RingReporter } from '../../test/support/ringReporter.ts';
import { chosenOrder, runInOrder, testsNotRun } from '../../test/support/testOrder.ts';

/**
 * A message from the ring with the next file, if any is left. For the last file, also contains the totals of the other
 * files.
 */
interface FileRequest {
  readonly file?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const [ring = '', pattern] = process.argv.slice(2);
const order = chosenOrder();

// Playwright's own handler for this signal would otherwise keep the process running.
process.once('SIGTERM', () => process.exit(143));
process.send?.({ ready: true });
for (;;) {
  const [{ file, environment }] = (await once(process, 'message')) as [FileRequest];
  if (file === undefined) break;
  Object.assign(process.env, environment);
  process.send?.({ ready: true, file, ...(await runFile(file)) });
}
await endTests();
printEnd();
process.disconnect();

/** Runs one file. Resolves to the number of tests that didn't run and the commands that did, for the ring's totals. */
async function runFile(file: string): Promise<{ notRun: number; commands: readonly string[] }> {
  const mocha = new Mocha({ ui: 'bdd', timeout: hangLimitMs, reporter: RingReporter, forbidOnly: true });
  if (pattern !== undefined) mocha.grep(pattern);
  if (ring === 'ui') mocha.rootHooks({ afterEach: showFailure });
  mocha.addFile(resolve(repositoryRoot, file));
  await mocha.loadFilesAsync();
  // Programs that the tests start from the sources load what this process has compiled.
  flushCompileCache();
  if ((await runInOrder(mocha, order)) > 0) process.exitCode = 1;
  mocha.dispose();
  return { notRun: testsNotRun(mocha.suite), commands: [...commandsRun()] };
}

async function showFailure(this: Mocha.Context): Promise<void> {
  const test = this.currentTest;
  if (test?.state !== 'failed') return;
  for (const file of await saveFailureArtifacts(test.fullTitle())) console.log(`saved ${file}`);
}
