import assert from 'node:assert/strict';
import { parseTextTable, readTables } from '../../../src/core/tables/dataTable.ts';
import { describeColumns, guessColumn, hasColumnNames } from '../../../src/core/tables/tableColumns.ts';
import { createXlsx } from '../../support/xlsxFile.ts';

async function readRows(name: string, bytes: Uint8Array): Promise<readonly (readonly [number, readonly string[]])[]> {
  const [table] = await readTables(name, bytes);
  return (table?.rows ?? []).map(({ line, cells }) => [line, cells]);
}

describe('Reading a table', () => {
  const text = 'id\tname\r\n1\tété\r\n';
  const rows = [
    [1, ['id', 'name']],
    [2, ['1', 'été']],
  ];
  const utf16 = Buffer.from(text, 'utf16le');

  for (const [encoding, bytes] of [
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['UTF-16 without a byte order mark', utf16],
    ['UTF-16 in big-endian order', Buffer.from(Buffer.from(`\uFEFF${text}`, 'utf16le')).swap16()],
    ['Windows-1252', Buffer.from(text, 'latin1')],
  ] as const) {
    it(`decodes ${encoding}`, async () => {
      assert.deepEqual(await readRows('table.tsv', bytes), rows);
    });
  }

  it('reads the sheets of a spreadsheet, with the numbers of their rows', async () => {
    const bytes = createXlsx({
      Empty: [],
      Samples: [['id', 'depth'], [], ['007', { number: '2.5' }], [undefined, { number: '12' }]],
      Notes: [['read me']],
    });
    const tables = await readTables('T.XLSX', bytes);
    assert.deepEqual(
      tables.map(({ sheet }) => sheet),
      ['Samples', 'Notes'],
    );
    assert.deepEqual(await readRows('T.XLSX', bytes), [
      [1, ['id', 'depth']],
      [3, ['007', '2.5']],
      [4, ['', '12']],
    ]);
    assert.equal(tables[0]?.roundedCount, 0);
  });

  it('writes large integers of a spreadsheet with all digits, and counts those that may be rounded', async () => {
    const bytes = createXlsx({ Sheet: [['id'], [{ number: '12345678901234567890' }], [{ number: '1.5E+16' }]] });
    const [table] = await readTables('t.xlsx', bytes);
    assert.ok(table);
    assert.deepEqual(
      table.rows.map(({ cells }) => cells[0]),
      ['id', '12345678901234567890', '15000000000000000'],
    );
    assert.equal(table.roundedCount, 2);
  });

  it('rejects a damaged spreadsheet', async () => {
    await assert.rejects(readTables('t.xlsx', Buffer.from('PK nothing')));
  });
});

describe('Guessing the column of a table', () => {
  const hash = 'a'.repeat(64);
  for (const [text, head, key] of [
    ['name,id,file_id\na,1,2\n', 'id', 'id'],
    ['sample,File ID\na,1\n', 'File ID', 'id'],
    [`sample,sha256\na,${hash}\n`, 'sha256', 'hash'],
    [`sample,value\na,${hash}\n`, 'value', 'hash'],
    ['size,file_name\n1,a.txt\n', 'file_name', 'name'],
    ['x,y\n1,2\n', 'x', 'id'],
  ] as const) {
    it(`finds ${head} in ${JSON.stringify(text.slice(0, 20))}`, () => {
      const { column, key: guessed } = guessColumn(describeColumns(parseTextTable(text)));
      assert.deepEqual([column.head, guessed], [head, key]);
    });
  }

  it('knows that a list may have no column name', () => {
    const isNamed = (text: string): boolean => hasColumnNames(describeColumns(parseTextTable(text)));
    assert.deepEqual(['id\n1\n', 'JDP:1\nJDP:2\n', 'a,b\n1,2\n', `${hash}\n${hash}\n`].map(isNamed), [
      true,
      false,
      true,
      false,
    ]);
  });
});
