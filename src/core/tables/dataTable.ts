import { parseCsv, type CsvRecord } from '../util/csv.ts';
import type { CellDoubt } from './cellDoubt.ts';
import { maxCells, maxColumns, maxRows, TableError } from './tableError.ts';
import { decodeTableText, detectFormat } from './tableFormat.ts';

/** A row of a table. */
export interface TableRow {
  /** The line of a text file or the row of a spreadsheet, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of a text file or of one sheet of a spreadsheet. Column names, if there are any, are in the first row. */
export interface DataTable {
  readonly rows: readonly TableRow[];
  /** Name of the sheet; absent for a text file. */
  readonly sheet?: string;
  /** The doubtful cells, by their keys from `getCellKey`; empty for a text file. */
  readonly doubts: ReadonlyMap<string, CellDoubt>;
  /** The lines of a text file that have more values than the first row, so that columns may be shifted. */
  readonly longRows: readonly number[];
  /** The lines of a text file on which rows begin whose quotes may enclose other rows, if there are any. */
  readonly joinedRows?: readonly number[];
}

/** Maximum size of a table's file, in bytes. */
export const maxTableBytes = 32_000_000;

/**
 * The texts that programs write for a missing value: BIDS (`n/a`), R (`NA`), pandas (`NaN`, `<NA>`), Python (`None`),
 * Excel (`#N/A`), databases (`NULL`, `\N`), the GDC (`'--`), and people (`-`).
 */
const missingValues: ReadonlySet<string> = new Set([
  '',
  '-',
  '--',
  "'--",
  'n/a',
  'N/A',
  '#N/A',
  'NA',
  '<NA>',
  'NaN',
  'nan',
  'null',
  'NULL',
  'None',
  '\\N',
]);

/** Returns true if a cell is empty or contains the text for a missing value. */
export function isMissing(cell: string): boolean {
  return missingValues.has(cell.trim());
}

/**
 * Parses a table of delimiter-separated values. Throws a {@link TableError} if the table has too many rows or columns,
 * or too many cells once every row is padded to the length of the longest one.
 */
export function parseTextTable(text: string): DataTable {
  const rows: CsvRecord[] = [];
  let columns = 0;
  for (const row of parseCsv(text)) {
    rows.push(row);
    if (rows.length > maxRows) throw new TableError('tooManyRows');
    columns = Math.max(columns, row.cells.length);
    if (columns > maxColumns || rows.length * columns > maxCells) throw new TableError('tooManyColumns');
  }
  return createTextTable(rows);
}

/**
 * Returns the table of these records. If it is certainly a table of R, its first column has no name, as R and pandas
 * read it. Lists rows that have too many values, and those whose quotes enclose lines as wide as the table.
 */
function createTextTable(records: readonly CsvRecord[]): DataTable {
  const [header, ...others] = records;
  const width = header?.cells.length ?? 0;
  if (header && hasRowNames(header, others)) {
    const named = { line: header.line, cells: ['', ...header.cells] };
    return { rows: [named, ...others], doubts: new Map(), longRows: [] };
  }
  const longRows = listLines(others.filter(({ cells }) => cells.slice(width).some(Boolean)));
  const joinedRows = listLines(records.filter(({ lineWidth }) => lineWidth === width));
  return { rows: records, doubts: new Map(), longRows, joinedRows };
}

function listLines(records: readonly CsvRecord[]): readonly number[] {
  return records.map(({ line }) => line);
}

/**
 * Returns true if each row certainly begins with a name as R writes it. Other programs also write values without a
 * column name, so two of three signs must agree: quotes around all names, numbers as the names of rows, and R's
 * separators.
 */
function hasRowNames(
  { cells: { length: width }, separator, quotedCount }: CsvRecord,
  rows: readonly CsvRecord[],
): boolean {
  const isFull = rows.every(({ cells }) => cells.length === width + 1 && cells[0] !== '' && cells[width] !== '');
  const isDistinct = new Set(rows.map(({ cells }) => cells[0])).size === rows.length;
  const isQuoted = quotedCount === width && rows.every((row) => row.quotedCount > 0);
  const isNumbered = rows.every(({ cells }, index) => cells[0] === String(index + 1));
  const isSeparated = separator === ' ' || (separator === '\t' && width > 1);
  const signs = [isQuoted, isNumbered, isSeparated].filter(Boolean);
  return rows.length > 0 && isFull && isDistinct && signs.length > 1;
}

/**
 * Reads the tables in a file: the nonempty sheets of a workbook (XLSX, XLSM or ODS), or one table of
 * delimiter-separated values. Rejects with a {@link TableError} if the file has another format or is damaged, or if
 * reading it needs too much memory or time.
 */
export async function readTables(fileName: string, bytes: Uint8Array): Promise<readonly DataTable[]> {
  if (detectFormat(fileName, bytes) === 'text') return [parseTextTable(decodeTableText(bytes))];
  const { WorkbookFile } = await import('./workbookFile.ts');
  const file = new WorkbookFile(bytes);
  const sheets = file.isOpenDocument
    ? await (await import('./openDocument.ts')).readOpenDocument(file)
    : await (await import('./excelWorkbook.ts')).readExcelWorkbook(file);
  const filled = sheets.filter(({ rows }) => rows.length > 0);
  return filled.map(({ name, rows, doubts }) => ({ sheet: name, rows, doubts, longRows: [] }));
}

/** Returns the number of cells in the longest row. */
export function countColumns({ rows }: DataTable): number {
  return rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
}
