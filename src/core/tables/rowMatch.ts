import type { FileEntry } from '../model/fileEntry.ts';
import { shortenMiddle } from '../util/visibleText.ts';
import { getCellKey, type CellDoubt } from './cellDoubt.ts';
import { isMissing, type DataTable, type TableRow } from './dataTable.ts';
import { maxValueLength, type FileMatches, type MatchGap, type MatchIndex } from './matchIndex.ts';

/** The columns of a table whose values identify files. */
export interface TableSelection {
  readonly table: DataTable;
  readonly columns: readonly number[];
  /** True if the first row contains column names. */
  readonly hasHeader: boolean;
}

/** A table whose rows were matched to files. */
export interface MatchedTable extends TableSelection {
  readonly index: MatchIndex;
  readonly rows: readonly RowMatch[];
}

/** The reason why a row can't be matched to files with certainty. */
type Doubt =
  | 'joinedRow' // a quoted cell that may enclose other rows, because its last quote is missing
  | 'longRow' // more cells than the header, so that its cells may belong to other columns
  | 'noValue' // a formula whose value isn't stored
  | 'formatted' // a number that a spreadsheet shows with other text
  | 'rounded' // a number that a spreadsheet may have rounded
  | 'empty' // no value
  | 'several' // a value matches several files
  | 'noHash'; // files that declare no hash of this algorithm may have the hash

/**
 * The result for a row. `failed`: a value was not looked up. `incomplete`: a value was not compared with all files, so
 * another file may match.
 */
export type MatchStatus = 'matched' | 'notFound' | 'incomplete' | 'failed' | Doubt;

/** A value and the files that it matches. */
interface ValueMatch {
  readonly text: string;
  readonly matches: FileMatches;
}

/** A row and the files that its values match. */
export class RowMatch {
  readonly row: TableRow;
  readonly status: MatchStatus;
  readonly found: readonly ValueMatch[];

  constructor(row: TableRow, status: MatchStatus, found: readonly ValueMatch[]) {
    this.row = row;
    this.status = status;
    this.found = found;
  }

  get files(): readonly FileEntry[] {
    return this.found.flatMap(({ matches }) => matches.files);
  }

  get count(): number {
    return this.found.reduce((sum, { matches }) => sum + matches.count, 0);
  }

  /** The values that match no file, or that were not compared with all files. */
  get missing(): readonly string[] {
    return this.found.filter(({ matches }) => matches.count === 0 || matches.gap).map(({ text }) => text);
  }

  get gaps(): readonly MatchGap[] {
    return this.found.flatMap(({ matches }) => matches.gap ?? []);
  }

  /** True if a file is in another folder than the table says, although the row matches. */
  get isPartial(): boolean {
    return this.status === 'matched' && this.found.some(({ matches }) => matches.end === 'partial');
  }

  /** The doubt about the row, if any. A row that is blank isn't in doubt. */
  get doubt(): RowDoubt | undefined {
    const { row, status, gaps } = this;
    const kind = doubts.find((one) => one === status) ?? (this.isPartial ? 'partial' : undefined);
    if (!kind || (kind === 'empty' && row.cells.every((cell) => cell.trim() === ''))) return undefined;
    const value = this.found.map(({ text }) => text).join(';');
    const gap = gaps.find((one) => one.kind === 'noHash');
    return { kind, line: row.line, value: shortenMiddle(value, maxShownLength), gap };
  }
}

/** A row in doubt, or (`partial`) one that was matched by the end of a path only. */
export interface RowDoubt {
  readonly kind: Doubt | 'partial';
  readonly line: number;
  /** The row's value, shortened. */
  readonly value: string;
  readonly gap?: MatchGap | undefined;
}

/** Returns the rows without the column names. Includes the first row anyway if it may enclose other rows. */
export function getValueRows({ table, hasHeader }: TableSelection): readonly TableRow[] {
  const { rows, joinedRows = [] } = table;
  return hasHeader && joinedRows[0] !== rows[0]?.line ? rows.slice(1) : rows;
}

/** Yields the texts to look up for the values of a selection, in all their spellings. */
export function* listLookups(selection: TableSelection): Generator<string> {
  for (const row of getValueRows(selection))
    for (const value of listValues(selection, row)) for (const spellings of listAllSpellings(value)) yield* spellings;
}

/** Matches the rows of a selection to the files in an index of its {@link listLookups}. */
export function matchRows(selection: TableSelection, index: MatchIndex): MatchedTable {
  const findDoubt = createDoubtFinder(selection);
  const rows = getValueRows(selection).map((row) => {
    const found = listValues(selection, row).flatMap((value) => findFiles(index, value));
    const statuses = found.map(({ matches }) => getStatus(index, matches));
    const status = findDoubt(row) ?? severities.find((one) => statuses.includes(one)) ?? 'empty';
    return new RowMatch(row, status, found);
  });
  return { ...selection, index, rows };
}

/** Returns the files of rows without duplicates. Rows with the same value share a list, which is read only once. */
export function listRowFiles(rows: readonly RowMatch[]): readonly FileEntry[] {
  const lists = new Set(rows.flatMap(({ found }) => found.map(({ matches }) => matches.files)));
  const files = new Map<string, FileEntry>();
  for (const list of lists) for (const file of list) files.set(file.id, file);
  return [...files.values()];
}

