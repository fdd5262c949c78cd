import type { FileEntry } from '../model/fileEntry.ts';
import { formatRow, type Cell, type Separator } from '../util/csv.ts';
import { countColumns } from './dataTable.ts';
import type { MatchedTable, MatchStatus, RowMatch } from './rowMatch.ts';

/** Counts the rows by status. Omits statuses that no row has. */
export function countStatuses({ rows }: MatchedTable): Readonly<Partial<Record<MatchStatus, number>>> {
  const counts: Partial<Record<MatchStatus, number>> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The text of each status in exported files. Not translated, because programs read it. */
const statusWords: Readonly<Record<MatchStatus, string>> = {
  matched: 'matched',
  several: 'several matches',
  longRow: 'more cells than the header',
  joinedRow: 'quotes may enclose other rows',
  noValue: 'formula without value',
  rounded: 'rounded number',
  formatted: 'number shown with other text',
  noHash: 'hash not compared',
  notFound: 'not found',
  empty: 'no value',
  incomplete: 'not fully compared',
  failed: 'not looked up',
};

const addedColumns = ['row', 'match', 'matches', 'file_id', 'file_name', 'file_path', 'bytes', 'hash'];

/** Yields the result as delimiter-separated values, row by row. */
export function* formatMatches(matched: MatchedTable, separator: Separator): Generator<string> {
  for (const cells of listMatchRows(matched)) yield formatRow(cells, separator);
}

/**
 * Yields the result's rows: the original columns, the row number, the status, the number of matches, and the file. A
 * row with multiple matches is repeated for each listed file. The first row contains the column names.
 */
function* listMatchRows(matched: MatchedTable): Generator<readonly Cell[]> {
  const width = countColumns(matched.table);
  const [first] = matched.table.rows;
  const headers = matched.hasHeader ? pad(first?.cells ?? [], width) : createHeaders(width);
  yield [...headers, ...addedColumns.map((name) => makeUnique(name, headers))];
  for (const match of matched.rows) yield* listFileRows(match, width);
}

function* listFileRows(match: RowMatch, width: number): Generator<readonly Cell[]> {
  const { row, status, isPartial, count } = match;
  const word = isPartial ? 'matched by the end of the path' : statusWords[status];
  const facts = [...pad(row.cells, width), row.line, word, count];
  for (const file of listFiles(match)) yield [...facts, ...listFileCells(file)];
}

function listFiles({ files }: RowMatch): readonly (FileEntry | undefined)[] {
  return files.length > 0 ? files : [undefined];
}

function listFileCells(file: FileEntry | undefined): readonly Cell[] {
  return [file?.id, file?.name, file?.path, file?.sizeBytes, file?.hash];
}

function pad(cells: readonly string[], width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => cells[index] ?? '');
}

function createHeaders(width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => `column_${index + 1}`);
}

/** Returns `name`, with suffixes if the table already has a column with that name. */
function makeUnique(name: string, headers: readonly string[]): string {
  return headers.includes(name) ? makeUnique(`${name}_matched`, headers) : name;
}

/** A row of a match with one of the files that it matches. A row with several is repeated for each of them. */
export interface MatchedRow {
  readonly position: number;
  readonly match: RowMatch;
  readonly file: FileEntry | undefined;
}

/** Lists the first `most` rows of a result in the order of the table. */
export function listMatchedRows({ rows }: MatchedTable, most: number): readonly MatchedRow[] {
  const listed: MatchedRow[] = [];
  for (const match of rows) {
    for (const file of listFiles(match)) {
      if (listed.length >= most) return listed;
      listed.push({ position: listed.length, match, file });
    }
  }
  return listed;
}
