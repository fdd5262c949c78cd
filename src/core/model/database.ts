/** A database of the connected service (§2.2). */
export interface Database {
  readonly id: string;
  /** The value that other operations use (§2.2, D7). */
  readonly name: string;
  readonly organization: string;
  /** May be empty. */
  readonly url: string;
  /** The service refuses transfers to it (D43); absent where it does not say so. */
  readonly readOnly?: boolean;
}
