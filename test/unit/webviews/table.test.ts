import assert from 'node:assert/strict';
import {
  getArrangementId,
  toPageState,
  type TableHostMessage,
  type TableSnapshot,
} from '../../../src/webviews/messages/tableMessages.ts';
import {
  findRow,
  getRange,
  getScrollTop,
  getWidths,
  listMissingChunks,
  moveActive,
  rowHeight,
  takeMissingChunks,
  toggleSort,
  updateTable,
  type TableState,
} from '../../../src/webviews/table/tableState.ts';
import { tableNews, tableRows } from '../../support/pageStates.ts';

const start = (more: Partial<TableSnapshot> = {}): TableState => {
  const message = tableNews(tableRows(100), { total: 50_000, shown: 50_000, ...more }) as TableHostMessage;
  return updateTable(undefined, message) ?? assert.fail('no state');
};

const receive = (state: TableState, chunk: number, version = state.snapshot.version): TableState =>
  updateTable(state, { type: 'rows', version, chunk, rows: tableRows(100, 100 * chunk) }) ?? assert.fail('no state');

describe('The state of a table', () => {
  it('has the rows of each chunk at their positions', () => {
    const state = receive(start(), 499);
    assert.deepEqual(
      [0, 99, 100, 49_999, 50_000].map((index) => findRow(state, index)?.key),
      ['f0', 'f99', undefined, 'f49999', undefined],
    );
  });

  it('lacks the chunks of the visible rows that have not arrived, or are of an older version', () => {
    const state = start();
    assert.deepEqual(listMissingChunks(state, { first: 0, end: 100 }), []);
    assert.deepEqual(listMissingChunks(state, { first: 90, end: 101 }), [1]);
    assert.deepEqual(listMissingChunks(receive(state, 1), { first: 90, end: 101 }), []);
    assert.deepEqual(listMissingChunks(receive(state, 1, 0), { first: 90, end: 101 }), [1]);
    assert.deepEqual(listMissingChunks(state, { first: 0, end: 0 }), []);
  });

  it('keeps showing the earlier rows until new ones arrive, unless the columns have changed', () => {
    const before = start();
    const { snapshot } = before;
    const after = updateTable(before, { type: 'snapshot', snapshot: { ...snapshot, version: 2 } });
    assert.equal(after && findRow(after, 3)?.key, 'f3');
    assert.deepEqual(after && listMissingChunks(after, { first: 0, end: 10 }), [0]);
    const columns = snapshot.columns.slice(1);
    const other = updateTable(before, { type: 'snapshot', snapshot: { ...snapshot, version: 2, columns } });
    assert.equal(other && findRow(other, 3), undefined);
  });

  it('keeps the last twenty chunks', () => {
    let state = start();
    for (let chunk = 1; chunk <= 25; chunk += 1) state = receive(state, chunk);
    assert.deepEqual([...state.chunks.keys()].sort((one, other) => one - other).at(0), 6);
    assert.equal(state.chunks.size, 20);
  });

  it('requests a chunk once, and again when it was received and dropped since', () => {
    const requested = new Map<number, number>();
    let state = start();
    const take = (chunk: number): readonly number[] =>
      takeMissingChunks(state, { first: 100 * chunk, end: 100 * chunk + 1 }, requested);
    assert.deepEqual([take(1), take(1)], [[1], []]);
    for (let chunk = 1; chunk <= 25; chunk += 1) {
      take(chunk);
      state = receive(state, chunk);
    }
    assert.deepEqual([take(25), take(1), take(1)], [[], [1], []]);
  });

  it('waits for the current version of a chunk while an older one arrives', () => {
    const requested = new Map<number, number>();
    const { snapshot, chunks } = start();
    const state = { snapshot: { ...snapshot, version: 2 }, chunks };
    assert.deepEqual(takeMissingChunks(state, { first: 0, end: 1 }, requested), [0]);
    assert.deepEqual(takeMissingChunks(receive(state, 0, 1), { first: 0, end: 1 }, requested), []);
    assert.deepEqual(requested, new Map([[0, 2]]));
  });

  it('ignores rows that arrive before the table', () => {
    assert.equal(updateTable(undefined, { type: 'rows', version: 1, chunk: 0, rows: [] }), undefined);
  });
});

