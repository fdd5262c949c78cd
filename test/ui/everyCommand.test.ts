import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsRun } from '../support/editor/commandsRun.ts';
import { repositoryRoot } from '../support/editor/places.ts';
import { counted, type Tally } from '../support/tally.ts';

/** Returns the tests of the ring that did not run before this one. */
function testsNotRun(suite: Mocha.Suite, self: Mocha.Runnable | undefined): readonly Mocha.Test[] {
  const own = suite.tests.filter((test) => test !== self && test.state === undefined);
  return [...own, ...suite.suites.flatMap((inner) => testsNotRun(inner, self))];
}

function rootOf(suite: Mocha.Suite): Mocha.Suite {
  return suite.parent ? rootOf(suite.parent) : suite;
}

/** Counts what all the other journeys did, so the ring runs this file last. */
describe('The journeys together', () => {
  const tally: Tally = { kind: 'command', runs: 0 };

  const test = it('have run every command that the extension contributes', async function () {
    const root = this.test?.parent && rootOf(this.test.parent);
    const missing = root ? testsNotRun(root, this.test).length : 0;
    assert.equal(missing, 0, `${missing} other tests of the ui ring did not run. Run them all: npm test -- --ring ui`);
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
