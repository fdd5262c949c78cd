import type { JsonObject } from '../util/json.ts';

/**
 * The staging status of a file: ready to be copied, or still to be fetched from slow storage (§3, D22: staged means
 * hashed).
 */
export type FileStaging = 'staged' | 'unstaged';

/** A query to one database: by words (§4.3) or by file IDs (§4.4). */
export interface SearchQuery {
  readonly database: string;
  /** The words to search for; empty for a query by IDs. */
  readonly query: string;
  readonly status?: FileStaging;
  /** The number of files per page, sent as `limit`. Has no effect on a query by IDs (D9: paging). */
  readonly pageSize: number;
  readonly specific?: JsonObject;
  /** The requested file IDs: at least one, without duplicates. Absent for a query by words. */
  readonly ids?: readonly string[];
}
