import Mocha from 'mocha';
import { suites } from 'host-suites';
import { hangLimitMs } from '../support/hangLimit.ts';
import { printEnd, RingReporter } from '../support/ringReporter.ts';
import { chosenOrder, runInOrder } from '../support/testOrder.ts';

/** The address at which `runHost.ts` gives out the ring's files; undefined in an editor that runs all files. */
const queueAddress = process.env['DATA_TRANSFER_TEST_QUEUE'];

/** Entry point that the editor calls in its extension host. Runs the files of `test/host`; rejects if a test fails. */
export async function run(): Promise<void> {
  let failures = 0;
  for await (const file of queueAddress === undefined ? Object.keys(suites) : requestFiles(queueAddress))
    failures += await runFile(file);
  printEnd();
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}

/** Requests one file after another from the ring until none is left. Each request reports the file before it. */
async function* requestFiles(address: string): AsyncGenerator<string> {
  let file: string | undefined;
  for (;;) {
    const response = await fetch(address, { method: 'POST', body: JSON.stringify({ file }) });
    ({ file } = (await response.json()) as { readonly file?: string });
    if (file === undefined) return;
    yield file;
  }
}

/** Runs the tests of one file. Resolves to the number of failures. */
async function runFile(file: string): Promise<number> {
  const load = suites[file];
  if (load === undefined) throw new Error(`${file} is not in this build.`);
  const mocha = new Mocha({ ui: 'bdd', timeout: hangLimitMs, reporter: RingReporter, forbidOnly: true });
  const pattern = process.env['DATA_TRANSFER_TEST_GREP'];
  if (pattern) mocha.grep(pattern);
  mocha.suite.emit('pre-require', globalThis, file, mocha);
  load();
  const failures = await runInOrder(mocha, chosenOrder());
  mocha.dispose();
  return failures;
}
