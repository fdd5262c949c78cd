import { l10n } from 'vscode';
import type { Search } from '../../../core/store/searchStore.ts';
import type { SearchNode } from '../../editor/contributions.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import type { CommandServices } from '../services.ts';
import { chooseIncompleteSearch } from './searches.ts';

/**
 * Number of loaded files at which the user is first asked whether to continue. Each further limit is ten times the
 * previous one.
 */
const firstLimit = 5000;

/** Loads all pages of a search. At each limit, asks whether to continue. */
export async function loadAll(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const { searchStore, notifications } = services;
  const placeholder = l10n.t('Select the search to load all files for');
  const chosen = await chooseIncompleteSearch(services, node, placeholder);
  if (!chosen) return;
  const { key } = chosen;
  let canContinue = await loadToLimit(services, key);
  while (canContinue && (await confirmLoadMore(notifications, searchStore.get(key))))
    canContinue = await loadToLimit(services, key);
  const search = searchStore.get(key);
  if (search && !search.mayHaveMore)
    notifications.showStatusMessage(l10n.t('All results are loaded: {0}.', formatFileCount(search.files.length)));
}

/** Loads files up to the next limit. Returns true if the limit was reached and more files may exist. */
async function loadToLimit({ searchStore, searchFlow }: CommandServices, key: string): Promise<boolean> {
  const before = searchStore.get(key);
  if (!before?.mayHaveMore) return false;
  const limit = getNextLimit(before.files.length);
  await searchFlow.loadUpTo(key, limit);
  const after = searchStore.get(key);
  return after !== undefined && after.mayHaveMore && after.files.length >= limit;
}

function getNextLimit(count: number): number {
  let limit = firstLimit;
  while (limit <= count) limit *= 10;
  return limit;
}

/** Asks whether to keep loading. Returns false if the user dismisses the prompt. */
async function confirmLoadMore(notifications: Notifications, search: Search | undefined): Promise<boolean> {
  let isConfirmed = false;
  const text = plural(
    search?.files.length ?? 0,
    '{0} file loaded; the total is unknown. Keep loading?',
    '{0} files loaded; the total is unknown. Keep loading?',
  );
  await notifications.info(text, { label: l10n.t('Keep Loading'), run: () => (isConfirmed = true) });
  return isConfirmed;
}
