import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/editor/places.ts';
import { describeKinds } from '../../support/placeKinds.ts';

describe('The table of docs/stores.md (D62)', () => {
  it('states what the suite of every kind of place proves', () => {
    const text = readFileSync(join(repositoryRoot, 'docs/stores.md'), 'utf8');
    const [, section = ''] = text.split('## What holds where\n');
    const rows = section.split('\n').filter((line) => line.startsWith('|'));
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim().replace(/^-+$/, '-')));
    const expected = describeKinds();
    assert.deepEqual(
      cells.map((row) => row.join('|')),
      expected,
      `The table must be:\n${expected.join('\n')}`,
    );
  });
});
