import type { FileEntry } from '../model/fileEntry.ts';

/** A file that was chosen for transfer, and the connection whose search found it. */
export interface CheckedFile {
  readonly connectionId: string;
  readonly file: FileEntry;
}

/** How many files are checked, and how many bytes that is as far as their sizes are known. */
export interface CheckedTally {
  readonly count: number;
  readonly sizeBytes: number;
}

/** The checked files of one search, by their ids. */
export type Checks = ReadonlyMap<string, FileEntry>;

/** Which files of which searches are checked. What it tells of all of them costs the same however many they are. */
export class CheckedFiles {
  private readonly bySearch = new Map<
    string,
    { readonly connectionId: string; readonly files: Map<string, FileEntry> }
  >();
  /** Each file of a connection's database once, with how many searches hold it checked. */
  private readonly union = new Map<string, CheckedFile & { holders: number }>();
  private sizeBytes = 0;

  get tally(): CheckedTally {
    return { count: this.union.size, sizeBytes: this.sizeBytes };
  }

  all(): readonly CheckedFile[] {
    return [...this.union.values()].map(({ connectionId, file }) => ({ connectionId, file }));
  }

  of(key: string): Checks {
    return this.bySearch.get(key)?.files ?? new Map();
  }

  set(key: string, connectionId: string, files: Iterable<FileEntry>, checked: boolean): void {
    const own = this.bySearch.get(key) ?? { connectionId, files: new Map<string, FileEntry>() };
    this.bySearch.set(key, own);
    for (const file of files) {
      if (own.files.has(file.id) === checked) continue;
      if (checked) this.hold(connectionId, file);
      else this.release(connectionId, file);
      if (checked) own.files.set(file.id, file);
      else own.files.delete(file.id);
    }
  }

  /** Takes away all checks of a search and returns them, empty where it had none. */
  clear(key: string): Checks {
    const own = this.bySearch.get(key);
    if (!own) return new Map();
    for (const file of own.files.values()) this.release(own.connectionId, file);
    this.bySearch.delete(key);
    return own.files;
  }

  private hold(connectionId: string, file: FileEntry): void {
    const name = nameOf(connectionId, file);
    const held = this.union.get(name);
    if (held) held.holders += 1;
    else {
      this.union.set(name, { connectionId, file, holders: 1 });
      this.sizeBytes += file.sizeBytes ?? 0;
    }
  }

  private release(connectionId: string, file: FileEntry): void {
    const name = nameOf(connectionId, file);
    const held = this.union.get(name);
    if (!held) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.union.delete(name);
    this.sizeBytes -= held.file.sizeBytes ?? 0;
  }
}

function nameOf(connectionId: string, { database, id }: FileEntry): string {
  return JSON.stringify([connectionId, database, id]);
}
