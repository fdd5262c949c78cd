import type { JsonObject } from '../util/json.ts';

/** Whether files can be copied at once or must be fetched from slow storage first (§3, D22). */
export type StagingStatus = 'staged' | 'unstaged';

/** What a person asks one database for (§4.3). */
export interface SearchQuery {
  /** Name of the database. */
  readonly database: string;
  readonly query: string;
  readonly status?: StagingStatus;
  /** Files a page; sent as `limit` (D9). */
  readonly pageSize: number;
  readonly specific?: JsonObject;
}
