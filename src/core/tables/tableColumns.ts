import { parseDeclaredHash } from '../util/declaredHash.ts';
import { countColumns, isMissing, type DataTable } from './dataTable.ts';

/** The file property that a column contains. */
export type MatchKey = 'id' | 'name' | 'hash';

/** A column of a table, or several that a row's files are in, with sample values from the first rows. */
export interface TableColumn {
  readonly index: number;
  /** Indexes of further columns, such as that of `fastq_2` for `fastq_1`. */
  readonly others?: readonly number[];
  /** The text in the first row: the column's name or, if the table has no column names, an ordinary value. */
  readonly header: string;
  /** The values below the first row, at most 50. */
  readonly samples: readonly string[];
  readonly valueCount: number;
}

/** Maximum number of sample values per column. */
const sampleSize = 50;

/** Returns a description of each column of a table, and of columns such as `fastq_1` and `fastq_2` together. */
export function describeColumns(table: DataTable): readonly TableColumn[] {
  const [first, ...rest] = table.rows;
  const columns = Array.from({ length: countColumns(table) }, (_, index) => ({
    index,
    header: first?.cells[index] ?? '',
    samples: rest.slice(0, sampleSize).map(({ cells }) => cells[index] ?? ''),
    valueCount: rest.filter(({ cells }) => !isMissing(cells[index] ?? '')).length,
  }));
  return [...columns, ...combineColumns(columns)];
}

/** Returns the indexes of the columns that a description is about. */
export function listIndexes({ index, others = [] }: TableColumn): readonly number[] {
  return [index, ...others];
}

/** Combines columns that contain file names, and whose own names differ only in a final digit. */
function combineColumns(columns: readonly TableColumn[]): readonly TableColumn[] {
  const groups = new Map<string, TableColumn[]>();
  for (const column of columns.filter(hasNames)) {
    const [, stem] = /^(.+)\d$/.exec(column.header) ?? [];
    if (stem !== undefined) groups.set(stem, [...(groups.get(stem) ?? []), column]);
  }
  return [...groups.values()].flatMap(([first, ...others]): readonly TableColumn[] =>
    first && others.length > 0 ? [combine(first, others)] : [],
  );
}

function combine(first: TableColumn, others: readonly TableColumn[]): TableColumn {
  const all = [first, ...others];
  return {
    index: first.index,
    others: others.map(({ index }) => index),
    header: all.map(({ header }) => header).join(', '),
    samples: first.samples.flatMap((_, row) => all.map(({ samples }) => samples[row] ?? '')).slice(0, sampleSize),
    valueCount: all.reduce((sum, { valueCount }) => sum + valueCount, 0),
  };
}

/** Tests that a column identifies files, the most reliable one first. */
const identityTests: readonly ((column: TableColumn) => boolean)[] = [
  ({ header }) => /^\W*id\W*$/i.test(header),
  ({ header }) => /^\W*file[_\s-]?ids?\W*$/i.test(header),
  (column) => column.others !== undefined,
  hasNames,
  (column) => guessKey(column) === 'hash',
  (column) => guessKey(column) === 'id' && isDistinct(column),
  (column) => guessKey(column) === 'name',
];

/** Returns the column that most likely identifies files, and the property that it contains. */
export function guessColumn(columns: readonly TableColumn[]): { readonly column: TableColumn; readonly key: MatchKey } {
  const [first = { index: 0, header: '', samples: [], valueCount: 0 }] = columns;
  const column = identityTests.flatMap((test) => columns.find(test) ?? [])[0] ?? first;
  return { column, key: guessKey(column) ?? 'id' };
}

/** Returns the file property suggested by a column's name or values; undefined if they suggest none. */
export function guessKey(column: TableColumn): MatchKey | undefined {
  const values = listSampleValues(column);
  const hasHashes = values.length > 0 && values.every((value) => parseDeclaredHash(value));
  return guessKeyByName(column.header) ?? (hasHashes ? 'hash' : hasNames(column) ? 'name' : undefined);
}

function hasNames(column: TableColumn): boolean {
  const values = listSampleValues(column);
  return values.length > 0 && values.every((value) => /\.[a-z]\w{1,7}$/i.test(value.trim()));
}

/** Returns true if no value of a column is repeated, unlike the ID of something that several files have in common. */
function isDistinct(column: TableColumn): boolean {
  const values = listSampleValues(column);
  return new Set(values).size === values.length;
}

function listSampleValues({ samples }: TableColumn): readonly string[] {
  return samples.flatMap((sample) => sample.split(';')).filter((value) => !isMissing(value));
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
