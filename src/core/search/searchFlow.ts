import { randomUUID } from 'node:crypto';
import type { RefusedId } from '../client/reply.ts';
import type { ConnectionStore } from '../connections/connectionStore.ts';
import { catchRefusal, type OpenConnection, type OpenConnections } from '../connections/openConnections.ts';
import type { Database, StoreListing } from '../model/databaseModel.ts';
import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import type { MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import {
  isLastPage,
  isRefused,
  learnSearchability,
  maxPagesWithoutNew,
  type Searchability,
  type SearchQuery,
} from '../model/searchModel.ts';
import type { Clock } from '../util/clock.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { lookUpIds, type UnsafeIds } from './metadataFlow.ts';
import { leaveBatch, SearchStore, setBatch, type DismissedSearches, type Search } from './searchStore.ts';
import type { ParameterListing, ParameterStore, SearchabilityStore } from './searchabilityStore.ts';

/** A page of search results, and the reason if the request failed. */
interface SearchPage {
  readonly files: readonly FoundFile[];
  readonly missing: readonly MissingId[];
  readonly nextOffset: number;
  /** The position after this page, if the service reported it (D9: paging). */
  readonly cursor?: string;
  readonly leftOut?: LeftOutCounts;
  readonly listing?: StoreListing;
  /** True if there are more pages; `ifNew` if that depends on whether this page contains new files (D9: paging). */
  readonly more: boolean | 'ifNew';
  readonly reason?: Reason;
}

/** Number of files that are loaded of a search without asking the user whether to continue. */
export const unaskedFileCount = 5_000;

/** Number of IDs to look up per page. Small enough to show the first files while the others are loading. */
const idBatchSize = 500;

interface PageSource {
  readonly session: OpenConnection;
  readonly unsafeIds: UnsafeIds;
  readonly orcid: string;
}

async function requestWordsPage(source: PageSource, search: Search, signal: AbortSignal): Promise<SearchPage> {
  const { session, orcid } = source;
  const { database, query, status, pageSize, specific } = search.query;
  const filters = { ...(status && { status }), ...(specific && { specific }) };
  // The connection may have been changed to a service that has no cursors.
  const hasCursor = session.service.hasFullPages === true && search.cursor !== undefined;
  const position = hasCursor ? { cursor: search.cursor } : { offset: search.nextOffset };
  const request = { database, orcid, query, ...position, limit: pageSize, ...filters };
  const reply = await catchRefusal(session.client.search(request, signal));
  if (!reply.value || reply.reason) return toFailedPage(search, reply.reason);
  const { value: files, reason, ...extensions } = reply;
  const isLast = session.service.hasFullPages === true && files.length < pageSize;
  const next = { nextOffset: search.nextOffset + pageSize, ...extensions };
  return { files, missing: [], ...next, more: isLast ? false : 'ifNew' };
}

async function requestIdsPage(
  { session, orcid, unsafeIds }: PageSource,
  search: Search,
  all: readonly string[],
  signal: AbortSignal,
): Promise<SearchPage> {
  const ids = all.slice(search.nextOffset, search.nextOffset + idBatchSize);
  const request = { database: search.query.database, orcid, ids };
  const { files, refused, failure, listing } = await lookUpIds(session, unsafeIds, request, signal);
  if (failure) return { ...toFailedPage(search, failure), files };
  const missing = findMissing(ids, files, refused);
  const trimmed = listTrimmed(missing);
  const further = trimmed.length > 0 ? await lookUpIds(session, unsafeIds, { ...request, ids: trimmed }, signal) : none;
  const found = [...files, ...further.files];
  if (further.failure) return { ...toFailedPage(search, further.failure), files: found };
  const nextOffset = search.nextOffset + ids.length;
  const more = nextOffset < all.length;
  return { files: found, missing: markTrimmed(missing, found), nextOffset, more, ...(listing && { listing }) };
}

const none = { files: [], failure: undefined };

function listTrimmed(missing: readonly MissingId[]): readonly string[] {
  return [...new Set(missing.filter(mayBeTrimmed).map(({ id }) => id.trim()))];
}

function mayBeTrimmed({ id, reason }: MissingId): boolean {
  // An ID that isn't found as it is can mean another one, unless the server didn't answer (D37: crashing file ids).
  return id.trim() !== id && reason?.kind !== 'dropped';
}

function markTrimmed(missing: readonly MissingId[], files: readonly FoundFile[]): readonly MissingId[] {
  const found = listIds(files);
  return missing.map((one) => (mayBeTrimmed(one) && found.has(one.id.trim()) ? { ...one, isFoundTrimmed: true } : one));
}

function listIds(files: readonly FoundFile[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => (file.kind === 'file' ? [file.id] : [])));
}

