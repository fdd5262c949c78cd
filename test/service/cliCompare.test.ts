import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cliCall.ts';

describe('The comparison of a recipe without a lock', () => {
  const from = { database: 'Source Data', search: { query: 'csv' } };
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cli-compare-'));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [what, recipe, advice] of [
    ['a transfer', { from, to: { database: 'Target' } }, 'Running the recipe writes one.'],
    ['a saved search', { from }, 'It is a saved search: add a destination and run it to write one.'],
  ] as const) {
    it(`states how ${what} gets one, and exits with 4`, async () => {
      const file = join(folder, 'reads.transfer.json');
      await writeFile(file, JSON.stringify(recipe));
      const { code, stdout, stderr } = await callCli(['compare', file]);
      assert.deepEqual([code, stdout, stderr], [4, '', `The recipe has no lock to compare with. ${advice}\n`]);
    });
  }
});
