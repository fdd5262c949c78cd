import assert from 'node:assert/strict';
import { readTables } from '../../../src/core/tables/dataTable.ts';
import { bySize } from '../../support/testSize.ts';
import { createSheetXml, createXlsx } from '../../support/xlsxFile.ts';

/** Returns a workbook of one sheet with these rows. */
function createWorkbook(rows: string): Uint8Array {
  const files = { 'xl/worksheets/sheet1.xml': createSheetXml(rows) };
  return createXlsx({ Sheet: [['id']] }, { isDeflated: true, files });
}

describe('Reading a large spreadsheet', () => {
  const length = bySize(262_144, 1_048_576);
  it(`reads a sheet with ${String(length)} rows; the format allows 1,048,576`, async () => {
    const rows = Array.from({ length }, (_, index) => `<row><c r="A${index + 1}"><v>1</v></c></row>`);
    const [table] = await readTables('t.xlsx', createWorkbook(rows.join('')));
    assert.equal(table?.rows.length, length);
  });

  const long = bySize(8_000_000, 40_000_000);
  const quoted = `x="${'>'.repeat(100)}" `;
  for (const [what, content] of [
    ['a text', `<c r="A1" t="str"><v>${'a'.repeat(long)}</v></c>`],
    ['blanks in a tag', `<c r="A1" t="str"${' '.repeat(long / 10)}><v>a</v></c>`],
    ['attributes', `<c r="A1" t="str" ${quoted.repeat(long / 10 / quoted.length)}><v>a</v></c>`],
    ['a comment', `<!--${'<c>'.repeat(long / 3)}--><c r="A1" t="str"><v>a</v></c>`],
  ] as const) {
    it(`reads a sheet with millions of characters in ${what}`, async () => {
      const [table] = await readTables('t.xlsx', createWorkbook(`<row r="1">${content}</row>`));
      assert.match(table?.rows[0]?.cells[0] ?? '', /^a/);
    });
  }

  for (const [what, content] of [
    ['an unclosed comment', `<!--${'a'.repeat(long)}`],
    ['an unclosed instruction', `<?${'a'.repeat(long)}`],
    ['quotes', `<c r="A1" ${'"'.repeat(long)}>`],
    ['unclosed quotes', `${'<'.repeat(30_000)}"${'>'.repeat(long)}`],
  ] as const) {
    it(`rejects a sheet with millions of characters in ${what}`, async () => {
      await assert.rejects(readTables('t.xlsx', createWorkbook(`<row r="1">${content}</row>`)));
    });
  }
});
