import type { StoreListing } from '../model/databaseModel.ts';
import { getFileKey, type FileEntry, type FoundFile } from '../model/fileEntry.ts';
import type { MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import type { SavedSearch } from '../model/savedSearch.ts';
import { getFileIdentity, type ResultOrder, type Searchability, type SearchQuery } from '../model/searchModel.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';
import { Emitter } from '../util/lifetime.ts';

/** A file checked for transfer, with the connection of the search that found it. */
export interface CheckedFile {
  readonly connectionId: string;
  readonly file: FileEntry;
}

/** The number of checked files, and the sum of their known sizes. */
export interface CheckedTally {
  readonly count: number;
  readonly sizeBytes: number;
}

/** The checked files of one search, by ID. */
type CheckedFilesById = ReadonlyMap<string, FileEntry>;

/** Stores the checked files of each search. Reading the tally takes constant time. */
class CheckedFiles {
  private readonly bySearch = new Map<
    string,
    { readonly connectionId: string; readonly files: Map<string, FileEntry> }
  >();
  /**
   * The checked files without duplicates, each with the number of searches in which it is checked. A file that was
   * requested again has the metadata from the last response.
   */
  private readonly union = new Map<string, CheckedFile & { searchCount: number }>();
  private sizeBytes = 0;

  get tally(): CheckedTally {
    return { count: this.union.size, sizeBytes: this.sizeBytes };
  }

  getAll(): readonly CheckedFile[] {
    return [...this.union.values()].map(({ connectionId, file }) => ({ connectionId, file }));
  }

  get(key: string): CheckedFilesById {
    return this.bySearch.get(key)?.files ?? new Map();
  }

  set(key: string, connectionId: string, files: Iterable<FileEntry>, checked: boolean): void {
    const own = this.bySearch.get(key) ?? { connectionId, files: new Map<string, FileEntry>() };
    this.bySearch.set(key, own);
    for (const file of files) {
      if (own.files.has(file.id) === checked) continue;
      if (checked) this.retain(connectionId, file);
      else this.release(connectionId, file);
      if (checked) own.files.set(file.id, file);
      else own.files.delete(file.id);
    }
  }

  /** Updates the stored metadata of those `files` that are checked. Preserves the order of the checked files. */
  renew(key: string, files: readonly FileEntry[]): void {
    const own = this.bySearch.get(key);
    if (!own) return;
    for (const file of files.filter(({ id }) => own.files.has(id))) {
      own.files.set(file.id, file);
      this.renewUnion(own.connectionId, file);
    }
  }

  clear(key: string): CheckedFilesById {
    const own = this.bySearch.get(key);
    if (!own) return new Map();
    for (const file of own.files.values()) this.release(own.connectionId, file);
    this.bySearch.delete(key);
    return own.files;
  }

  private retain(connectionId: string, file: FileEntry): void {
    const name = getFileKey({ connectionId, database: file.database, id: file.id });
    const entry = this.union.get(name);
    if (entry) entry.searchCount += 1;
    else {
      this.union.set(name, { connectionId, file, searchCount: 1 });
      this.sizeBytes += file.sizeBytes ?? 0;
    }
  }

  private renewUnion(connectionId: string, file: FileEntry): void {
    const name = getFileKey({ connectionId, database: file.database, id: file.id });
    const entry = this.union.get(name);
    if (!entry) return;
    this.union.set(name, { ...entry, file });
    this.sizeBytes += (file.sizeBytes ?? 0) - (entry.file.sizeBytes ?? 0);
  }

  private release(connectionId: string, file: FileEntry): void {
    const name = getFileKey({ connectionId, database: file.database, id: file.id });
    const entry = this.union.get(name);
    if (!entry) return;
    entry.searchCount -= 1;
    if (entry.searchCount > 0) return;
    this.union.delete(name);
    this.sizeBytes -= entry.file.sizeBytes ?? 0;
  }
}

/** A search and its results so far. */
export interface Search {
  readonly key: string;
  readonly connectionId: string;
  readonly query: SearchQuery;
  readonly isLoading: boolean;
  /** The files without duplicates, in page order (D9: paging). Grows in place until the search is repeated. */
  readonly files: readonly FoundFile[];
  /** The IDs for which no file was returned, if files were requested by ID. */
  readonly missing: readonly MissingId[];
  readonly order: ResultOrder;
  /** 0-based index of the first result to request; a multiple of the page size for words (D9: paging). */
  readonly nextOffset: number;
  /** The position after the last page, if the service reported it; used instead of `nextOffset` (D9: paging). */
  readonly cursor?: string;
  /** Names that the local service's listing leaves out of a search for all files; absent if unknown. */
  readonly leftOut?: LeftOutCounts;
  /** The state of the listing of a store in which the local service found the last page. */
  readonly listing?: StoreListing;
  readonly mayHaveMore: boolean;
  /** Consecutive pages without new files since loading started; 0 if it is known whether more follow (D9: paging). */
  readonly pagesWithoutNew: number;
  /** The last page as received, to detect a database that ignores `offset` and repeats one page (D9: paging). */
  readonly lastPage?: readonly FoundFile[];
  /** The reason why the last page failed to load. Earlier pages are kept. */
  readonly reason?: Reason;
  /** The time at which the last page was loaded, in milliseconds since 1970. */
  readonly loadedAt?: number;
  /** True if the files were saved by an earlier session and have not been requested since (D59: saved searches). */
  readonly isStale: boolean;
  /** True if the user collapsed the search's row, or if the search shares a row because it found nothing. */
  readonly isCollapsed: boolean;
  /** The ID of the batch that contains this search. Set only if multiple searches in the batch found nothing. */
  readonly batchId?: string;
}

/** Returns the time of a search's results: that of the listing of the store, or of the last page. */
export function getResultTime({ listing, loadedAt }: Search): number | undefined {
  return listing?.asOf === undefined ? loadedAt : Date.parse(listing.asOf);
}

type SearchChange = Partial<
  Omit<Search, 'key' | 'connectionId' | 'query' | 'reason' | 'lastPage' | 'cursor' | 'batchId' | 'leftOut' | 'listing'>
> & {
  readonly batchId?: string | undefined;
  readonly reason?: Reason | undefined;
  readonly lastPage?: readonly FoundFile[] | undefined;
  readonly cursor?: string | undefined;
  readonly leftOut?: LeftOutCounts | undefined;
  readonly listing?: StoreListing | undefined;
};

/** The databases left out of a search of all databases, because they refuse it (D38: learned searchability). */
export interface LeftOutSearches {
  readonly connectionId: string;
  readonly refused: readonly { readonly query: SearchQuery; readonly searchability: Searchability }[];
  /** The keys of the searches in the other databases. */
  readonly keys: readonly string[];
}

/** Dismissed searches that {@link SearchStore.restore} can restore. */
export type DismissedSearches = readonly { readonly stored: StoredSearch; readonly checks: CheckedFilesById }[];

interface StoredSearch {
  search: Search;
  files: FoundFile[];
  seen: Set<string>;
  readonly index: number;
}

/** Stores the searches, newest first, and which of their files are checked for transfer. */
export class SearchStore {
  private readonly searches = new Map<string, StoredSearch>();
  private readonly checks = new CheckedFiles();
  private readonly changed = new Emitter<readonly string[]>();
  private readonly checksChanged = new Emitter<readonly string[]>();
  private readonly collapsed = new Emitter<string>();
  private opened = 0;
  private leftOutSearches: LeftOutSearches | undefined;

  /** Fires with the keys of the searches that were changed, added or removed. */
  readonly onDidChange = this.changed.event;

  /** Fires with the keys of the searches whose checked files changed, except when the user toggles a checkbox. */
  readonly onDidChangeChecks = this.checksChanged.event;

  /** Fires with the key of a search that the user collapsed or expanded. */
  readonly onDidCollapse = this.collapsed.event;

  getAll(): readonly Search[] {
    return [...this.searches.values()].sort((one, other) => other.index - one.index).map(({ search }) => search);
  }

  get(key: string): Search | undefined {
    return this.searches.get(key)?.search;
  }

  /** The databases left out of the last search of all, if any, while a search of the others remains. */
  get leftOut(): LeftOutSearches | undefined {
    return this.leftOutSearches;
  }

  /** Sets the databases left out of the last search of all databases. Fires `onDidChange` with no keys. */
  setLeftOut(leftOut: LeftOutSearches | undefined): void {
    if (this.leftOutSearches === leftOut) return;
    this.leftOutSearches = leftOut;
    this.changed.fire([]);
  }

  open(key: string, connectionId: string, query: SearchQuery): void {
    const files: FoundFile[] = [];
    const base = { key, connectionId, query, isLoading: true, isStale: false, isCollapsed: false, files, missing: [] };
    this.opened += 1;
    const search: Search = { ...base, order: 'relevance', nextOffset: 0, mayHaveMore: true, pagesWithoutNew: 0 };
    this.searches.set(key, { search, files, seen: new Set(), index: this.opened });
    this.changed.fire([key]);
  }

  /** Adds the searches that an earlier session saved, newest first, with their checked files (D59: saved searches). */
  restoreSaved(saved: readonly SavedSearch[]): void {
    const added = saved.filter(({ key }) => !this.searches.has(key));
    for (const [position, { checked, unknownIds, ...rest }] of added.entries()) {
      const files = [...rest.files];
      const missing = unknownIds.map((id) => ({ id }));
      const base = { ...rest, files, missing, isLoading: false, isStale: true };
      const search: Search = { ...base, nextOffset: 0, pagesWithoutNew: 0 };
      this.searches.set(rest.key, { search, files, seen: new Set(files.map(getFileIdentity)), index: -position });
      this.checks.set(rest.key, rest.connectionId, checked, true);
    }
    const keys = added.map(({ key }) => key);
    this.changed.fire(keys);
    this.checksChanged.fire(keys);
  }

  /** Replaces a search's files with those from a new request. Files stay checked even if they are not found again. */
  replace(key: string, { files, missing, nextOffset, mayHaveMore, pagesWithoutNew, ...fresh }: Search): void {
    const { lastPage, cursor, leftOut, listing, loadedAt } = fresh;
    this.checks.renew(
      key,
      files.filter((file) => file.kind === 'file'),
    );
    const progress = { nextOffset, mayHaveMore, pagesWithoutNew, ...(loadedAt !== undefined && { loadedAt }) };
    this.update(key, {
      ...progress,
      files,
      missing,
      lastPage,
      cursor,
      leftOut,
      listing,
      reason: undefined,
      isLoading: false,
      isStale: false,
    });
    this.checksChanged.fire([key]);
  }

  /** Records that the user collapsed or expanded a search. Fires no event: the editor has updated the row. */
  setCollapsed(key: string, isCollapsed: boolean): void {
    const stored = this.searches.get(key);
    if (!stored || stored.search.isCollapsed === isCollapsed) return;
    stored.search = { ...stored.search, isCollapsed };
    this.collapsed.fire(key);
  }

  /** Changes a search, unless it has been dismissed in the meantime. Fires `onDidChange` only if something changed. */
  update(key: string, change: SearchChange): void {
    const stored = this.searches.get(key);
    const differs = (field: keyof SearchChange): boolean => stored?.search[field] !== change[field];
    if (!stored || !(Object.keys(change) as (keyof SearchChange)[]).some(differs)) return;
    const { reason, lastPage, cursor, batchId, leftOut, listing, ...rest } = { ...stored.search, ...change };
    if (change.files) {
      stored.files = [...change.files];
      stored.seen = new Set(stored.files.map(getFileIdentity));
    }
    const page = { ...(lastPage && { lastPage }), ...(cursor !== undefined && { cursor }) };
    const facts = { ...(leftOut && { leftOut }), ...(listing && { listing }) };
    const state = { ...(reason && { reason }), ...(batchId && { batchId }) };
    stored.search = { ...rest, files: stored.files, ...page, ...facts, ...state };
    this.changed.fire([key]);
  }

  /**
   * Adds the files that are new to a search, and returns how many were added (D9: paging). Fires no event, because the
   * caller calls `update` afterwards.
   */
  add(key: string, files: readonly FoundFile[]): number {
    const stored = this.searches.get(key);
    if (!stored) return 0;
    const before = stored.files.length;
    for (const file of files) {
      const id = getFileIdentity(file);
      if (stored.seen.has(id)) continue;
      stored.seen.add(id);
      stored.files.push(file);
    }
    return stored.files.length - before;
  }

  dismiss(keys: readonly string[]): DismissedSearches {
    const dismissed = keys.flatMap((key) => {
      const stored = this.searches.get(key);
      return stored ? [{ stored, checks: this.checks.clear(key) }] : [];
    });
    for (const key of keys) this.searches.delete(key);
    if (!this.leftOutSearches?.keys.some((key) => this.searches.has(key))) this.leftOutSearches = undefined;
    this.changed.fire(keys);
    this.checksChanged.fire(keys);
    return dismissed;
  }

  /**
   * Restores searches at their previous positions, including their checked files. Does not repeat requests that were
   * pending when the searches were dismissed.
   */
  restore(dismissed: DismissedSearches): void {
    for (const { stored, checks } of dismissed) {
      const { key, connectionId } = stored.search;
      this.searches.set(key, { ...stored, search: { ...stored.search, isLoading: false } });
      this.checks.set(key, connectionId, checks.values(), true);
    }
    const keys = dismissed.map(({ stored }) => stored.search.key);
    this.changed.fire(keys);
    this.checksChanged.fire(keys);
  }

  /** Checks or unchecks files in a search. Does not redraw its rows. */
  setChecked(key: string, files: readonly FileEntry[], checked: boolean): void {
    const search = this.get(key);
    if (!search) return;
    this.checks.set(key, search.connectionId, files, checked);
    this.checksChanged.fire([key]);
  }

  /** Checks or unchecks files in a search and redraws its rows, for changes not made with the checkboxes. */
  drawChecked(key: string, files: readonly FileEntry[], checked: boolean): void {
    this.setChecked(key, files, checked);
    this.changed.fire([key]);
  }

  /** Checks all loaded files of a search and redraws its rows. */
  checkAll(key: string): void {
    this.drawChecked(key, this.get(key)?.files.filter((file) => file.kind === 'file') ?? [], true);
  }

  isChecked(key: string, fileId: string): boolean {
    return this.checks.get(key).has(fileId);
  }

  getCheckedCount(key: string): number {
    return this.checks.get(key).size;
  }

  /** Returns the checked files of a search. */
  getChecked(key: string): readonly FileEntry[] {
    return [...this.checks.get(key).values()];
  }

  /** Returns a search's checked files that are not among its results. */
  getUnlistedChecks(key: string): readonly FileEntry[] {
    const seen = this.searches.get(key)?.seen;
    return this.getChecked(key).filter((file) => !seen?.has(getFileIdentity(file)));
  }

  get checked(): CheckedTally {
    return this.checks.tally;
  }

  getCheckedFiles(): readonly CheckedFile[] {
    return this.checks.getAll();
  }

  /** Unchecks all files in the given searches. */
  uncheck(keys: readonly string[]): void {
    const emptied = keys.filter((key) => this.checks.clear(key).size > 0);
    this.notifyUnchecked(emptied);
  }

  /** Unchecks the given files of a connection in all searches. */
  uncheckFiles(connectionId: string, files: readonly Pick<FileEntry, 'database' | 'id'>[]): void {
    const getChecked = (key: string): readonly FileEntry[] => {
      const checks = this.checks.get(key);
      return files.flatMap(({ database, id }) => {
        const file = checks.get(id);
        return file?.database === database ? [file] : [];
      });
    };
    const emptied = [...this.searches.values()].flatMap(({ search }) => {
      const own = search.connectionId === connectionId ? getChecked(search.key) : [];
      if (own.length === 0) return [];
      this.checks.set(search.key, connectionId, own, false);
      return [search.key];
    });
    this.notifyUnchecked(emptied);
  }

  private notifyUnchecked(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.changed.fire(keys);
    this.checksChanged.fire(keys);
  }
}

/**
 * Groups the given searches into a batch, and collapses the empty ones: those without results or checked files. Does
 * nothing if fewer than two are empty, because an unnecessary redraw could revert a checkbox that the user is toggling
 * at that moment.
 */
export function setBatch(store: SearchStore, keys: readonly string[], batchId: string): void {
  const empty = filterEmpty(
    store,
    keys.flatMap((key) => store.get(key) ?? []),
  );
  if (empty.length === 0) return;
  for (const key of keys) store.update(key, { batchId });
  for (const { key } of empty) store.update(key, { isCollapsed: true });
}

/** Removes a search from its batch, so that it has its own row, expanded if it shared one. */
export function leaveBatch(store: SearchStore, key: string): void {
  const search = store.get(key);
  if (search?.batchId === undefined) return;
  const isGrouped = getEmptySearches(store, search.batchId).some((one) => one.key === key);
  store.update(key, { batchId: undefined, isCollapsed: search.isCollapsed && !isGrouped });
}

/**
 * Returns the searches of a batch that found nothing and have no checked files, newest first. Returns an empty list if
 * there is only one such search, which keeps its own row.
 */
export function getEmptySearches(store: SearchStore, batchId: string): readonly Search[] {
  return filterEmpty(
    store,
    store.getAll().filter((search) => search.batchId === batchId),
  );
}

function filterEmpty(store: SearchStore, batch: readonly Search[]): readonly Search[] {
  const empty = batch.filter((search) => isEmpty(search) && store.getCheckedCount(search.key) === 0);
  return empty.length > 1 ? empty : [];
}

/**
 * Returns true for a search that ended without results. A saved search counts as ended even while it is being repeated.
 */
function isEmpty({ files, missing, mayHaveMore, reason, isLoading, isStale }: Search): boolean {
  const hasEnded = isStale || !isLoading;
  return hasEnded && !mayHaveMore && !reason && files.length + missing.length === 0;
}
