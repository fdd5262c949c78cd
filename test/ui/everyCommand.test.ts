import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsRun } from '../support/editor/commandsRun.ts';
import { repositoryRoot } from '../support/editor/places.ts';
import { counted, type Tally } from '../support/tally.ts';

/** The ring runs this file last, and only where all the others ran. */
describe('The journeys together', () => {
  const tally: Tally = { kind: 'command', runs: 0 };

  const test = it('have run every command that the extension contributes', async () => {
    const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as {
      readonly contributes: { readonly commands: readonly { readonly command: string }[] };
    };
    const all = manifest.contributes.commands.map(({ command }) => command);
    const missed = all.filter((id) => !commandsRun().has(id));
    tally.runs = all.length - missed.length;
    console.log(`commands that ran in the journeys: ${tally.runs} of ${all.length}`);
    assert.deepEqual(missed, []);
  });
  counted(test, tally);
});