function findMissing(
  ids: readonly string[],
  files: readonly FoundFile[],
  refused: readonly RefusedId[],
): readonly MissingId[] {
  const found = listIds(files);
  const reasons = new Map(refused.map(({ id, reason }) => [id, { reason }]));
  return ids.filter((id) => !found.has(id)).map((id) => ({ id, ...reasons.get(id) }));
}

function toFailedPage(search: Search, reason: Reason | undefined): SearchPage {
  const { nextOffset, mayHaveMore } = search;
  return { files: [], missing: [], nextOffset, more: mayHaveMore, ...(reason && { reason }) };
}

interface SearchFlowDependencies {
  readonly sessions: OpenConnections;
  readonly store: SearchStore;
  readonly unsafeIds: UnsafeIds;
  readonly searchability: SearchabilityStore;
  readonly clock: Clock;
  getOrcid(connectionId: string): string;
}

/** Maximum number of databases to search at the same time, to limit the load on the service. */
const maxParallelSearches = 4;

/** Runs searches page by page, and adds their results to the store (D9: paging). */
export class SearchFlow {
  private readonly dependencies: SearchFlowDependencies;
  private readonly pending = new Map<string, AbortController>();
  /** Keys of searches by IDs that {@link run} started, until restarted; the files found are checked for transfer. */
  private readonly checking = new Set<string>();

  constructor(dependencies: SearchFlowDependencies) {
    this.dependencies = dependencies;
  }

  /** Starts a search. Resolves to its key after the first page or, for IDs, the last page, even if a request fails. */
  async run(session: OpenConnection, query: SearchQuery): Promise<string> {
    const key = this.open(session, query);
    if (query.ids) this.checking.add(key);
    await this.load(key);
    return key;
  }

  /** Adds a search by IDs that has found `files`, and checks the files in `checked`. Returns the search's key. */
  openFound(
    session: OpenConnection,
    query: SearchQuery,
    files: readonly FileEntry[],
    checked: readonly FileEntry[],
  ): string {
    const { store, clock } = this.dependencies;
    const key = this.open(session, query);
    store.add(key, files);
    store.setChecked(key, checked, true);
    store.update(key, { isLoading: false, mayHaveMore: false, nextOffset: files.length, loadedAt: clock.now() });
    return key;
  }

  /** Starts a search for each query, a few at a time. Shows the searches in the given order. */
  async runAll(session: OpenConnection, queries: readonly SearchQuery[]): Promise<void> {
    await this.loadEach(this.openAll(session, queries));
  }

  /**
   * Starts the searches, except those that their databases are known to refuse. If that would leave none, starts them
   * all (D38: learned searchability). Calls `showStarted` once the searches have rows, and waits for its promise before
   * grouping searches without results, so that no row is replaced before it receives focus.
   */
  async runWhereAccepted(
    session: OpenConnection,
    queries: readonly SearchQuery[],
    showStarted?: () => Promise<void>,
  ): Promise<void> {
    const { store } = this.dependencies;
    const refused = queries.flatMap((query) => {
      const searchability = this.getKnownRefusal(session, query);
      return searchability ? [{ query, searchability }] : [];
    });
    const leavesOut = refused.length > 0 && refused.length < queries.length;
    const isRefusedHere = new Set(leavesOut ? refused.map(({ query }) => query) : []);
    const opened = this.openAll(
      session,
      queries.filter((query) => !isRefusedHere.has(query)),
    );
    const connectionId = session.connection.id;
    store.setLeftOut(leavesOut ? { connectionId, refused, keys: opened } : undefined);
    await this.loadBatch(opened, [], showStarted?.());
  }

  /** Searches the databases that {@link runWhereAccepted} left out. */
  async runLeftOut(session: OpenConnection): Promise<void> {
    const { store } = this.dependencies;
    const { refused = [], keys = [] } = store.leftOut ?? {};
    store.setLeftOut(undefined);
    const opened = this.openAll(
      session,
      refused.map(({ query }) => query),
    );
    await this.loadBatch(opened, keys);
  }

  /** Loads searches, and adds them to a batch with the `earlier` ones. Searches without results share a row. */
  private async loadBatch(
    opened: readonly string[],
    earlier: readonly string[] = [],
    shown?: Promise<void>,
  ): Promise<void> {
    await Promise.all([this.loadEach(opened), shown]);
    const [first] = opened;
    if (first !== undefined) setBatch(this.dependencies.store, [...opened, ...earlier], first);
  }

  /** Adds searches in reverse order, because the newest is shown first. Returns their keys in the given order. */
  private openAll(session: OpenConnection, queries: readonly SearchQuery[]): readonly string[] {
    const opened = queries.toReversed().map((query) => this.open(session, query));
    return opened.reverse();
  }

