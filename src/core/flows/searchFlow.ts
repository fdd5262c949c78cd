import { randomUUID } from 'node:crypto';
import type { Reason } from '../model/reason.ts';
import { isRefused, learnSearchability, type Searchability } from '../model/searchability.ts';
import { isLastPage, mostPagesWithoutNew } from '../model/searchPaging.ts';
import type { SearchQuery } from '../model/searchQuery.ts';
import type { DismissedSearches, Search, SearchStore } from '../store/searchStore.ts';
import type { SearchabilityStore, ServiceVersion } from '../store/searchabilityStore.ts';
import type { UnsafeIds } from '../store/unsafeIds.ts';
import { askPage, type SearchPage } from './searchPages.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a {@link SearchFlow} needs. */
export interface SearchParts {
  readonly sessions: Sessions;
  readonly store: SearchStore;
  readonly unsafeIds: UnsafeIds;
  readonly searchability: SearchabilityStore;
  /** The searching person (§4.3). */
  orcid(): string;
}

/** So many databases are searched at the same time: behind one service they share what it has. */
const searchesAtOnce = 4;

/** Runs searches page by page, and fills the store with what comes (D9). */
export class SearchFlow {
  private readonly parts: SearchParts;
  private readonly asking = new Map<string, AbortController>();

  constructor(parts: SearchParts) {
    this.parts = parts;
  }

  /** Starts a search of a connection; resolves with its key when its first page, or the reason, is there. */
  async run(session: Session, query: SearchQuery): Promise<string> {
    const key = this.open(session, query);
    await this.load(key);
    return key;
  }

  /** Starts a search for each query, some at a time; each has its own pages and its own reason. Shown in the order given. */
  async runAll(session: Session, queries: readonly SearchQuery[]): Promise<void> {
    await this.loadEach(this.openAll(session, queries));
  }

  /**
   * As {@link runAll}, without the databases that are known to refuse such a search (D38): the store tells which were left
   * out. Where every database is known to refuse it, all are searched.
   */
  async runWhereAccepted(session: Session, queries: readonly SearchQuery[]): Promise<void> {
    const { store } = this.parts;
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
    store.setLeftOut(leavesOut ? { connectionId, refused, keys: [...opened].reverse() } : undefined);
    await this.loadEach(opened);
  }

  /** Searches the databases that the last search of all databases left out. */
  async runLeftOut(session: Session): Promise<void> {
    const { store } = this.parts;
    const queries = store.leftOut?.refused.map(({ query }) => query) ?? [];
    store.setLeftOut(undefined);
    await this.runAll(session, queries);
  }

  /** Opens searches; they are shown in the order given, and returned from the last one on. */
  private openAll(session: Session, queries: readonly SearchQuery[]): string[] {
    return [...queries].reverse().map((query) => this.open(session, query));
  }

