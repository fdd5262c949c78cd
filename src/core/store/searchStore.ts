import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { ResultOrder } from '../model/resultOrder.ts';
import type { Searchability } from '../model/searchability.ts';
import { fileIdentity } from '../model/searchPaging.ts';
import type { SearchQuery } from '../model/searchQuery.ts';
import { Emitter } from '../util/emitter.ts';
import { CheckedFiles, type CheckedFile, type CheckedTally, type Checks } from './checkedFiles.ts';

/** An id that was asked for and did not bring a file, with the reason where the service gave one (D8). */
export interface MissingId {
  readonly id: string;
  readonly reason?: Reason;
}

/** A search and what it has brought so far. */
export interface Search {
  readonly key: string;
  readonly connectionId: string;
  readonly query: SearchQuery;
  readonly loading: boolean;
  /** Every file once, in the order of the answers (D9). Grows in place until the search is asked anew. */
  readonly files: readonly FoundFile[];
  /** The ids that brought no file, where files were asked for by id. */
  readonly missing: readonly MissingId[];
  /** What the files are shown in the order of. */
  readonly order: ResultOrder;
  /** 0-based index of the first result not asked for yet; of words, a multiple of the page size (D9). */
  readonly nextOffset: number;
  /** Whether asking on may bring more. */
  readonly mayHaveMore: boolean;
  /** Pages in a row, up to the last one, that brought no new file (D9). */
  readonly pagesWithoutNew: number;
  /** The last page as it came, to recognize a database that answers every page alike (D9). */
  readonly lastPage?: readonly FoundFile[];
  /** Why the last page did not come; the earlier pages stay. */
  readonly reason?: Reason;
}

/** Returns the ids that the service doesn't know, or those that could not be looked up, for whatever other reason (D8). */
export function missingIds({ missing }: Search, areUnknown: boolean): readonly MissingId[] {
  return missing.filter(({ reason }) => (reason === undefined || reason.kind === 'notFound') === areUnknown);
}

/** Names a file of a database. */
type FileName = Pick<FileEntry, 'database' | 'id'>;

/** What a page, or its absence, changes of a search. */
export type SearchChange = Partial<Omit<Search, 'key' | 'connectionId' | 'query' | 'reason' | 'lastPage'>> & {
  readonly reason?: Reason | undefined;
  readonly lastPage?: readonly FoundFile[] | undefined;
};

/** The databases that a search of all databases left out, because they are known to refuse such a search (D38). */
export interface LeftOutSearches {
  readonly connectionId: string;
  readonly refused: readonly { readonly query: SearchQuery; readonly searchability: Searchability }[];
  /** The searches that were made instead. */
  readonly keys: readonly string[];
}

/** Searches that were taken out of the list, to be put back with {@link SearchStore.restore}. */
export type DismissedSearches = readonly { readonly kept: Kept; readonly checks: Checks }[];

interface Kept {
  search: Search;
  files: FoundFile[];
  seen: Set<string>;
  /** Its place among the searches, in the order of their beginning. */
  readonly place: number;
}

/** The searches that are shown, newest first, and which of their files are checked for transfer. */
export class SearchStore {
  private readonly searches = new Map<string, Kept>();
  private readonly checks = new CheckedFiles();
  private readonly changed = new Emitter<readonly string[]>();
  private readonly checksChanged = new Emitter<void>();
  private opened = 0;
  private leftOutSearches: LeftOutSearches | undefined;

  /** Carries the keys of the searches that changed, came or went. */
  readonly onDidChange = this.changed.event;

  /** Fires when other files are checked than before; what a person checks is not told by `onDidChange` as well. */
  readonly onDidChangeChecks = this.checksChanged.event;

  all(): readonly Search[] {
    return [...this.searches.values()].sort((one, other) => other.place - one.place).map(({ search }) => search);
  }

  get(key: string): Search | undefined {
    return this.searches.get(key)?.search;
  }

  /** Databases that the last search of all left out; undefined where it left out none or is gone. */
  get leftOut(): LeftOutSearches | undefined {
    return this.leftOutSearches;
  }

  /** Sets what the last search of all databases left out; the change carries no keys. */
  setLeftOut(leftOut: LeftOutSearches | undefined): void {
    if (this.leftOutSearches === leftOut) return;
    this.leftOutSearches = leftOut;
    this.changed.fire([]);
  }

  open(key: string, connectionId: string, query: SearchQuery): void {
    const files: FoundFile[] = [];
    const asked = { key, connectionId, query, loading: true, files, missing: [] };
    this.opened += 1;
    const search: Search = { ...asked, order: 'relevance', nextOffset: 0, mayHaveMore: true, pagesWithoutNew: 0 };
    this.searches.set(key, { search, files, seen: new Set(), place: this.opened });
    this.changed.fire([key]);
  }

