import readExcelFile from 'read-excel-file/universal';
import type { DataTable, TableRow } from './dataTable.ts';
import { getCellKey, SheetNumber } from './sheetNumber.ts';
import { checkWorkbook } from './workbookCheck.ts';

/**
 * Reads the nonempty sheets of an XLSX file. Reads formulas as their stored values. Rejects with a `TableError` if the
 * file isn't an intact ZIP archive or needs too much memory or time, and with another error if its content is invalid.
 */
export async function readSpreadsheet(bytes: Uint8Array): Promise<readonly DataTable[]> {
  await checkWorkbook(bytes);
  const parseNumber = (text: string): SheetNumber => new SheetNumber(text);
  const sheets = await readExcelFile<SheetNumber>(new Uint8Array(bytes).buffer, { parseNumber });
  return dropRepeated(sheets)
    .map(({ sheet, data }) => toTable(sheet, data))
    .filter(({ rows }) => rows.length > 0);
}

/** Returns the sheets, except those stored in the same file of the archive as an earlier sheet. */
function dropRepeated<T extends { readonly data: object }>(sheets: readonly T[]): readonly T[] {
  const seen = new Set<object>();
  return sheets.filter(({ data }) => {
    const isNew = !seen.has(data);
    seen.add(data);
    return isNew;
  });
}

function toTable(sheet: string, data: readonly (readonly unknown[])[]): DataTable {
  const rows = data.map((cells, index): TableRow => ({ line: index + 1, cells: cells.map(formatValue) }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { sheet, rows: filled, roundedCells: new Set(data.flatMap(listRoundedCells)) };
}

function listRoundedCells(cells: readonly unknown[], index: number): readonly string[] {
  return cells.flatMap((cell, column) =>
    cell instanceof SheetNumber && cell.isRounded ? [getCellKey(index + 1, column)] : [],
  );
}

function formatValue(value: unknown): string {
  if (value instanceof SheetNumber) return value.text;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