  private async loadEach(opened: readonly string[]): Promise<void> {
    const waiting = [...opened];
    const work = async (): Promise<void> => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
        // What was stopped or asked again while it waited is not asked for here.
        if (this.parts.store.get(key)?.loading && !this.asking.has(key)) await this.load(key);
      }
    };
    await Promise.all(Array.from({ length: searchesAtOnce }, work));
  }

  /** Asks for the next page, or for the one that failed. One page of a search at a time. */
  async loadMore(key: string): Promise<void> {
    await this.loadUpTo(key, 0);
  }

  /** Asks for page after page until the search has ended, has failed, was stopped, or has brought `count` files. */
  async loadUpTo(key: string, count: number): Promise<void> {
    if (!this.asking.has(key)) await this.load(key, count);
  }

  /** Asks again from the start. */
  async repeat(key: string): Promise<void> {
    this.abort(key);
    this.parts.store.uncheck([key]);
    this.parts.store.update(key, { files: [], missing: [], nextOffset: 0, mayHaveMore: true, lastPage: undefined });
    await this.load(key);
  }

  /** Ends what searches are waiting for; what they have brought stays, and they can be asked on. */
  stop(keys: readonly string[]): void {
    for (const key of keys) {
      this.abort(key);
      this.parts.store.update(key, { loading: false });
    }
  }

  /** Takes searches out of the list; what is returned puts them back. */
  dismiss(keys: readonly string[]): DismissedSearches {
    for (const key of keys) this.abort(key);
    return this.parts.store.dismiss(keys);
  }

  private open(session: Session, query: SearchQuery): string {
    const key = randomUUID();
    this.parts.store.open(key, session.connection.id, query);
    return key;
  }

  private abort(key: string): void {
    this.asking.get(key)?.abort();
    this.asking.delete(key);
  }

  private async load(key: string, count = 0): Promise<void> {
    const asking = new AbortController();
    this.asking.set(key, asking);
    this.parts.store.update(key, { loading: true, reason: undefined, pagesWithoutNew: 0 });
    try {
      let goesOn = true;
      while (goesOn) goesOn = await this.loadPage(key, count, asking.signal);
    } finally {
      if (this.asking.get(key) === asking) this.asking.delete(key);
    }
  }

  /** Loads one page; whether the next one is to follow. */
  private async loadPage(key: string, count: number, signal: AbortSignal): Promise<boolean> {
    const { store, sessions, unsafeIds } = this.parts;
    const search = store.get(key);
    if (!search) return false;
    const session = sessions.get(search.connectionId);
    if (!session) {
      store.update(key, { loading: false, reason: { kind: 'notConnected' } });
      return false;
    }
    const page = await askPage({ session, unsafeIds, orcid: this.parts.orcid() }, search, signal);
    if (signal.aborted) return false;
    this.learn(session, search, page.reason);
    return this.addPage(search, page, count);
  }

  /** Returns what is known to make a database refuse a search; undefined where nothing is (D38). */
  getKnownRefusal(session: Session, query: SearchQuery): Searchability | undefined {
    const known = this.parts.searchability.get(serviceOf(session), query.database);
    return known && isRefused(query, known) ? known : undefined;
  }

  /** Remembers what a first page tells of its database; a success clears what it contradicts (D38). */
  private learn(session: Session, { query, nextOffset }: Search, reason: Reason | undefined): void {
    if (query.ids || nextOffset > 0) return;
    const known = this.getKnownRefusal(session, query);
    const learned = reason ? learnSearchability(query, reason, known) : undefined;
    const isNews = reason ? learned !== undefined : known !== undefined;
    if (isNews) this.parts.searchability.set(serviceOf(session), query.database, learned);
  }

  private addPage(search: Search, page: SearchPage, count: number): boolean {
    const { store } = this.parts;
    const added = store.add(search.key, page.files);
    const { mayHaveMore, pagesWithoutNew } = progressAfter(search, page, added);
    // Whoever named the files wants all of them.
    const isWanted = search.query.ids !== undefined || pagesWithoutNew > 0 || search.files.length < count;
    const goesOn = mayHaveMore && isWanted && pagesWithoutNew < mostPagesWithoutNew && !page.reason;
    store.update(search.key, {
      loading: goesOn,
      nextOffset: page.nextOffset,
      mayHaveMore,
      pagesWithoutNew,
      ...(!page.reason && { lastPage: page.files }),
      ...(page.missing.length > 0 && { missing: [...search.missing, ...page.missing] }),
      ...(page.reason && { reason: page.reason }),
    });
    return goesOn;
  }
}

function serviceOf({ connection, service }: Session): ServiceVersion {
  return { connectionId: connection.id, version: service.version };
}

/** Decides by D9 (paging) whether a search may have more after a page that brought `added` new files. */
function progressAfter(
  search: Search,
  { files, more }: SearchPage,
  added: number,
): Pick<Search, 'mayHaveMore' | 'pagesWithoutNew'> {
  if (more !== 'ifNew') return { mayHaveMore: more, pagesWithoutNew: 0 };
  if (added > 0) return { mayHaveMore: true, pagesWithoutNew: 0 };
  if (isLastPage(files, search.query.pageSize, search.lastPage)) return { mayHaveMore: false, pagesWithoutNew: 0 };
  return { mayHaveMore: true, pagesWithoutNew: search.pagesWithoutNew + 1 };
}
