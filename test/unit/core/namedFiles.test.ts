import assert from 'node:assert/strict';
import { findNamedFiles } from '../../../src/core/model/idList.ts';
import type { TransferFile } from '../../../src/core/model/transferModel.ts';

const file = (id: string, name = id): TransferFile => ({ id, name });

describe('The files that a message names', () => {
  const files = [
    file('JDP:1', 'a.csv'),
    file('JDP:12', 'b.csv'),
    file('JDP:3', 'my b.csv'),
    file('JDP:4', 'data/a.csv'),
  ];
  const named = (message: string): readonly string[] => findNamedFiles(message, files).map(({ id }) => id);

  for (const [message, ids] of [
    ['Transfer x: failed (could not read a.csv: not found)', ['JDP:1']],
    ['The following resources were not found: JDP:12, JDP:3', ['JDP:12', 'JDP:3']],
    ['JDP:12', ['JDP:12']],
    ['"JDP:1" is missing.', ['JDP:1']],
    ['missing JDP:1.', ['JDP:1']],
    ['missing: my b.csv', ['JDP:3']],
    ['missing: data/a.csv', ['JDP:4']],
    ['missing: my b.csv and b.csv', ['JDP:12', 'JDP:3']],
    ['JDP:123, xJDP:1, a.csv.gz, other/a.csv', []],
    ['staging 4 file(s) (0.66 GB)', []],
    ['', []],
  ] as const) {
    it(`are ${ids.join(', ') || 'none'} in "${message}"`, () => {
      assert.deepEqual(named(message), ids);
    });
  }

  it('are all files with the same name', () => {
    assert.equal(findNamedFiles('x.csv is missing', [file('1', 'x.csv'), file('2', 'x.csv')]).length, 2);
  });

  it('are never those with an empty name', () => {
    assert.deepEqual(findNamedFiles('any text', [file('1', ''), file('2', ' ')]), []);
  });

  it('are found in bounded time in a long message about many files', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => file(`id-${String(index)}`));
    const message = many.map(({ id }) => id).join(', ');
    const found = findNamedFiles(message, many).length;
    assert.ok(found > 1000 && found < 20_000, String(found));
  });
});
