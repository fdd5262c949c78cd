import type { Search, SearchStore } from './searchStore.ts';

/**
 * Groups the given searches into a batch, and collapses the empty ones: those without results or checked files. Does
 * nothing if fewer than two are empty, because an unnecessary redraw could revert a checkbox that the user is toggling
 * at that moment.
 */
export function setBatch(store: SearchStore, keys: readonly string[], batchId: string): void {
  const empty = filterEmpty(
    store,
    keys.flatMap((key) => store.get(key) ?? []),
  );
  if (empty.length === 0) return;
  for (const key of keys) store.update(key, { batchId });
  for (const { key } of empty) store.update(key, { isCollapsed: true });
}

/** Removes a search from its batch, so that it has its own row, and expands it if it shared a row. */
export function leaveBatch(store: SearchStore, key: string): void {
  const search = store.get(key);
  if (search?.batchId === undefined) return;
  const isGrouped = getEmptySearches(store, search.batchId).some((one) => one.key === key);
  store.update(key, { batchId: undefined, isCollapsed: search.isCollapsed && !isGrouped });
}

/**
 * Returns the searches of a batch that found nothing and have no checked files, newest first. Returns an empty list if
 * there is only one such search, which keeps its own row.
 */
export function getEmptySearches(store: SearchStore, batchId: string): readonly Search[] {
  return filterEmpty(
    store,
    store.getAll().filter((search) => search.batchId === batchId),
  );
}

function filterEmpty(store: SearchStore, batch: readonly Search[]): readonly Search[] {
  const empty = batch.filter((search) => isEmpty(search) && store.getCheckedCount(search.key) === 0);
  return empty.length > 1 ? empty : [];
}

/**
 * Returns true for a search that ended without results. A saved search counts as ended even while it is being repeated.
 */
function isEmpty({ files, missing, mayHaveMore, reason, isLoading, isStale }: Search): boolean {
  const hasEnded = isStale || !isLoading;
  return hasEnded && !mayHaveMore && !reason && files.length + missing.length === 0;
}
