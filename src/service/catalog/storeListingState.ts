/** The state of the listing of a store, as clients see it (D62: stores through rclone). */
export interface StoreListingState {
  readonly state: 'scanning' | 'listed' | 'failed';
  /** Number of files in the catalog or, during the first scan, found so far. */
  readonly files: number;
  /** Number of files that the running scan has found so far. */
  readonly scanned?: number;
  /** The end of the last complete scan, in ISO 8601. Absent before the first one. */
  readonly asOf?: string;
  /** Number of free bytes at the end of the last scan. Absent if the store doesn't report it. */
  readonly freeBytes?: number;
  /** The reason the last scan failed, as a clause. The files of the previous scan remain. */
  readonly problem?: string;
}