function createDoubtFinder({ table, columns, hasHeader }: TableSelection): (row: TableRow) => Doubt | undefined {
  const longRows = new Set(hasHeader ? table.longRows : []);
  const joinedRows = new Set(table.joinedRows);
  return ({ line, cells }) => {
    if (joinedRows.has(line)) return 'joinedRow';
    if (longRows.has(line)) return 'longRow';
    const kinds = columns.map((column) => getDoubt(table, line, column)?.kind);
    if (kinds.includes('noValue')) return 'noValue';
    if (kinds.includes('formatted')) return 'formatted';
    const isShortened = columns.some((column) => shortenedInteger.test(cells[column] ?? ''));
    return isShortened || kinds.includes('rounded') ? 'rounded' : undefined;
  };
}

/**
 * Matches an integer that a spreadsheet has shortened to scientific notation, dropping its last digits: `1.23457E+15`.
 */
const shortenedInteger = /^\s*[+-]?\d+(?:[.,]\d+)?E\+\d+\s*$/i;

/** Lists the rows whose values are in doubt before they are matched, such as rounded numbers. */
export function listCellDoubts(selection: TableSelection): readonly RowDoubt[] {
  const findDoubt = createDoubtFinder(selection);
  return getValueRows(selection).flatMap((row) => {
    const kind = findDoubt(row);
    const value = selection.columns.map((column) => row.cells[column] ?? '').join(', ');
    return kind ? [{ kind, line: row.line, value: shortenMiddle(value, maxShownLength) }] : [];
  });
}

const maxShownLength = 100;

const doubts: readonly Doubt[] = [
  'joinedRow',
  'longRow',
  'noValue',
  'formatted',
  'rounded',
  'empty',
  'several',
  'noHash',
];

/** The statuses of values, the one that decides a row's status first. */
const severities = ['failed', 'incomplete', 'several', 'noHash', 'notFound', 'matched'] as const;

function getStatus(index: MatchIndex, { count, gap, end }: FileMatches): (typeof severities)[number] {
  if (count > 1 || end === 'shared') return 'several';
  if (gap?.kind === 'noHash') return 'noHash';
  if (gap?.kind === 'failed') return 'failed';
  if (gap || index.skippedFiles.length > 0) return 'incomplete';
  return count === 1 ? 'matched' : 'notFound';
}

function getDoubt({ doubts: known }: DataTable, line: number, column: number): CellDoubt | undefined {
  return known.size > 0 ? known.get(getCellKey(line, column)) : undefined;
}

interface CellValue {
  readonly text: string;
  /** Another spelling of a number, with or without leading zeros. */
  readonly other?: string | undefined;
}

function listValues({ table, columns }: TableSelection, { line, cells }: TableRow): readonly CellValue[] {
  return columns.flatMap((column): readonly CellValue[] => {
    const text = cells[column] ?? '';
    const doubt = getDoubt(table, line, column);
    return isMissing(text) ? [] : [{ text, other: doubt?.kind === 'padded' ? doubt.other : undefined }];
  });
}

function splitValue(text: string): readonly string[] {
  // Reports of the European Nucleotide Archive list several files in a cell.
  const parts = text.includes(';') ? text.split(';').filter((part) => !isMissing(part)) : [];
  return parts.length > 1 ? parts : [];
}

function listAllSpellings({ text, other }: CellValue): readonly (readonly string[])[] {
  const parts = splitValue(text);
  const whole = listSpellings(text, other);
  return parts.length === 0 ? whole : [...whole, ...parts.flatMap((part) => listSpellings(part))];
}

function findFiles(index: MatchIndex, { text, other }: CellValue): readonly ValueMatch[] {
  const matches = findSpelling(index, listSpellings(text, other));
  const parts = matches.count > 0 ? [] : splitValue(text);
  if (parts.length === 0) return [{ text, matches }];
  return parts.map((part) => ({ text: part, matches: findSpelling(index, listSpellings(part)) }));
}

/**
 * Returns groups of spellings of a value, the most exact group first: as it is in the table, without outer white space,
 * and in the other forms of Unicode. All spellings of a group are equally likely.
 */
function listSpellings(text: string, other = text): readonly (readonly string[])[] {
  const exact = other === text ? [text] : [text, other];
  if (text.length > maxValueLength) return [exact];
  const trimmed = text.trim();
  const isPlain = trimmed === text && /^[\0-\x7f]*$/.test(text);
  return isPlain ? [exact] : [exact, [trimmed], [trimmed.normalize('NFC'), trimmed.normalize('NFD')]];
}

/** Returns the files of the first group of spellings that has any; otherwise, those whose paths have the same end. */
function findSpelling(index: MatchIndex, groups: readonly (readonly string[])[]): FileMatches {
  let gap: MatchGap | undefined;
  for (const group of groups) {
    const matches = unite(group.flatMap((text) => index.get(text) ?? []));
    gap ??= matches.gap;
    if (matches.count > 0) return gap === matches.gap ? matches : { ...matches, gap };
  }
  const byEnd = index.getByEnd(groups[0]?.[0] ?? '');
  return { files: [], count: 0, ...byEnd, gap };
}

function unite(found: readonly FileMatches[]): FileMatches {
  const [first] = found;
  if (first && found.every(({ files }) => files === first.files)) return first;
  const files = new Map(found.flatMap((one) => one.files.map((file) => [file.id, file])));
  const unlisted = found.reduce((sum, one) => sum + one.count - one.files.length, 0);
  return { files: [...files.values()], count: files.size + unlisted, gap: found.find((one) => one.gap)?.gap };
}
