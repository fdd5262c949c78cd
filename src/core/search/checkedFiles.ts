import { getFileKey, type FileEntry } from '../model/fileEntry.ts';

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
export type CheckedFilesById = ReadonlyMap<string, FileEntry>;

/** Stores the checked files of each search. Reading the tally takes constant time. */
export class CheckedFiles {
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