  /** Changes a search; one that was dismissed meanwhile is left alone, and a change that changes nothing is not told. */
  update(key: string, change: SearchChange): void {
    const kept = this.searches.get(key);
    const differs = (field: keyof SearchChange): boolean => kept?.search[field] !== change[field];
    if (!kept || !(Object.keys(change) as (keyof SearchChange)[]).some(differs)) return;
    const { reason, lastPage, ...rest } = { ...kept.search, ...change };
    if (change.files) {
      kept.files = [...change.files];
      kept.seen = new Set(kept.files.map(fileIdentity));
    }
    kept.search = { ...rest, files: kept.files, ...(reason && { reason }), ...(lastPage && { lastPage }) };
    this.changed.fire([key]);
  }

  /**
   * Adds the files that were not seen before in this search (D9), and tells how many; the `update` that follows tells
   * of them.
   */
  add(key: string, files: readonly FoundFile[]): number {
    const kept = this.searches.get(key);
    if (!kept) return 0;
    const before = kept.files.length;
    for (const file of files) {
      const id = fileIdentity(file);
      if (kept.seen.has(id)) continue;
      kept.seen.add(id);
      kept.files.push(file);
    }
    return kept.files.length - before;
  }

  /** Takes searches out of the list, with their checks. */
  dismiss(keys: readonly string[]): DismissedSearches {
    const dismissed = keys.flatMap((key) => {
      const kept = this.searches.get(key);
      return kept ? [{ kept, checks: this.checks.clear(key) }] : [];
    });
    for (const key of keys) this.searches.delete(key);
    if (!this.leftOutSearches?.keys.some((key) => this.searches.has(key))) this.leftOutSearches = undefined;
    this.changed.fire(keys);
    this.checksChanged.fire();
    return dismissed;
  }

  /** Puts searches back where they were, with their checks; what they were waiting for is not asked for again. */
  restore(dismissed: DismissedSearches): void {
    for (const { kept, checks } of dismissed) {
      const { key, connectionId } = kept.search;
      this.searches.set(key, { ...kept, search: { ...kept.search, loading: false } });
      this.checks.set(key, connectionId, checks.values(), true);
    }
    this.changed.fire(dismissed.map(({ kept }) => kept.search.key));
    this.checksChanged.fire();
  }

  /** Chooses files of a search for transfer, or no longer, as a person does with their check boxes. */
  setChecked(key: string, files: readonly FileEntry[], checked: boolean): void {
    const search = this.get(key);
    if (!search) return;
    this.checks.set(key, search.connectionId, files, checked);
    this.checksChanged.fire();
  }

  /** As `setChecked`, where nobody has touched the check boxes themselves: the rows are drawn again. */
  drawChecked(key: string, files: readonly FileEntry[], checked: boolean): void {
    this.setChecked(key, files, checked);
    this.changed.fire([key]);
  }

  /** Chooses every file that a search has brought so far; its rows are drawn again. */
  checkAll(key: string): void {
    this.drawChecked(key, this.get(key)?.files.filter((file) => file.kind === 'file') ?? [], true);
  }

  isChecked(key: string, fileId: string): boolean {
    return this.checks.of(key).has(fileId);
  }

  /** How many files of one search are checked. */
  checkedCount(key: string): number {
    return this.checks.of(key).size;
  }

  /** How many files of all searches are checked, and how much that is: each file of a connection's database once. */
  get checked(): CheckedTally {
    return this.checks.tally;
  }

  /** The checked files of all searches: each file of a connection's database once. */
  checkedFiles(): readonly CheckedFile[] {
    return this.checks.all();
  }

  /** Chooses nothing any longer, of some searches or of all. */
  uncheck(keys: readonly string[] = [...this.searches.keys()]): void {
    const emptied = keys.filter((key) => this.checks.clear(key).size > 0);
    this.tellOfUnchecked(emptied);
  }

  /** Chooses these files of a connection no longer, in whichever searches they are checked. */
  uncheckFiles(connectionId: string, files: readonly FileName[]): void {
    const held = (key: string): readonly FileEntry[] => {
      const checks = this.checks.of(key);
      return files.flatMap(({ database, id }) => {
        const file = checks.get(id);
        return file?.database === database ? [file] : [];
      });
    };
    const emptied = [...this.searches.values()].flatMap(({ search }) => {
      const own = search.connectionId === connectionId ? held(search.key) : [];
      if (own.length === 0) return [];
      this.checks.set(search.key, connectionId, own, false);
      return [search.key];
    });
    this.tellOfUnchecked(emptied);
  }

  private tellOfUnchecked(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.changed.fire(keys);
    this.checksChanged.fire();
  }
}
