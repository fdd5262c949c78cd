import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import type { Search, SearchStore } from '../search/searchStore.ts';
import { Emitter, Lifetime, type Disposable } from '../util/lifetime.ts';
import { getContentKey, type FileContent } from './equalFiles.ts';

/** A file that a search has found. */
interface IndexedFile {
  readonly database: string;
  readonly id: string;
  readonly name: string;
  readonly path?: string;
}

interface Entry {
  readonly file: IndexedFile;
  searchCount: number;
}

/** Files with the same content, in any number of databases of one connection. */
class CopyGroup {
  private readonly entries = new Map<string, Entry>();
  private readonly fileCounts = new Map<string, number>();

  /** The names of the databases that contain the content. */
  get databases(): readonly string[] {
    return [...this.fileCounts.keys()];
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get files(): readonly IndexedFile[] {
    return Array.from(this.entries.values(), ({ file }) => file);
  }

  /** Adds a file that a search found. Returns true if the file's database is new to the group. */
  add(file: IndexedFile): boolean {
    const key = getEntryKey(file);
    const known = this.entries.get(key);
    if (known) {
      known.searchCount += 1;
      return false;
    }
    this.entries.set(key, { file, searchCount: 1 });
    return this.count(file.database, 1) === 1;
  }

  /**
   * Removes a file that a search no longer contains, unless another search still contains it. Returns true if the group
   * then contains no more files from the same database.
   */
  remove(file: IndexedFile): boolean {
    const key = getEntryKey(file);
    const known = this.entries.get(key);
    if (!known) return false;
    known.searchCount -= 1;
    if (known.searchCount > 0) return false;
    this.entries.delete(key);
    return this.count(file.database, -1) === 0;
  }

  /** Adds `change` to a database's file count, and returns the new count. */
  private count(database: string, change: number): number {
    const count = (this.fileCounts.get(database) ?? 0) + change;
    if (count > 0) this.fileCounts.set(database, count);
    else this.fileCounts.delete(database);
    return count;
  }
}

function getEntryKey({ database, id }: IndexedFile): string {
  return JSON.stringify([database, id]);
}

/** The files of a search that are in the index: the first `count` of `files`. */
interface IndexedSearch {
  readonly connectionId: string;
  readonly files: readonly FoundFile[];
  readonly count: number;
}

type OwnFile = FileContent & Pick<FileEntry, 'database'>;

/**
 * Finds copies of files in other databases of the same connection, among the results of all searches (D60: same
 * content). Indexes each page once. The time to find the other databases that contain a file doesn't depend on the
 * number of files.
 */
export class CopyIndex implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly store: SearchStore;
  private readonly searches = new Map<string, IndexedSearch>();
  private readonly groups = new Map<string, IndexedFile | CopyGroup>();
  private readonly changed = this.lifetime.track(new Emitter<readonly string[]>());

  /**
   * Fires with the keys of searches that may contain files whose copies have changed. Omits the searches that caused
   * the change, because the store itself reports changes to searches.
   */
  readonly onDidChange = this.changed.event;

  constructor(store: SearchStore) {
    this.store = store;
    this.lifetime.track(store.onDidChange((keys) => this.update(keys)));
  }

  /** Returns the names of the other databases that contain a copy of a file. */
  findDatabases(connectionId: string, file: OwnFile): readonly string[] {
    const found = this.getGroup(connectionId, file);
    const databases = found instanceof CopyGroup ? found.databases : found ? [found.database] : [];
    return databases.filter((database) => database !== file.database);
  }

  /** Returns at most `limit` copies of a file from other databases (D60: same content). */
  findCopies(connectionId: string, file: OwnFile, limit: number): readonly IndexedFile[] {
    const files = this.getFiles(connectionId, file);
    return files.filter(({ database }) => database !== file.database).slice(0, limit);
  }

  /** Returns the files with this content that searches have found in a database. */
  findIn(connectionId: string, database: string, content: FileContent): readonly IndexedFile[] {
    return this.getFiles(connectionId, content).filter((file) => file.database === database);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private getFiles(connectionId: string, content: FileContent): readonly IndexedFile[] {
    const found = this.getGroup(connectionId, content);
    if (found instanceof CopyGroup) return found.files;
    return found ? [found] : [];
  }

  private getGroup(connectionId: string, content: FileContent): CopyGroup | IndexedFile | undefined {
    const key = getGroupKey(connectionId, content);
    return key === undefined ? undefined : this.groups.get(key);
  }

  private update(keys: readonly string[]): void {
    const affected = new Set<string>();
    for (const key of keys) this.updateSearch(key, affected);
    if (affected.size === 0) return;
    const isAffected = ({ connectionId, query }: Search): boolean =>
      affected.has(getDatabaseKey(connectionId, query.database));
    const others = this.store.getAll().filter((search) => isAffected(search) && !keys.includes(search.key));
    if (others.length > 0) this.changed.fire(others.map(({ key }) => key));
  }

  /** Indexes the new files of a search, and removes files that the search no longer contains. */
  private updateSearch(key: string, affected: Set<string>): void {
    const { connectionId, files } = this.store.get(key) ?? { connectionId: '', files: [] };
    const indexed = this.searches.get(key);
    const isSame = indexed?.files === files;
    for (const file of indexed && !isSame ? indexed.files.slice(0, indexed.count) : [])
      this.remove(indexed?.connectionId ?? '', file, affected);
    for (const file of files.slice(isSame ? indexed.count : 0)) this.add(connectionId, file, affected);
    if (files.length === 0) this.searches.delete(key);
    else this.searches.set(key, { connectionId, files, count: files.length });
  }

  private add(connectionId: string, file: FoundFile, affected: Set<string>): void {
    const key = file.kind === 'file' ? getGroupKey(connectionId, file) : undefined;
    if (file.kind !== 'file' || key === undefined) return;
    const found = this.groups.get(key);
    // Most files are the only ones with their content, and need no group.
    const group = found && toGroup(found);
    this.groups.set(key, group ?? file);
    if (group?.add(file)) markDatabases(connectionId, group, affected);
  }

  private remove(connectionId: string, file: FoundFile, affected: Set<string>): void {
    const key = file.kind === 'file' ? getGroupKey(connectionId, file) : undefined;
    if (file.kind !== 'file' || key === undefined) return;
    const found = this.groups.get(key);
    const group = found instanceof CopyGroup ? found : undefined;
    if (group?.remove(file)) markDatabases(connectionId, group, affected);
    if (!group || group.isEmpty) this.groups.delete(key);
  }
}

function markDatabases(connectionId: string, { databases }: CopyGroup, affected: Set<string>): void {
  for (const database of databases) affected.add(getDatabaseKey(connectionId, database));
}

function toGroup(found: IndexedFile | CopyGroup): CopyGroup {
  if (found instanceof CopyGroup) return found;
  const group = new CopyGroup();
  group.add(found);
  return group;
}

function getGroupKey(connectionId: string, content: FileContent): string | undefined {
  const key = getContentKey(content);
  return key && `${key} ${connectionId}`;
}

function getDatabaseKey(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
