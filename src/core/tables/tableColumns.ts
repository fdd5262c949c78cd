import { parseDeclaredHash } from '../util/declaredHash.ts';
import { getCellKey } from './cellDoubt.ts';
import { countColumns, type DataTable } from './dataTable.ts';

/** The file property that a column contains. */
export type MatchKey = 'id' | 'name' | 'hash';

/** A column of a table, with sample values from its first rows. */
export interface TableColumn {
  readonly index: number;
  /** The text in the first row: the column's name or, if the table has no column names, an ordinary value. */
  readonly header: string;
  /** The values below the first row, at most 50. */
  readonly samples: readonly string[];
  readonly valueCount: number;
}

/** Maximum number of sample values per column. */
const sampleSize = 50;

/** Returns a description of each column of a table. */
export function describeColumns(table: DataTable): readonly TableColumn[] {
  const [first, ...rest] = table.rows;
  return Array.from({ length: countColumns(table) }, (_, index) => ({
    index,
    header: first?.cells[index] ?? '',
    samples: rest.slice(0, sampleSize).map(({ cells }) => cells[index] ?? ''),
    valueCount: rest.filter(({ cells }) => cells[index]?.trim()).length,
  }));
}

/** Returns the column that most likely identifies files, and the property that it contains. */
export function guessColumn(columns: readonly TableColumn[]): { readonly column: TableColumn; readonly key: MatchKey } {
  const named = columns.map((column) => ({ column, key: guessKey(column) }));
  const guess = columns.find(({ header }) => /^\W*id\W*$/i.test(header)) ??
    (['id', 'hash', 'name'] as const).flatMap((key) => named.filter((one) => one.key === key))[0]?.column ??
    columns[0] ?? { index: 0, header: '', samples: [], valueCount: 0 };
  return { column: guess, key: guessKey(guess) ?? 'id' };
}

/** Returns the file property suggested by a column's name or values; undefined if they suggest none. */
export function guessKey({ header, samples }: TableColumn): MatchKey | undefined {
  const values = samples.filter(Boolean);
  const hasHashes = values.length > 0 && values.every((value) => parseDeclaredHash(value));
  const hasNames = values.length > 0 && values.every((value) => /\.[a-z]\w{1,7}$/i.test(value.trim()));
  return guessKeyByName(header) ?? (hasHashes ? 'hash' : hasNames ? 'name' : undefined);
}

/** Returns the file property suggested by a column's name; undefined if it suggests none. */
function guessKeyByName(header: string): MatchKey | undefined {
  if (isIdName(header)) return 'id';
  if (/^\W*(?:.*[_\s-])?(?:hash|checksum|digest|md5|sha-?\d+)(?:[_\s-].*)?$/i.test(header)) return 'hash';
  return /^\W*(?:.*[_\s-])?(?:file_?names?|names?|paths?|files?)\W*$/i.test(header) ? 'name' : undefined;
}

/** Returns true for names such as `id`, `file_id`, `File ID` and `identifier`. */
function isIdName(header: string): boolean {
  return /^\W*(?:.*[_\s-])?(?:ids?|identifiers?)\W*$|^file_?ids?$/i.test(header);
}

/**
 * Determines whether the first row of a table contains column names, based on the column that identifies files and on
 * numbers in the other columns. Returns undefined if the content is inconclusive.
 */
export function detectHeader(columns: readonly TableColumn[], column: TableColumn): boolean | undefined {
  if (guessKeyByName(column.header) !== undefined) return true;
  const hasNames = isNumbered(column) || columns.some((other) => isNamedNumbers(other));
  const hasValues = isLikeSamples(column) || columns.some((other) => isNumber(other.header) && hasNumbers(other));
  return hasNames === hasValues ? undefined : hasNames;
}

/** Returns true if all values below the first row contain digits, and the value in the first row does not. */
function isNumbered({ header, samples }: TableColumn): boolean {
  const values = samples.filter(Boolean);
  return header !== '' && !/\d/.test(header) && values.length > 0 && values.every((value) => /\d/.test(value));
}

function isNamedNumbers(column: TableColumn): boolean {
  return column.header !== '' && !isNumber(column.header) && hasNumbers(column);
}

function hasNumbers({ samples }: TableColumn): boolean {
  const values = samples.filter(Boolean);
  return values.length > 0 && values.every(isNumber);
}

function isNumber(text: string): boolean {
  return /^\s*[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?\s*$/i.test(text);
}

/** Returns true if the first value of a column shares a known property with a value below it. */
function isLikeSamples({ header, samples }: TableColumn): boolean {
  const forms = getForms(header);
  return samples.some((sample) => sample !== '' && getForms(sample).some((form) => forms.includes(form)));
}

/**
 * Returns the recognizable properties of a value: for a hash, its length; otherwise, its pattern, its prefix or folder,
 * and its file extension, if present.
 */
function getForms(value: string): readonly string[] {
  const text = value.trim();
  const hash = parseDeclaredHash(text);
  if (hash) return [`hash ${hash.hex.length}`];
  return [getPattern(text), ...(/^.+?[:/]/.exec(text) ?? []), ...(/\.[a-z]\w{1,7}$/i.exec(text) ?? [])].filter(Boolean);
}

/**
 * Returns a value with each word replaced by `9` if it contains a digit, or else by `a`. Returns an empty string if the
 * value contains no digits, which is true of most column names.
 */
function getPattern(text: string): string {
  return /\d/.test(text) ? text.replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) ? '9' : 'a')) : '';
}

/**
 * Matches an integer that a spreadsheet has shortened to scientific notation, dropping its last digits: `1.23457E+15`.
 */
const shortenedInteger = /^\s*[+-]?\d+(?:[.,]\d+)?E\+\d+\s*$/i;

/** Returns the line numbers of the rows in which a spreadsheet may have rounded the number in the given column. */
export function findRoundedRows({ rows, doubts }: DataTable, column: number): readonly number[] {
  return rows
    .filter(
      ({ line, cells }) =>
        shortenedInteger.test(cells[column] ?? '') || doubts.get(getCellKey(line, column))?.kind === 'rounded',
    )
    .map(({ line }) => line);
}
