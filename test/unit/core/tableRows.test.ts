import assert from 'node:assert/strict';
import { TableRows, type GridColumn } from '../../../src/core/search/tableRows.ts';

interface Row {
  readonly name: string;
  readonly size?: number;
  readonly database?: string;
  readonly license?: string;
}

const columns: readonly GridColumn<Row>[] = [
  { id: 'name', label: 'Name', kind: 'text', presence: 'always', read: ({ name }) => name },
  { id: 'size', label: 'Size', kind: 'size', presence: 'always', read: ({ size }) => size },
  { id: 'database', label: 'Database', kind: 'text', presence: 'varied', read: ({ database }) => database },
  { id: 'license', label: 'License', kind: 'text', presence: 'known', read: ({ license }) => license },
];

describe('The rows of a table', () => {
  let rows: TableRows<Row>;
  beforeEach(() => {
    rows = new TableRows(columns, ({ name }) => name, 'en');
  });

  const names = (): string => rows.shown.map(({ name }) => name).join(' ');
  const bySize = (isDescending: boolean): void => rows.arrange({ sort: { column: 'size', isDescending }, filter: '' });
  const addSizes = (...sizes: readonly (number | undefined)[]): void =>
    rows.add(sizes.map((size, index) => ({ name: `${rows.count + index}`, ...(size !== undefined && { size }) })));

  it('keep the order in which they were added until they are sorted', () => {
    addSizes(3, 1, 2);
    assert.equal(names(), '0 1 2');
    bySize(true);
    assert.equal(names(), '0 2 1');
    rows.arrange({ filter: '' });
    assert.equal(names(), '0 1 2');
  });

  it('keep the order of rows with equal values in both directions, and those of unknown value last', () => {
    addSizes(1, undefined, 2, 1, undefined, 2);
    bySize(false);
    assert.equal(names(), '0 3 2 5 1 4');
    bySize(true);
    assert.equal(names(), '2 5 0 3 1 4');
  });

  it('sort names as people do: by numbers, without case, and with their accents', () => {
    rows.add(['file10', 'File2', 'été', 'Zoo', 'etc'].map((name) => ({ name })));
    rows.arrange({ sort: { column: 'name', isDescending: false }, filter: '' });
    assert.equal(names(), 'etc été File2 file10 Zoo');
  });

  it('take their places in the order when they are added later', () => {
    addSizes(5, 1);
    bySize(true);
    addSizes(3, 5, 0);
    assert.equal(names(), '0 3 2 1 4');
    assert.deepEqual([rows.count, rows.shown.length], [5, 5]);
  });

  it('are read once for their order, however many are added later', () => {
    const read: string[] = [];
    const size: GridColumn<Row> = {
      id: 'size',
      label: 'Size',
      kind: 'size',
      presence: 'always',
      read: (row) => {
        read.push(row.name);
        return row.size;
      },
    };
    rows = new TableRows([size], ({ name }) => name, 'en');
    bySize(false);
    addSizes(3, undefined, 1);
    const { shown } = rows;
    rows.add([]);
    assert.equal(rows.shown, shown);
    addSizes(2, undefined);
    assert.equal(names(), '2 3 0 1 4');
    assert.deepEqual(read, ['0', '1', '2', '3', '4']);
  });

  it('can be added while they are sorted in another order', () => {
    addSizes(3, 1);
    rows.arrange({ sort: { column: 'size', isDescending: false }, filter: '' }, [{ name: '2', size: 2 }]);
    assert.deepEqual([names(), rows.count], ['1 2 0', 3]);
  });

  it('are shown if they contain all words of the filter, in any case, also when they are added later', () => {
    rows.add(['Data/2026/a.csv', 'data/2025/b.csv'].map((name) => ({ name })));
    rows.arrange({ filter: ' csv  DATA/2026 ' });
    assert.equal(names(), 'Data/2026/a.csv');
    rows.add(['data/2026/c.csv', 'other/2026/d.csv'].map((name) => ({ name })));
    assert.equal(names(), 'Data/2026/a.csv data/2026/c.csv');
    assert.equal(rows.count, 4);
  });

  it('are shown only if they are accepted', () => {
    addSizes(1, 2, 3);
    rows.arrange({ filter: '', accepts: ({ size = 0 }) => size > 1 });
    assert.equal(names(), '1 2');
  });

  it('are returned in parts, of which the last may be shorter', () => {
    addSizes(1, 2, 3, 4, 5);
    bySize(true);
    const part = (first: number): readonly string[] => rows.getWindow(first, 2).map(({ name }) => name);
    assert.deepEqual([part(0), part(4), part(6)], [['4', '3'], ['0'], []]);
  });

  it('have columns for what is known only of late rows, in which it is looked for a thousand at a time', () => {
    let readCount = 0;
    const read = ({ license }: Row): string | undefined => {
      readCount += 1;
      return license;
    };
    rows = new TableRows([{ id: 'license', label: 'License', kind: 'text', presence: 'known', read }], () => '', 'en');
    rows.add(Array.from({ length: 2_500 }, (_, index) => ({ name: `${index}` })));
    assert.equal(readCount, 1_000);
    rows.add([{ name: 'last', license: 'CC0' }]);
    assert.deepEqual([readCount, rows.shownColumns.length], [2_000, 0]);
    assert.equal(rows.findColumns(), false);
    assert.equal(rows.shownColumns.length, 1);
  });

  it('have columns only for what is known or differs', () => {
    const shown = (): string => rows.shownColumns.map(({ id }) => id).join(' ');
    assert.equal(shown(), 'name size');
    rows.add([{ name: 'a', database: 'Alpha' }]);
    rows.add([{ name: 'b', database: 'Alpha' }]);
    assert.equal(shown(), 'name size');
    rows.add([{ name: 'c', database: 'Beta', license: 'CC0-1.0' }]);
    assert.equal(shown(), 'name size database license');
    rows.clear();
    assert.deepEqual([rows.count, rows.shown.length], [0, 0]);
    rows.add([{ name: 'a', database: 'Alpha' }]);
    assert.equal(shown(), 'name size');
  });

  it('keep the columns of late rows while they are replaced, until all have been looked at', () => {
    const replace = (license?: string): void => {
      rows.clear();
      const others = Array.from({ length: 2_500 }, (_, index) => ({ name: `${index}` }));
      rows.add([...others, { name: 'last', ...(license !== undefined && { license }) }]);
    };
    const shown = (): string => rows.shownColumns.map(({ id }) => id).join(' ');
    rows.add([{ name: 'a', license: 'CC0-1.0' }]);
    for (const license of ['CC0-1.0', 'MIT', undefined]) {
      replace(license);
      assert.equal(shown(), 'name size license');
      while (rows.findColumns());
    }
    assert.equal(shown(), 'name size');
  });

  it('are not sorted by a column that does not exist', () => {
    addSizes(1, 2);
    rows.arrange({ sort: { column: 'gone', isDescending: true }, filter: '' });
    assert.equal(names(), '0 1');
  });
});
