import type { FileEntry } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import { formatRow, type Cell, type Separator } from '../util/csv.ts';
import { toSafeLine } from '../util/visibleText.ts';
import { countColumns, type DataTable, type TableRow } from './dataTable.ts';
import type { MatchKey } from './tableColumns.ts';

/** The files that match one value of a column. */
interface FileMatches {
  /** The first matching files, at most {@link maxListedMatches}. */
  readonly files: readonly FileEntry[];
  readonly count: number;
  /** The reason why the value was not compared with all files. */
  readonly gap?: MatchGap;
}

/** Maximum number of files that are listed for one value, to limit memory. */
export const maxListedMatches = 100;

interface StoredMatches {
  files: FileEntry[];
  count: number;
  gap?: MatchGap;
}

/**
 * Collects the files that match the values of a column. Memory use grows with the number of values, not with the number
 * of compared files.
 */
export class MatchIndex {
  readonly key: MatchKey;
  private readonly byValue = new Map<string, StoredMatches>();
  private readonly skipped: SkippedFiles[] = [];

  constructor(key: MatchKey, values: Iterable<string>) {
    this.key = key;
    for (const value of values) {
      const normal = normalizeValue(key, value);
      if (normal !== '' && !this.byValue.has(normal)) this.byValue.set(normal, { files: [], count: 0 });
    }
  }

  /** The distinct nonempty values, normalized. */
  get values(): readonly string[] {
    return [...this.byValue.keys()];
  }

  /** The files that weren't compared with any value. */
  get skippedFiles(): readonly SkippedFiles[] {
    return this.skipped;
  }

  /** The number of values that match more files than are listed. */
  get shortenedCount(): number {
    return [...this.byValue.values()].filter(({ files, count }) => count > files.length).length;
  }

  /** The reasons why values were not compared with all files, one for each such value. */
  get gaps(): readonly MatchGap[] {
    return [...this.byValue.values()].flatMap(({ gap }) => gap ?? []);
  }

  /** The files that are the only match for a value, without duplicates. Omits values whose comparison is incomplete. */
  get uniqueFiles(): readonly FileEntry[] {
    return this.listFiles((matches) => matches.count === 1 && this.isComplete(matches));
  }

  /** All listed files, without duplicates. */
  get files(): readonly FileEntry[] {
    return this.listFiles(() => true);
  }

  /** Returns the matches for a cell's value; undefined if the value is empty or not in the index. */
  get(value: string): FileMatches | undefined {
    return this.byValue.get(normalizeValue(this.key, value));
  }

  /**
   * Returns true if no further file can match the value. For an ID, one match is enough even if other lookups failed,
   * because only one file has that ID.
   */
  isComplete({ count, gap }: FileMatches): boolean {
    if (this.key === 'id' && count > 0) return true;
    return gap === undefined && this.skipped.length === 0;
  }

  /** Adds a file to each value that it matches. */
  add(file: FileEntry): void {
    for (const value of new Set(getFileValues(this.key, file))) this.addMatch(value, file);
  }

  /** Adds the files that match a normalized value, without duplicates. Ignores files that don't match. */
  addTo(value: string, files: readonly FileEntry[]): void {
    const distinct = new Map(files.map((file) => [file.id, file]));
    for (const file of distinct.values()) if (getFileValues(this.key, file).includes(value)) this.addMatch(value, file);
  }

  /** Records the reason why a normalized value was not compared with all files. */
  setGap(value: string, gap: MatchGap): void {
    const matches = this.byValue.get(value);
    if (matches) matches.gap = gap;
  }

  /** Records files that weren't compared with any value. */
  addSkipped(files: SkippedFiles): void {
    this.skipped.push(files);
  }

  private addMatch(value: string, file: FileEntry): void {
    const matches = this.byValue.get(value);
    if (!matches) return;
    matches.count += 1;
    if (matches.files.length < maxListedMatches) matches.files.push(file);
  }

  private listFiles(isListed: (matches: FileMatches) => boolean): readonly FileEntry[] {
    const listed = [...this.byValue.values()].filter(isListed).flatMap(({ files }) => files);
    return [...new Map(listed.map((file) => [file.id, file])).values()];
  }
}

function normalizeValue(key: MatchKey, value: string): string {
  const text = value.trim();
  return key === 'hash' ? (parseDeclaredHash(text)?.hex ?? text.toLowerCase()) : text;
}

function getFileValues(key: MatchKey, { id, name, path, hash }: FileEntry): readonly string[] {
  if (key === 'id') return [id];
  if (key === 'hash') return hash === undefined ? [] : [parseDeclaredHash(hash)?.hex ?? hash.toLowerCase()];
  return path === undefined ? [name] : [name, path, path.replace(/^.*\//s, '')];
}

/** The reason why the comparison of one value is incomplete. */
export type MatchGap =
  | { readonly kind: 'failed'; readonly reason: Reason } // the value was not looked up
  | { readonly kind: 'tooLong' } // the value was not looked up, because it is too long for an ID, a name or a path
  | { readonly kind: 'truncated'; readonly comparedCount: number }; // only the first results of its search were compared

/** Files of a database that weren't compared with any value. */
export interface SkippedFiles {
  /** 0-based position of the first of these files in the list of all files. */
  readonly start: number;
  /** The number of files; absent if all files from `start` on were skipped, in which case it is unknown. */
  readonly count?: number;
  readonly reason: Reason;
}

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
  const text = toSafeLine(String(cell ?? '').slice(0, 4 * maxCellLength));
  const characters = Array.from(text);
  return characters.length <= maxCellLength ? text : `${characters.slice(0, maxCellLength - 1).join('')}…`;
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}
