/** The reason why a file is not read as a table. */
export type TableErrorKind =
  | 'notWorkbook' // not a ZIP archive, or a damaged one
  | 'unpacksTooLarge' // unpacks to more than `maxUnpackedBytes`
  | 'tooManyCells'; // has more than `maxCells`, empty ones included

/** An error that explains why a file is not read as a table, before much memory is used. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly kind: TableErrorKind;

  constructor(kind: TableErrorKind) {
    super(kind);
    this.kind = kind;
  }
}
