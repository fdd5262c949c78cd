import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { SearchQuery } from '../model/searchQuery.ts';
import { Emitter } from '../util/emitter.ts';

/** A search and what it has brought so far. */
export interface Search {
  readonly key: string;
  readonly connectionId: string;
  readonly query: SearchQuery;
  readonly loading: boolean;
  /** Every file once, in the order of the answers (D9). */
  readonly files: readonly FoundFile[];
  /** 0-based index of the first result not asked for yet; a multiple of the page size (D9). */
  readonly nextOffset: number;
  /** Whether asking on may bring more. */
  readonly mayHaveMore: boolean;
  /** Why the last page did not come; the earlier pages stay. */
  readonly reason?: Reason;
}

/** A file that was chosen for transfer, and the connection whose search found it. */
export interface CheckedFile {
  readonly connectionId: string;
  readonly file: FileEntry;
}

/** What a page, or its absence, changes of a search. */
export type SearchChange = Partial<Omit<Search, 'key' | 'connectionId' | 'query' | 'reason'>> & {
  readonly reason?: Reason | undefined;
};

/** The searches that are shown, newest first, and which of their files are checked for transfer. */
export class SearchStore {
  private readonly searches = new Map<string, Search>();
  private readonly checks = new Map<string, Map<string, FileEntry>>();
  private readonly changed = new Emitter<readonly string[]>();
  private readonly checksChanged = new Emitter<void>();

  /** Carries the keys of the searches that changed, came or went. */
  readonly onDidChange = this.changed.event;

  /** Fires when other files are checked than before; what a person checks is not told by `onDidChange` as well. */
  readonly onDidChangeChecks = this.checksChanged.event;

  all(): readonly Search[] {
    return [...this.searches.values()].reverse();
  }

  get(key: string): Search | undefined {
    return this.searches.get(key);
  }

  open(key: string, connectionId: string, query: SearchQuery): void {
    this.searches.set(key, {
      key,
      connectionId,
      query,
      loading: true,
      files: [],
      nextOffset: 0,
      mayHaveMore: true,
    });
    this.changed.fire([key]);
  }

  /** Changes a search; one that was dismissed meanwhile is left alone, and a change that changes nothing is not told. */
  update(key: string, change: SearchChange): void {
    const search = this.searches.get(key);
    const differs = (field: keyof SearchChange): boolean => search?.[field] !== change[field];
    if (!search || !(Object.keys(change) as (keyof SearchChange)[]).some(differs)) return;
    const { reason, ...rest } = { ...search, ...change };
    this.searches.set(key, reason ? { ...rest, reason } : rest);
    this.changed.fire([key]);
  }

  dismiss(keys: readonly string[]): void {
    for (const key of keys) {
      this.searches.delete(key);
      this.checks.delete(key);
    }
    this.changed.fire(keys);
    this.checksChanged.fire();
  }

  /** Chooses a file of a search for transfer, or no longer. */
  setChecked(key: string, files: readonly FileEntry[], checked: boolean): void {
    if (!this.searches.has(key)) return;
    const chosen = this.checks.get(key) ?? new Map<string, FileEntry>();
    for (const file of files) {
      if (checked) chosen.set(file.id, file);
      else chosen.delete(file.id);
    }
    this.checks.set(key, chosen);
    this.checksChanged.fire();
  }

  isChecked(key: string, fileId: string): boolean {
    return this.checks.get(key)?.has(fileId) ?? false;
  }

  /** The checked files of all searches: each file of a connection's database once. */
  checkedFiles(): readonly CheckedFile[] {
    const files = new Map<string, CheckedFile>();
    for (const [key, chosen] of this.checks) {
      const connectionId = this.searches.get(key)?.connectionId;
      if (connectionId === undefined) continue;
      for (const file of chosen.values()) {
        files.set(JSON.stringify([connectionId, file.database, file.id]), { connectionId, file });
      }
    }
    return [...files.values()];
  }

  /** Chooses nothing any longer, of one search or of all. */
  uncheck(keys: readonly string[] = [...this.checks.keys()]): void {
    const emptied = keys.filter((key) => this.checks.delete(key));
    if (emptied.length === 0) return;
    this.changed.fire(emptied);
    this.checksChanged.fire();
  }
}
