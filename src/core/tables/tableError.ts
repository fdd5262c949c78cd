/** The reason why a file is not read as a table. */
export type TableErrorKind =
  | 'notWorkbook' // not a ZIP archive, or a damaged one
  | 'unpacksTooLarge' // unpacks to more than `maxUnpackedBytes`
  | 'tooManyCells' // a sheet has more than `maxCells`, empty ones included
  | 'tooManyColumns'; // separated values have more than `maxColumns`, or more than `maxCells` in all rows

/** Maximum number of cells of a sheet, up to its last row and column: empty cells use memory as well. */
export const maxCells = 20_000_000;

/** Maximum number of columns of separated values. */
export const maxColumns = 100_000;

/** An error that explains why a file is not read as a table, before much memory is used. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly kind: TableErrorKind;

  constructor(kind: TableErrorKind) {
    super(kind);
    this.kind = kind;
  }
}
