import readExcelFile from 'read-excel-file/universal';
import type { DataTable, TableRow } from './dataTable.ts';

/** Reads the sheets of an XLSX file that are not empty. Formulas are read as their stored values. */
export async function readSpreadsheet(bytes: Uint8Array): Promise<readonly DataTable[]> {
  let roundedCount = 0;
  const parseNumber = (text: string): string => {
    const number = Number(text);
    if (Number.isInteger(number) && !Number.isSafeInteger(number)) roundedCount += 1;
    return formatNumber(text, number);
  };
  const sheets = await readExcelFile<string>(new Uint8Array(bytes).buffer, { parseNumber });
  return sheets.map(({ sheet, data }) => toTable(sheet, data, roundedCount)).filter(({ rows }) => rows.length > 0);
}

function toTable(sheet: string, data: readonly (readonly unknown[])[], roundedCount: number): DataTable {
  const rows = data.map((cells, index): TableRow => ({ line: index + 1, cells: cells.map(formatValue) }));
  return { sheet, rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')), roundedCount };
}

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}

/** Writes an integer with all digits, because an exponent is no part of an ID. */
function formatNumber(text: string, number: number): string {
  if (/^-?\d+$/.test(text)) return text;
  return Number.isInteger(number) ? BigInt(number).toString() : String(number);
}