  private async loadEach(opened: readonly string[]): Promise<void> {
    await mapConcurrently(opened, maxParallelSearches, async (key) => {
      // Skip a search that was stopped or restarted while it was waiting.
      if (this.dependencies.store.get(key)?.isLoading && !this.pending.has(key)) await this.load(key);
    });
  }

  /**
   * Requests the next page of a search, or retries a failed page. First refreshes the files if they were saved by an
   * earlier session and have not been requested since. Does nothing while a page is loading.
   */
  async loadMore(key: string): Promise<void> {
    const search = this.dependencies.store.get(key);
    await this.loadUpTo(key, search?.isStale && !search.reason ? search.files.length + 1 : 0);
  }

  /** Requests pages until the search has ended, failed, stalled (D9: paging), been stopped or found `count` files. */
  async loadUpTo(key: string, count: number): Promise<void> {
    if (this.pending.has(key)) return;
    if (this.dependencies.store.get(key)?.isStale) await this.refresh(key, count);
    else await this.load(key, count);
  }

  /**
   * Requests the files of a search again, as many as are currently shown but at least `count` (D59: saved searches).
   * Checked files stay checked. If a request fails, keeps the previous files and adds the reason.
   */
  async refresh(key: string, count = 0): Promise<void> {
    const { store } = this.dependencies;
    const search = store.get(key);
    if (!search || this.pending.has(key)) return;
    const copy = new SearchStore();
    copy.open(key, search.connectionId, search.query);
    // The end that was known is known again only after a page without new files.
    const shown = search.files.length + (search.mayHaveMore ? 0 : 1);
    if (!(await this.load(key, Math.max(count, shown), copy))) return;
    const fresh = copy.get(key);
    if (fresh?.reason) store.update(key, { isLoading: false, reason: fresh.reason });
    else if (fresh) store.replace(key, fresh);
  }

  async restart(key: string): Promise<void> {
    this.abort(key);
    this.checking.delete(key);
    this.dependencies.store.uncheck([key]);
    // The user restarted only this search, so it gets its own row.
    leaveBatch(this.dependencies.store, key);
    this.dependencies.store.update(key, {
      isStale: false,
      files: [],
      missing: [],
      nextOffset: 0,
      mayHaveMore: true,
      lastPage: undefined,
      cursor: undefined,
      leftOut: undefined,
      listing: undefined,
    });
    await this.load(key);
  }

  /** Cancels the pending requests of searches. Keeps their results; more can be loaded later. */
  stop(keys: readonly string[]): void {
    for (const key of keys) {
      this.abort(key);
      this.dependencies.store.update(key, { isLoading: false });
    }
  }

  /** Removes searches from the list. Returns a value from which the searches can be restored. */
  dismiss(keys: readonly string[]): DismissedSearches {
    for (const key of keys) this.abort(key);
    return this.dependencies.store.dismiss(keys);
  }

  private open(session: OpenConnection, query: SearchQuery): string {
    const key = randomUUID();
    this.dependencies.store.open(key, session.connection.id, query);
    return key;
  }

  private abort(key: string): void {
    this.pending.get(key)?.abort();
    this.pending.delete(key);
  }

  /** Loads pages of a search into `target`. Resolves to false if the search was stopped. */
  private async load(key: string, count = 0, target = this.dependencies.store): Promise<boolean> {
    const request = new AbortController();
    this.pending.set(key, request);
    this.dependencies.store.update(key, { isLoading: true, reason: undefined, pagesWithoutNew: 0 });
    try {
      let shouldContinue = true;
      while (shouldContinue) shouldContinue = await this.loadPage(target, key, count, request.signal);
      return !request.signal.aborted;
    } finally {
      if (this.pending.get(key) === request) this.pending.delete(key);
    }
  }

  /** Loads one page. Resolves to true if the next page should be loaded too. */
  private async loadPage(store: SearchStore, key: string, count: number, signal: AbortSignal): Promise<boolean> {
    const { sessions, unsafeIds } = this.dependencies;
    const search = store.get(key);
    if (!search) return false;
    const session = sessions.get(search.connectionId);
    if (!session) {
      store.update(key, { isLoading: false, reason: { kind: 'notConnected' } });
      return false;
    }
    const orcid = this.dependencies.getOrcid(search.connectionId);
    const source = { session, unsafeIds, orcid };
    const { ids } = search.query;
    const page = await (ids ? requestIdsPage(source, search, ids, signal) : requestWordsPage(source, search, signal));
    if (signal.aborted) return false;
    this.learn(session, search, page.reason);
    return this.addPage(store, search, page, count);
  }

  /** Returns a database's searchability if known to refuse the query; else undefined (D38: learned searchability). */
  getKnownRefusal(session: OpenConnection, query: SearchQuery): Searchability | undefined {
    const service = { connectionId: session.connection.id, version: session.service.version };
    const known = this.dependencies.searchability.get(service, query.database);
    return known && isRefused(query, known) ? known : undefined;
  }

