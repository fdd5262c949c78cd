/** A database of the connected service (§2.2). */
export interface Database {
  readonly id: string;
  /** The value by which other operations refer to the database (§2.2, D7: database name or id). */
  readonly name: string;
  readonly organization: string;
  /** May be empty. */
  readonly url: string;
  /** True if the service refuses transfers to the database (D43: read-only databases); absent if unknown. */
  readonly readOnly?: boolean;
}
