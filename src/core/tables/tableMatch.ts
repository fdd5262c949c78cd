import type { FileEntry } from '../model/fileEntry.ts';
import { formatRow, type Cell, type Separator } from '../util/csv.ts';
import { toSafeLine } from '../util/visibleText.ts';
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
export function* listMatchRows(matched: MatchedTable): Generator<readonly Cell[]> {
  const width = countColumns(matched.table);
  const [first] = matched.table.rows;
  const headers = matched.hasHeader ? pad(first?.cells ?? [], width) : createHeaders(width);
  yield [...headers, ...addedColumns.map((name) => makeUnique(name, headers))];
  for (const match of matched.rows) yield* listFileRows(match, width);
}

function* listFileRows({ row, status, isPartial, count, files }: RowMatch, width: number): Generator<readonly Cell[]> {
  const word = isPartial ? 'matched by the end of the path' : statusWords[status];
  const facts = [...pad(row.cells, width), row.line, word, count];
  const listed = files.length > 0 ? files : [undefined];
  for (const file of listed) yield [...facts, ...listFileCells(file)];
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

/** Maximum number of characters in a cell. Longer text is truncated and ends with "…". */
const maxCellLength = 64;

/**
 * Yields rows as lines of text for reading in an editor, with columns aligned by spaces and a ruler below the first
 * row. Calls `listRows` twice: once to measure the columns and once to format the rows.
 */
export function* alignRows(listRows: () => Iterable<readonly Cell[]>): Generator<string> {
  const widths = measureColumns(listRows());
  let hasRuler = false;
  for (const cells of listRows()) {
    yield joinCells(cells.map(formatCell), widths);
    if (!hasRuler)
      yield joinCells(
        widths.map((width) => '─'.repeat(width)),
        widths,
      );
    hasRuler = true;
  }
}

function measureColumns(rows: Iterable<readonly Cell[]>): readonly number[] {
  const widths: number[] = [];
  for (const cells of rows)
    for (const [column, cell] of cells.entries())
      widths[column] = Math.max(widths[column] ?? 0, countCharacters(formatCell(cell)));
  return widths;
}

function joinCells(texts: readonly string[], widths: readonly number[]): string {
  const padded = texts.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - countCharacters(text)));
  return `${padded.join('  ').trimEnd()}\n`;
}

function formatCell(cell: Cell): string {
  const text = toSafeLine(String(cell ?? '').slice(0, 4 * maxCellLength));
  const characters = Array.from(text);
  return characters.length <= maxCellLength ? text : `${characters.slice(0, maxCellLength - 1).join('')}…`;
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}
