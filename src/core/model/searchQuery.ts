import type { JsonObject } from '../util/json.ts';

/** The staging status of a file: ready to copy, or to be fetched from slow storage (§3, D22: staged means hashed). */
export type FileStaging = 'staged' | 'unstaged';

/** A query to one database: by words (§4.3) or by file IDs (§4.4). */
export interface SearchQuery {
  readonly database: string;
  /** The words to search for; empty for a query by IDs. */
  readonly query: string;
  readonly status?: FileStaging;
  /** Files per page; sent as `limit` (D9: paging). */
  readonly pageSize: number;
  readonly specific?: JsonObject;
  /** The requested file IDs without duplicates, at least one. */
  readonly ids?: readonly string[];
}
