import { parseCsv } from '../util/csv.ts';
import { maxCells, maxColumns, TableError } from './tableError.ts';
import { decodeTableText } from './tableText.ts';

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
  /** The keys (from `getCellKey`) of cells whose integer may have been rounded; empty for a text file. */
  readonly roundedCells: ReadonlySet<string>;
}

/** Maximum size of a table's file, in bytes. */
export const maxTableBytes = 32_000_000;

/**
 * Parses a table of delimiter-separated values. Throws a {@link TableError} if the table has too many columns, or too
 * many cells once every row is padded to the length of the longest one.
 */
export function parseTextTable(text: string): DataTable {
  const rows: TableRow[] = [];
  let columns = 0;
  for (const row of parseCsv(text)) {
    rows.push(row);
    columns = Math.max(columns, row.cells.length);
    if (columns > maxColumns || rows.length * columns > maxCells) throw new TableError('tooManyColumns');
  }
  return { rows, roundedCells: new Set() };
}

/**
 * Reads the tables in a file: the nonempty sheets of a spreadsheet, or one table of delimiter-separated values. Rejects
 * with a {@link TableError} if a spreadsheet isn't an intact ZIP archive or a table needs too much memory or time, and
 * with another error if a workbook's content is invalid.
 */
export async function readTables(fileName: string, bytes: Uint8Array): Promise<readonly DataTable[]> {
  if (!/\.xlsx$/i.test(fileName)) return [parseTextTable(decodeTableText(bytes))];
  const { readSpreadsheet } = await import('./spreadsheet.ts');
  return await readSpreadsheet(bytes);
}

/** Returns the number of cells in the longest row. */
export function countColumns({ rows }: DataTable): number {
  return rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
}