  /** Records the kinds of search that a database refuses, based on the first page (D38: learned searchability). */
  private learn(session: OpenConnection, { query, nextOffset }: Search, reason: Reason | undefined): void {
    if (query.ids || nextOffset > 0) return;
    const known = this.getKnownRefusal(session, query);
    const learned = reason ? learnSearchability(query, reason, known) : undefined;
    const hasChanged = reason ? learned !== undefined : known !== undefined;
    if (!hasChanged) return;
    const service = { connectionId: session.connection.id, version: session.service.version };
    this.dependencies.searchability.set(service, query.database, learned);
  }

  private addPage(store: SearchStore, search: Search, page: SearchPage, count: number): boolean {
    const added = store.add(search.key, page.files);
    if (this.checking.has(search.key)) store.setChecked(search.key, page.files.filter(isReadable), true);
    const { mayHaveMore, pagesWithoutNew } = computeProgress(search, page, added);
    // A search by IDs loads all pages.
    const needsMore = search.query.ids !== undefined || pagesWithoutNew > 0 || search.files.length < count;
    const shouldContinue = mayHaveMore && needsMore && pagesWithoutNew < maxPagesWithoutNew && !page.reason;
    // A listener may load more at once.
    if (!shouldContinue && store === this.dependencies.store) this.pending.delete(search.key);
    store.update(search.key, {
      isLoading: shouldContinue,
      nextOffset: page.nextOffset,
      mayHaveMore,
      pagesWithoutNew,
      ...(!page.reason && { lastPage: page.files, cursor: page.cursor, loadedAt: this.dependencies.clock.now() }),
      ...(page.leftOut && { leftOut: page.leftOut }),
      ...(page.listing && { listing: page.listing }),
      ...(page.missing.length > 0 && { missing: [...search.missing, ...page.missing] }),
      ...(page.reason && { reason: page.reason }),
    });
    return shouldContinue;
  }
}

function isReadable(file: FoundFile): file is FileEntry {
  return file.kind === 'file';
}

/**
 * Returns the paging state of a search after a page with `added` new files (D9: paging). `pagesWithoutNew` counts the
 * consecutive pages without any.
 */
function computeProgress(
  search: Search,
  { files, more }: SearchPage,
  added: number,
): Pick<Search, 'mayHaveMore' | 'pagesWithoutNew'> {
  if (more !== 'ifNew') return { mayHaveMore: more, pagesWithoutNew: 0 };
  if (added > 0) return { mayHaveMore: true, pagesWithoutNew: 0 };
  if (isLastPage(files, search.query.pageSize, search.lastPage)) return { mayHaveMore: false, pagesWithoutNew: 0 };
  return { mayHaveMore: true, pagesWithoutNew: search.pagesWithoutNew + 1 };
}

interface ParameterFlowDependencies {
  readonly sessions: OpenConnections;
  readonly connectionStore: ConnectionStore;
  readonly store: ParameterStore;
}

/** Fetches search parameters on demand, and keeps them until the next listing (D26: service HTTP behavior). */
export class ParameterFlow implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: ParameterFlowDependencies;
  private readonly pending = new Map<string, Promise<ParameterListing>>();
  private listed: readonly Database[] = [];

  constructor(dependencies: ParameterFlowDependencies) {
    this.dependencies = dependencies;
    const { connectionStore, store } = dependencies;
    this.lifetime.track(
      connectionStore.onDidChange(() => {
        if (connectionStore.listing.databases === this.listed) return;
        this.listed = connectionStore.listing.databases;
        this.pending.clear();
        store.clear();
      }),
    );
  }

  /**
   * Resolves to the search parameters of the database with this name on the active connection, from the cache if
   * possible. If the request fails, the listing contains the reason.
   */
  async load(database: string): Promise<ParameterListing> {
    const known = this.dependencies.store.get(database);
    if (known && !known.reason) return known;
    const request = this.pending.get(database) ?? this.fetch(database);
    this.pending.set(database, request);
    try {
      return await request;
    } finally {
      if (this.pending.get(database) === request) this.pending.delete(database);
    }
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async fetch(name: string): Promise<ParameterListing> {
    const { sessions, connectionStore, store } = this.dependencies;
    const session = sessions.active;
    const database = connectionStore.findDatabase(name);
    const listing: ParameterListing =
      session && database
        ? await requestParameters(session, database.id)
        : { parameters: {}, reason: { kind: 'notConnected' } };
    if (sessions.active === session && connectionStore.findDatabase(name) === database) store.set(name, listing);
    return listing;
  }
}

async function requestParameters(session: OpenConnection, databaseId: string): Promise<ParameterListing> {
  const { value, reason } = await catchRefusal(session.client.searchParameters(databaseId));
  return { parameters: value ?? {}, ...(reason && { reason }) };
}
