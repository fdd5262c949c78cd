import { parseDeclaredHash } from '../util/declaredHash.ts';
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
export function guessKeyByName(header: string): MatchKey | undefined {
  if (isIdName(header)) return 'id';
  if (/^\W*(?:.*[_\s-])?(?:hash|checksum|digest|md5|sha-?\d+)(?:[_\s-].*)?$/i.test(header)) return 'hash';
  return /^\W*(?:.*[_\s-])?(?:file_?names?|names?|paths?|files?)\W*$/i.test(header) ? 'name' : undefined;
}

/** Returns true for names such as `id`, `file_id`, `File ID` and `identifier`. */
function isIdName(header: string): boolean {
  return /^\W*(?:.*[_\s-])?(?:ids?|identifiers?)\W*$|^file_?ids?$/i.test(header);
}
