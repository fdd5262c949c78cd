import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/editor/places.ts';
import { counted, type Tally } from '../../support/tally.ts';

/** The results of all other journeys. The test runner passes them to this file, which runs last. */
interface JourneysRun {
  readonly notRun: number;
  readonly commands: readonly string[];
}

describe('All journeys together', () => {
  const tally: Tally = { kind: 'command', runs: 0 };

  const test = it('run every command that the extension contributes', async () => {
    const given = process.env['DATA_TRANSFER_JOURNEYS_RUN'];
    assert.ok(given, 'This test evaluates the results of all others. Run them all: npm test -- --ring ui');
    const { notRun, commands } = JSON.parse(given) as JourneysRun;
    assert.equal(notRun, 0, `${notRun} other tests in the ui ring did not run. Run them all: npm test -- --ring ui`);
    const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as {
      readonly contributes: { readonly commands: readonly { readonly command: string }[] };
    };
    const all = manifest.contributes.commands.map(({ command }) => command);
    const missed = all.filter((id) => !commands.includes(id));
    tally.runs = all.length - missed.length;
    console.log(`commands that ran in the journeys: ${tally.runs} of ${all.length}`);
    assert.deepEqual(missed, []);
  });
  counted(test, tally);
});
