/** Runs the test files of one ring with mocha: `node scripts/rings/runFiles.ts unit [pattern]`. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { keepEvidence } from '../../test/support/editor/evidence.ts';
import { installPacked } from '../../test/support/editor/installed.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { RingReporter } from '../../test/support/ringReporter.ts';
import { chosenOrder, runInOrder } from '../../test/support/testOrder.ts';

const timeoutsMs: Readonly<Record<string, number>> = { unit: 5_000, service: 20_000, ui: 120_000 };

const [ring = '', pattern] = process.argv.slice(2);
const timeout = timeoutsMs[ring];
if (timeout === undefined)
  throw new Error(`There is no ring "${ring}"; there are ${Object.keys(timeoutsMs).join(', ')}.`);

const mocha = new Mocha({ ui: 'bdd', timeout, reporter: RingReporter, forbidOnly: true });
if (pattern !== undefined) mocha.grep(pattern);
if (ring === 'ui') mocha.rootHooks({ afterEach: showFailure });
const files = globSync(`test/${ring}/**/*.test.ts`, { cwd: repositoryRoot }).sort();
const order = chosenOrder();
// The file that counts what all the others did comes last in every order, and not where each test runs alone.
const [counting, others] = [files.filter(isCounting), files.filter((file) => !isCounting(file))];
const ordered = order === 'reverse' ? [...counting, ...others] : [...others, ...counting];
for (const file of order === 'alone' ? others : ordered) mocha.addFile(resolve(repositoryRoot, file));
if (ring === 'ui') installPacked();
await mocha.loadFilesAsync();
process.exitCode = (await runInOrder(mocha, order)) > 0 ? 1 : 0;

function isCounting(file: string): boolean {
  return file.endsWith('everyCommand.test.ts');
}

async function showFailure(this: Mocha.Context): Promise<void> {
  const test = this.currentTest;
  if (test?.state !== 'failed') return;
  for (const file of await keepEvidence(test.fullTitle())) console.log(`    kept ${file}`);
}
