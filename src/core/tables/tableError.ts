/** The reason why a file can't be read as a table. */
export type TableErrorKind =
  | 'notWorkbook' // not a ZIP archive, or a damaged one
  | 'unsupported' // in another format: `format` is its name
  | 'encrypted' // a workbook with a password
  | 'unpacksTooLarge' // unpacks to more than `maxUnpackedBytes`
  | 'tooManyRows' // more than `maxRows`, in all sheets of a workbook
  | 'tooManyCells' // more than `maxCells`, rows or columns than the format allows, or invalid positions
  | 'tooManyColumns'; // separated values have more than `maxColumns`, or more than `maxCells` in all rows

/**
 * Maximum number of cells in a table, including the empty ones up to the last row and column, which also use memory.
 */
export const maxCells = 20_000_000;

/** Maximum number of rows in a file. Each takes as much memory as ten cells. */
export const maxRows = 2_000_000;

/** Maximum total size of the unpacked files in a workbook, in bytes. */
export const maxUnpackedBytes = 250_000_000;

/** Maximum number of columns in a file of delimiter-separated values. */
export const maxColumns = 100_000;

/** Thrown if a file can't be read as a table, or if reading it would take too much memory or time. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly kind: TableErrorKind;
  /** The name of the file's format, such as `XLS`, if it isn't supported. */
  readonly format: string;

  constructor(kind: TableErrorKind, format = '') {
    super(kind);
    this.kind = kind;
    this.format = format;
  }
}
