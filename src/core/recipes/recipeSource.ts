import type { FoundFile } from '../model/fileEntry.ts';
import type { MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import type { SearchQuery } from '../model/searchModel.ts';
import type { StatedLicense } from '../model/transferModel.ts';
import type { MatchIndex } from '../tables/matchIndex.ts';
import type { MatchKey } from '../tables/tableColumns.ts';
import type { JsonObject } from '../util/json.ts';

/** A request for one page of a search. */
interface PageRequest extends Omit<SearchQuery, 'ids'> {
  readonly offset: number;
  /** The cursor of the previous page; `offset` then counts from there (D9: paging). */
  readonly cursor?: string;
}

interface PageReply {
  readonly value?: readonly FoundFile[];
  /** The position after the page, if the service reported it (D9: paging). */
  readonly cursor?: string;
  readonly reason?: Reason;
}

/** The requests that find a recipe's files. None of them rejects if the service fails. */
export interface RecipeSource {
  /** True if every page except the last is full. */
  readonly hasFullPages: boolean;
  /** Returns the licenses that a file's metadata states. */
  readonly readLicenses: (resource: JsonObject) => readonly StatedLicense[];
  search(page: PageRequest): Promise<PageReply>;
  lookUpIds(
    database: string,
    ids: readonly string[],
  ): Promise<{
    readonly files: readonly FoundFile[];
    readonly refused?: readonly MissingId[];
    readonly failure?: Reason;
  }>;
  matchTable(database: string, key: MatchKey, values: readonly string[]): Promise<MatchIndex>;
  /** Reports the number of files, IDs or values processed so far. */
  onProgress(count: number): void;
}
