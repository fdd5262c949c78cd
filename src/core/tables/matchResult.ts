import type { FileEntry } from '../model/fileEntry.ts';
import { formatRow, type Cell, type Separator } from '../util/delimitedRows.ts';
import { countColumns, type DataTable, type TableRow } from './dataTable.ts';
import type { FileMatches, MatchIndex } from './matchIndex.ts';

/**
 * The result for a row. `failed`: the value was not looked up. `incomplete`: the value was not compared with all files,
 * so another file may match.
 */
export type MatchStatus = 'matched' | 'several' | 'notFound' | 'empty' | 'incomplete' | 'failed';

/** A table whose rows were matched to files by the values of one column. */
export interface MatchedTable {
  readonly table: DataTable;
  /** Index of the matched column. */
  readonly column: number;
  /** True if the first row contains column names. */
  readonly hasHeader: boolean;
  readonly index: MatchIndex;
}

/** Returns the rows without the column names. */
export function getValueRows({ table, hasHeader }: Pick<MatchedTable, 'table' | 'hasHeader'>): readonly TableRow[] {
  return hasHeader ? table.rows.slice(1) : table.rows;
}

/** Counts the rows by status. */
export function countStatuses(matched: MatchedTable): Readonly<Record<MatchStatus, number>> {
  const counts = { matched: 0, several: 0, notFound: 0, empty: 0, incomplete: 0, failed: 0 };
  for (const { cells } of getValueRows(matched)) counts[getStatus(matched.index, findMatches(matched, cells))] += 1;
  return counts;
}

/** The text of each status in exported files. Not translated, because programs read it. */
const statusWords: Readonly<Record<MatchStatus, string>> = {
  matched: 'matched',
  several: 'several matches',
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
  for (const row of getValueRows(matched)) yield* listFileRows(matched, row, width);
}

function* listFileRows(matched: MatchedTable, { line, cells }: TableRow, width: number): Generator<readonly Cell[]> {
  const matches = findMatches(matched, cells);
  const facts = [...pad(cells, width), line, statusWords[getStatus(matched.index, matches)], matches?.count ?? 0];
  const files = matches && matches.files.length > 0 ? matches.files : [undefined];
  for (const file of files) yield [...facts, ...listFileCells(file)];
}

function listFileCells(file: FileEntry | undefined): readonly Cell[] {
  return [file?.id, file?.name, file?.path, file?.sizeBytes, file?.hash];
}

function findMatches({ index, column }: MatchedTable, cells: readonly string[]): FileMatches | undefined {
  return index.get(cells[column] ?? '');
}

function getStatus(index: MatchIndex, matches: FileMatches | undefined): MatchStatus {
  if (!matches) return 'empty';
  if (matches.count > 1) return 'several';
  if (index.isComplete(matches)) return matches.count === 1 ? 'matched' : 'notFound';
  return matches.gap && matches.gap.kind !== 'truncated' ? 'failed' : 'incomplete';
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
  const text = String(cell ?? '')
    .slice(0, 4 * maxCellLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = Array.from(text);
  return characters.length <= maxCellLength ? text : `${characters.slice(0, maxCellLength - 1).join('')}…`;
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}
