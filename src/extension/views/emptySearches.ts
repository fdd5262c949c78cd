import { getEmptySearches, type Search, type SearchStore } from '../../core/store/searchStore.ts';
import type { EmptySearchesNode } from '../editor/contributions.ts';

/** Determines which searches are grouped in the row for databases without results. */
export class EmptySearches {
  private readonly store: SearchStore;
  private readonly nodes = new Map<string, EmptySearchesNode>();
  private grouped: ReadonlySet<string> = new Set();

  constructor(store: SearchStore) {
    this.store = store;
    this.update();
  }

  /** Regroups the searches in the store. Returns true if the grouped searches have changed since the last call. */
  update(): boolean {
    const before = [...this.grouped].join();
    const batches = new Set(this.store.getAll().flatMap(({ batchId }) => batchId ?? []));
    this.grouped = new Set([...batches].flatMap((id) => getEmptySearches(this.store, id)).map(({ key }) => key));
    return before !== [...this.grouped].join();
  }

  /** Returns the row that groups a search with others that found nothing; undefined if the search has its own row. */
  getRow(search: Search | undefined): EmptySearchesNode | undefined {
    const isGrouped = search?.batchId !== undefined && this.grouped.has(search.key);
    return isGrouped ? this.getNode(search.batchId) : undefined;
  }

  /**
   * Returns the row for a batch's empty searches if the given search is the last of its batch in `searches`. Otherwise,
   * returns undefined.
   */
  getLastRow(searches: readonly Search[], { key, batchId }: Search): EmptySearchesNode | undefined {
    const batch = batchId === undefined ? [] : searches.filter((search) => search.batchId === batchId);
    return batch.at(-1)?.key === key ? batch.map((search) => this.getRow(search)).find(Boolean) : undefined;
  }

  private getNode(batchId: string): EmptySearchesNode {
    const node = this.nodes.get(batchId) ?? { kind: 'emptySearches', batchId };
    this.nodes.set(batchId, node);
    return node;
  }
}
