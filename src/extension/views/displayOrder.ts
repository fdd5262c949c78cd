import { env } from 'vscode';
import type { FoundFile } from '../../core/model/fileEntry.ts';
import { sortFiles, type ResultOrder } from '../../core/model/searchModel.ts';
import type { Search } from '../../core/store/searchStore.ts';

interface Sorted {
  readonly source: readonly FoundFile[];
  readonly count: number;
  readonly order: ResultOrder;
  readonly files: readonly FoundFile[];
}

/** Caches the files found by each search, in display order. */
export class DisplayOrder {
  private readonly sorted = new Map<string, Sorted>();

  /** Returns a search's files in display order. While the search is loading, appends new files at the end. */
  getFiles(search: Search): readonly FoundFile[] {
    const { key, files, order, isLoading } = search;
    if (order === 'relevance') return files;
    const cached = this.sorted.get(key);
    if (!cached || cached.source !== files || cached.order !== order) return this.sort(search);
    if (cached.count === files.length) return cached.files;
    return isLoading ? [...cached.files, ...files.slice(cached.count)] : this.sort(search);
  }

  forget(key: string): void {
    this.sorted.delete(key);
  }

  private sort({ key, files, order }: Search): readonly FoundFile[] {
    const sorted = sortFiles(files, order, env.language);
    this.sorted.set(key, { source: files, count: files.length, order, files: sorted });
    return sorted;
  }
}
