import { env } from 'vscode';
import type { FoundFile } from '../core/model/fileEntry.ts';
import { inOrder, type ResultOrder } from '../core/model/resultOrder.ts';
import type { Search } from '../core/store/searchStore.ts';

interface Sorted {
  readonly source: readonly FoundFile[];
  readonly count: number;
  readonly order: ResultOrder;
  readonly files: readonly FoundFile[];
}

/** The files of searches in the order in which they are shown; sorted once, not at every look. */
export class ShownOrder {
  private readonly sorted = new Map<string, Sorted>();

  /** While a search loads on, what comes stands at the end; it is put in its place when the search rests. */
  files(search: Search): readonly FoundFile[] {
    const { key, files, order, loading } = search;
    if (order === 'relevance') return files;
    const known = this.sorted.get(key);
    if (!known || known.source !== files || known.order !== order) return this.sort(search);
    if (known.count === files.length) return known.files;
    return loading ? [...known.files, ...files.slice(known.count)] : this.sort(search);
  }

  forget(key: string): void {
    this.sorted.delete(key);
  }

  private sort({ key, files, order }: Search): readonly FoundFile[] {
    const sorted = inOrder(files, order, env.language);
    this.sorted.set(key, { source: files, count: files.length, order, files: sorted });
    return sorted;
  }
}
