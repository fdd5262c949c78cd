/**
 * The state of a store's listing, as sent to clients (D62: stores through rclone). For a folder, it is sent only while
 * searches wait for a scan.
 */
export interface StoreListingState {
  readonly state: 'scanning' | 'listed' | 'failed';
  /** Number of files in the catalog. */
  readonly files: number;
  /** Number of files that the running scan has found so far. */
  readonly scanned?: number;
  /** Start time of the last complete scan, in ISO 8601. Absent until the first scan is complete. */
  readonly asOf?: string;
  /**
   * Free space in bytes at the time of the last scan. Absent before the first scan, or if the store doesn't report it.
   */
  readonly freeBytes?: number;
  /** The reason the last scan failed, as a clause. The files from the previous scan remain in the catalog. */
  readonly problem?: string;
}
