import { parseCsv } from '../util/csv.ts';
import { maxCells, maxColumns, TableError } from './tableError.ts';

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

/**
 * Decodes the text of a table from UTF-8 or UTF-16, with or without a byte order mark. Decodes any other bytes as
 * Windows-1252. Spreadsheet programs save "Unicode Text" as UTF-16.
 */
function decodeTableText(bytes: Uint8Array): string {
  const encoding = detectUtf16(bytes);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Number of bytes to inspect at the start of a file. */
const sampleSize = 1024;
/** Number of zero bytes that a small table in another encoding may have. */
const maxNulCharacters = 3;

/**
 * Detects UTF-16 by its byte order mark, or by the zero bytes in ASCII characters such as digits and separators. More
 * than a sixteenth of the characters must contain a zero byte, almost always at an odd position or almost always at an
 * even one, because other encodings may contain a few NUL characters.
 */
function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, sampleSize);
  const zeros = [...sample].flatMap((byte, index) => (byte === 0 ? [index % 2] : []));
  const odd = zeros.filter((position) => position === 1).length;
  const even = zeros.length - odd;
  const isFew = zeros.length <= Math.max(maxNulCharacters, sample.length / 32);
  if (isFew || Math.min(odd, even) > zeros.length / 8) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}
