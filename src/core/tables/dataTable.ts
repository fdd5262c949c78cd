import { parseCsv } from '../util/csv.ts';
import { decodeTableText } from './tableText.ts';

/** A row of a table. */
export interface TableRow {
  /** The line of a text file or the row of a spreadsheet, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of a text file or of one sheet of a spreadsheet. Column names, if there are any, are the first row. */
export interface DataTable {
  readonly rows: readonly TableRow[];
  /** Name of the sheet; absent for a text file. */
  readonly sheet?: string;
  /** The keys of the cells whose integers a spreadsheet has rounded; empty for a text file. */
  readonly roundedCells: ReadonlySet<string>;
}

/** Maximum size of the file of a table, in bytes. */
export const maxTableBytes = 32_000_000;

/** Parses a table of separated values. */
export function parseTextTable(text: string): DataTable {
  return { rows: [...parseCsv(text)], roundedCells: new Set() };
}

/**
 * Reads the tables in a file: the sheets of a spreadsheet that contain anything, or one table of separated values.
 * Rejects with a `TableError` if a spreadsheet isn't a workbook or is too large in memory, with an error if it is
 * damaged.
 */
export async function readTables(fileName: string, bytes: Uint8Array): Promise<readonly DataTable[]> {
  if (!/\.xlsx$/i.test(fileName)) return [parseTextTable(decodeTableText(bytes))];
  const { readSpreadsheet } = await import('./spreadsheet.ts');
  return await readSpreadsheet(bytes);
}

/** Returns the number of columns. */
export function countColumns({ rows }: DataTable): number {
  return rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
}
