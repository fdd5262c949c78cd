import type { CatalogFile } from './catalogFile.ts';
import type { CatalogSearch, SearchCursor } from './searchSql.ts';

/** A page of the files that a search finds. */
export interface CatalogPage {
  readonly files: readonly CatalogFile[];
  /** Start of the next page; absent if this page is not full. A full page may be the last one. */
  readonly next?: SearchCursor;
}

const maxFiles = 2_000;
/**
 * Maximum number of files in a page if the results must be sorted. Larger than `maxFiles`, because each page sorts all
 * results again.
 */
const maxSortedFiles = 20_000;
/** Maximum number of metadata characters in a page, not counting the last file. */
const maxChars = 2 * 1024 * 1024;

/** Collects the files of one page, up to a maximum number of files and a maximum size of their metadata. */
export class CatalogPageBuilder {
  private readonly limit: number;
  private readonly files: CatalogFile[] = [];
  private chars = 0;

  constructor({ limit, filter }: CatalogSearch) {
    const isInPathOrder = filter.sort === 'relevance' || filter.sort === 'path';
    this.limit = Math.min(limit, isInPathOrder ? maxFiles : maxSortedFiles);
  }

  get remaining(): number {
    return this.limit - this.files.length;
  }

  get isFull(): boolean {
    return this.remaining === 0 || this.chars > maxChars;
  }

  add(file: CatalogFile): void {
    this.files.push(file);
    this.chars += file.metadata?.length ?? 0;
  }

  /** Returns the page. `tier` is the tier of the page's last file; omit it at the end of the search. */
  build(tier?: number): CatalogPage {
    const { files } = this;
    const last = files.at(-1);
    if (tier === undefined || last === undefined) return { files };
    const { path, bytes, modifiedMs } = last;
    return { files, next: { tier, path, bytes, modifiedMs } };
  }
}

/**
 * The state of a store's listing, as sent to clients (D62: stores through rclone). For a folder, it is sent only while
 * searches wait for a scan.
 */
export interface StoreListingState {
  readonly state: 'scanning' | 'listed' | 'failed';
  /** Number of files in the catalog. */
  readonly files: number;
  /** Number of files that the running scan has found so far. */
  readonly scanned?: number;
  /** Start time of the last complete scan, in ISO 8601. Absent until the first scan is complete. */
  readonly asOf?: string;
  /**
   * Free space in bytes at the time of the last scan. Absent before the first scan, or if the store doesn't report it.
   */
  readonly freeBytes?: number;
  /** The reason the last scan failed, as a clause. The files from the previous scan remain in the catalog. */
  readonly problem?: string;
}
