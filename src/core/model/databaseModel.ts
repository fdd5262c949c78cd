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
  /** The state of the listing, if the local service serves a store (D62: stores through rclone). */
  readonly listing?: StoreListing;
}

/** The state of the listing of a store, as the local service reports it (D62: stores through rclone). */
export interface StoreListing {
  readonly state: 'scanning' | 'listed' | 'failed';
  /** Number of files that can be found. */
  readonly files: number;
  /** Number of files that the running scan has found so far. */
  readonly scanned?: number;
  /** The end of the last complete scan, in ISO 8601. */
  readonly asOf?: string;
  /** Number of free bytes, if the store reports it. */
  readonly freeBytes?: number;
  /** The reason the last scan failed, as a clause. */
  readonly problem?: string;
}
