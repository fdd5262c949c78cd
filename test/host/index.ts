import Mocha from 'mocha';
import { suites } from 'host-suites';
import { hangLimitMs } from '../support/hangLimit.ts';
import { printEnd, RingReporter } from '../support/ringReporter.ts';
import { chosenOrder, runInOrder } from '../support/testOrder.ts';

/**
 * Entry point that the editor calls in its extension host. Runs this process's part of the `test/host/**\/*.test.ts`
 * files; rejects if a test fails.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: hangLimitMs, reporter: RingReporter, forbidOnly: true });
  const pattern = process.env['DATA_TRANSFER_TEST_GREP'];
  if (pattern) mocha.grep(pattern);
  for (const [file, load] of getOwnPart(Object.entries(suites))) {
    mocha.suite.emit('pre-require', globalThis, file, mocha);
    load();
  }
  const failures = await runInOrder(mocha, chosenOrder());
  printEnd();
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}

/**
 * Returns every nth file, where n is the number of the ring's processes. The environment specifies this process's part:
 * `1/2` for the second of two.
 */
function getOwnPart<T>(files: readonly T[]): readonly T[] {
  const [part = 0, count = 1] = (process.env['DATA_TRANSFER_TEST_PART'] ?? '').split('/').filter(Boolean).map(Number);
  return files.filter((_, index) => index % count === part);
}
