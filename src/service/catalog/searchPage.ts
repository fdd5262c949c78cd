import type { CatalogFile } from './catalogFile.ts';
import type { CatalogSearch, SearchPlace } from './searchSql.ts';

/** Some of the files that a search finds. */
export interface SearchPage {
  readonly files: readonly CatalogFile[];
  /** Start of the next page; absent where nothing follows. */
  readonly next?: SearchPlace;
}

const mostFiles = 2_000;
/** Each page of a sorted search sorts all files again. */
const mostSortedFiles = 20_000;
/** Of the metadata of all files of a page but the last, as text: a file can have very much. */
const mostChars = 2 * 1024 * 1024;

/** Takes files until a page is full: the number wanted is reached, or what one answer may hold in memory. */
export class GrowingPage {
  private readonly limit: number;
  private readonly files: CatalogFile[] = [];
  private chars = 0;

  constructor({ limit, filter }: CatalogSearch) {
    const isInPathOrder = filter.sort === 'relevance' || filter.sort === 'path';
    this.limit = Math.min(limit, isInPathOrder ? mostFiles : mostSortedFiles);
  }

  get room(): number {
    return this.limit - this.files.length;
  }

  get isFull(): boolean {
    return this.room === 0 || this.chars > mostChars;
  }

  add(file: CatalogFile): void {
    this.files.push(file);
    this.chars += file.metadata?.length ?? 0;
  }

  /** Returns the page. `tier` is that of its last file; absent where the search is at its end. */
  end(tier?: number): SearchPage {
    const { files } = this;
    const last = files.at(-1);
    if (tier === undefined || last === undefined) return { files };
    const { path, bytes, modifiedMs } = last;
    return { files, next: { tier, path, bytes, modifiedMs } };
  }
}
