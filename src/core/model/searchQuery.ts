import type { JsonObject } from '../util/json.ts';

/** Whether files can be copied at once or must be fetched from slow storage first (§3, D22). */
export type StagingStatus = 'staged' | 'unstaged';

/** What a person asks one database for: by words (§4.3), or by the ids of files (§4.4). */
export interface SearchQuery {
  /** Name of the database. */
  readonly database: string;
  /** The words; empty where files are asked for by their ids. */
  readonly query: string;
  readonly status?: StagingStatus;
  /** Files a page; sent as `limit` (D9). */
  readonly pageSize: number;
  readonly specific?: JsonObject;
  /** The files that are asked for instead of words, each once, at least one. */
  readonly ids?: readonly string[];
}