describe('The saved state of a table', () => {
  const sort = { column: 'size', isDescending: true };
  const { snapshot } = start({ subject: 's', sort, filter: 'a', isToggled: true, active: 7 });

  it('has what the user arranged, and nothing else', () => {
    assert.deepEqual(toPageState(snapshot), { subject: 's', sort, filter: 'a', isToggled: true, active: 7 });
  });

  it('names other rows and another order, but not the active row', () => {
    const id = getArrangementId(snapshot);
    const later = { ...snapshot, active: 8, version: 9 };
    assert.equal(getArrangementId(later), id);
    const others = [{ subject: 't' }, { sort: { ...sort, isDescending: false } }, { filter: '' }, { isToggled: false }];
    const ids = others.map((other) => getArrangementId({ ...snapshot, ...other }));
    assert.equal(new Set([id, ...ids]).size, 5);
  });
});

describe('The visible part of a table', () => {
  it('contains the rows that can be seen, with some more on both sides', () => {
    for (const scrollTop of [0, 1, 1000, 123_456, 50_000 * rowHeight - 480]) {
      const { first, end } = getRange(scrollTop, 480, 50_000);
      assert.ok(first >= 0 && first * rowHeight <= scrollTop, `${first} to ${end} at ${scrollTop}`);
      assert.ok(end <= 50_000 && end * rowHeight >= scrollTop + 480, `${first} to ${end} at ${scrollTop}`);
      assert.ok(end - first < 50, `${end - first} rows`);
    }
  });

  it('stays the same while fewer than five rows are scrolled', () => {
    assert.deepEqual(getRange(100 * rowHeight, 480, 50_000), getRange(104 * rowHeight, 480, 50_000));
  });

  it('ends with the last row', () => {
    assert.deepEqual(getRange(0, 480, 3), { first: 0, end: 3 });
    assert.deepEqual(getRange(0, 480, 0), { first: 0, end: 0 });
  });

  it('follows the row that has the focus, and only as far as needed', () => {
    assert.equal(getScrollTop(0, 100, 480), 0);
    assert.equal(getScrollTop(10, 100, 480), 100);
    assert.equal(getScrollTop(40, 100, 480), 41 * rowHeight - 480);
  });
});

describe('The keys of a table', () => {
  const cases = [
    ['ArrowDown', 5, 6],
    ['ArrowDown', 99, 99],
    ['ArrowUp', 5, 4],
    ['ArrowUp', 0, 0],
    ['PageDown', 5, 25],
    ['PageDown', 95, 99],
    ['PageUp', 5, 0],
    ['Home', 5, 0],
    ['End', 5, 99],
    ['x', 5, undefined],
    ['toString', 5, undefined],
  ] as const;
  for (const [key, active, expected] of cases)
    it(`${expected === undefined ? "don't move" : 'move'} the focus from row ${active} with ${key}`, () => {
      assert.equal(moveActive(key, active, 100, 20), expected);
    });
});

describe('The headers of a table', () => {
  const name = { id: 'name', label: 'Name', kind: 'text' } as const;
  const size = { id: 'size', label: 'Size', kind: 'size' } as const;

  it('sort texts from A on and sizes from the largest on, and then the other way round', () => {
    const first = toggleSort(undefined, size);
    assert.deepEqual(first, { column: 'size', isDescending: true });
    assert.deepEqual(toggleSort(first, size), { column: 'size', isDescending: false });
    assert.deepEqual(toggleSort(first, name), { column: 'name', isDescending: false });
  });

  it('are as wide as the columns below them', () => {
    const columns = [name, size, { id: 'any', label: 'Any', kind: 'text' }] as const;
    assert.deepEqual(getWidths({ columns, hasChecks: true }), {
      total: '460px',
      columns: '32px minmax(220px, 3fr) 88px minmax(120px, 1fr)',
    });
    assert.equal(getWidths({ columns, hasChecks: false }).total, '428px');
  });
});
