import assert from 'node:assert/strict';
import { alignRows } from '../../../src/core/tables/tableMatch.ts';
import type { Cell } from '../../../src/core/util/csv.ts';

function align(rows: readonly (readonly Cell[])[]): readonly string[] {
  return [...alignRows(() => rows)].join('').split('\n');
}

describe('Aligned rows', () => {
  it('start each column at the same position, below a header with a rule', () => {
    assert.deepEqual(
      align([
        ['id', 'row', 'match'],
        ['JDP:1', 10, 'matched'],
        [undefined, 2, 'no value'],
        ['Größe 😀', 3, undefined],
      ]),
      [
        'id       row  match',
        '───────  ───  ────────',
        'JDP:1    10   matched',
        '         2    no value',
        'Größe 😀  3',
        '',
      ],
    );
  });

  it('stay on one line, whatever a cell contains, and shorten long cells', () => {
    const lines = align([
      ['a', 'b'],
      ['1\n2\t3\u202e', 'x'.repeat(100_000)],
    ]);
    assert.equal(lines.length, 4);
    assert.equal(lines[2], `1 2 3  ${'x'.repeat(63)}…`);
  });

  it('are empty for an empty table', () => {
    assert.deepEqual(align([]), ['']);
  });
});
