/** A file that a search has found. */
export interface IndexedFile {
  readonly database: string;
  readonly id: string;
  readonly name: string;
}

interface Entry {
  readonly file: IndexedFile;
  searchCount: number;
}

/** Files with the same content, in any number of databases of one connection. */
export class CopyGroup {
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

  /** Adds a file that a search has found. Returns true if the file's database is new to the group. */
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
