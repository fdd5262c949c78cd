import { randomUUID } from 'node:crypto';
import type { FoundFile } from '../model/fileEntry.ts';
import type { SearchQuery } from '../model/searchQuery.ts';
import type { Search, SearchStore } from '../store/searchStore.ts';
import { asked } from './asked.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a {@link SearchFlow} needs. */
export interface SearchParts {
  readonly sessions: Sessions;
  readonly store: SearchStore;
  /** The searching person (§4.3). */
  orcid(): string;
}

/** Runs searches page by page, and fills the store with what comes (D9). */
export class SearchFlow {
  private readonly parts: SearchParts;
  private readonly asking = new Map<string, AbortController>();

  constructor(parts: SearchParts) {
    this.parts = parts;
  }

  /** Starts a search of the active connection; resolves with its key when its first page, or the reason, is there. */
  async run(session: Session, query: SearchQuery): Promise<string> {
    const key = randomUUID();
    this.parts.store.open(key, session.connection.id, query);
    await this.loadPage(key);
    return key;
  }

  /** Asks for the next page, or for the one that failed. One page of a search at a time. */
  async loadMore(key: string): Promise<void> {
    if (!this.asking.has(key)) await this.loadPage(key);
  }

  /** Asks again from the start. */
  async repeat(key: string): Promise<void> {
    this.stop(key);
    this.parts.store.uncheck([key]);
    this.parts.store.update(key, { files: [], nextOffset: 0, mayHaveMore: true });
    await this.loadPage(key);
  }

  dismiss(keys: readonly string[]): void {
    for (const key of keys) this.stop(key);
    this.parts.store.dismiss(keys);
  }

  private stop(key: string): void {
    this.asking.get(key)?.abort();
    this.asking.delete(key);
  }

  private async loadPage(key: string): Promise<void> {
    const { store, sessions } = this.parts;
    const search = store.get(key);
    if (!search) return;
    const session = sessions.get(search.connectionId);
    if (!session) {
      store.update(key, { loading: false, reason: { kind: 'notConnected' } });
      return;
    }
    const asking = new AbortController();
    this.asking.set(key, asking);
    store.update(key, { loading: true, reason: undefined });
    try {
      await this.ask(session, search, asking.signal);
    } finally {
      if (this.asking.get(key) === asking) this.asking.delete(key);
    }
  }

  private async ask(session: Session, search: Search, signal: AbortSignal): Promise<void> {
    const { database, query, status, pageSize, specific } = search.query;
    const request = {
      database,
      orcid: this.parts.orcid(),
      query,
      offset: search.nextOffset,
      limit: pageSize,
      ...(status && { status }),
      ...(specific && { specific }),
    };
    const reply = await asked(() => session.client.search(request, signal));
    if (signal.aborted) return;
    if (reply.value && !reply.reason) this.addPage(session, search, reply.value);
    else this.parts.store.update(search.key, { loading: false, reason: reply.reason });
  }

  private addPage(session: Session, search: Search, page: readonly FoundFile[]): void {
    const seen = new Set(search.files.map(identity));
    const fresh = page.filter((file) => {
      const id = identity(file);
      return !seen.has(id) && seen.add(id);
    });
    const isLast = session.service.pagesExactly === true && page.length < search.query.pageSize;
    this.parts.store.update(search.key, {
      loading: false,
      files: [...search.files, ...fresh],
      nextOffset: search.nextOffset + search.query.pageSize,
      mayHaveMore: fresh.length > 0 && !isLast,
    });
  }
}

function identity(file: FoundFile): string {
  return file.kind === 'file' ? `file ${file.id}` : `text ${file.text}`;
}
