import { l10n, ThemeIcon } from 'vscode';
import type { SearchFlow } from '../../core/flows/searchFlow.ts';
import type { ResultOrder } from '../../core/model/resultOrder.ts';
import type { DismissedSearches, Search } from '../../core/store/searchStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { FileNode, SearchNode } from '../../host/contributions.ts';
import type { Notices } from '../../host/notices.ts';
import { alone, pickOne } from '../../host/quickInput.ts';
import { orderText, wantedText } from '../../host/searchWords.ts';
import { plural } from '../../host/words.ts';
import { loadAll } from './loadAll.ts';
import { canAsk, keyOf, type SearchesParts } from './searches.ts';

/** What these commands need. */
export interface SearchRowParts extends SearchesParts {
  readonly searchFlow: SearchFlow;
  readonly notices: Notices;
}

/** Asks for the next page of a search, or again for the page that failed. */
export async function loadMore(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const open = parts.searchStore.all().filter((search) => search.mayHaveMore);
  const key = node?.key ?? (await keyOf(open, l10n.t('Select the search to load more files of')));
  if (key !== undefined && (await canAsk(parts, key))) await parts.searchFlow.loadMore(key);
}

/** Runs a search again from its start. */
export async function repeatSearch(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const key = node?.key ?? (await keyOf(parts.searchStore.all(), l10n.t('Select the search to repeat')));
  if (key !== undefined && (await canAsk(parts, key))) await parts.searchFlow.repeat(key);
}

/** Ends what searches are waiting for; what they have brought stays. */
export async function stopSearch(
  { searchStore, searchFlow }: SearchRowParts,
  node: SearchNode | undefined,
): Promise<void> {
  const running = searchStore.all().filter((search) => search.loading);
  const nothing = l10n.t('No search is under way.');
  const key = node?.key ?? (await keyOf(running, l10n.t('Select the search to stop'), nothing));
  if (key !== undefined) searchFlow.stop([key]);
}

/** Takes a search out of the list, or all that are selected. */
export async function dismissSearch(
  parts: SearchRowParts,
  node: SearchNode | undefined,
  selection: readonly SearchNode[] | undefined,
): Promise<void> {
  const { searchStore, searchFlow } = parts;
  const key = node?.key ?? (await keyOf(searchStore.all(), l10n.t('Select the search to dismiss')));
  if (key === undefined) return;
  const selected = selection?.map((row) => row.key) ?? [];
  const gone = searchFlow.dismiss(selected.includes(key) ? selected : [key]);
  offerUndo(parts, gone);
}

/** Takes all searches out of the list. */
export function clearResults(parts: SearchRowParts): void {
  const keys = parts.searchStore.all().map((search) => search.key);
  if (keys.length === 0) void parts.notices.info(l10n.t('There are no searches to clear.'));
  else offerUndo(parts, parts.searchFlow.dismiss(keys));
}

/** Orders the files of a search by relevance, name or size. */
export async function sortResults({ searchStore }: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const key = node?.key ?? (await keyOf(searchStore.all(), l10n.t('Select the search to sort')));
  const search = key === undefined ? undefined : searchStore.get(key);
  if (!search) return;
  const orders: readonly ResultOrder[] = ['relevance', 'name', 'size'];
  const answer = await pickOne(alone(l10n.t('Sort Results')), {
    placeholder: l10n.t('Sort the files of {0} by', wantedText(search.query)),
    choices: orders.map((value) => ({
      label: orderText(value),
      ...(value === search.order && { description: l10n.t('current'), iconPath: new ThemeIcon('check') }),
      value,
    })),
    active: search.order,
  });
  if (typeof answer !== 'string') searchStore.update(search.key, { order: answer.value });
}

/** Checks every file that a search has brought so far; where there may be more, says so and offers to load them first. */
export async function checkAllFiles(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const { searchStore, notices } = parts;
  const key = node?.key ?? (await keyOf(searchStore.all(), l10n.t('Select the search to check all files of')));
  const search = key === undefined ? undefined : searchStore.get(key);
  if (!search) return;
  const choice = search.mayHaveMore ? await askWhatToCheck(search) : 'loaded';
  if (choice === 'all') {
    await loadAll(parts, { kind: 'search', key: search.key });
    // Loading may have been stopped, or have failed: then what is checked is said again.
    await checkAllFiles(parts, { kind: 'search', key: search.key });
  } else if (choice === 'loaded') {
    searchStore.checkAll(search.key);
    notices.done(checkedAllText(searchStore.checkedCount(search.key), search.mayHaveMore));
  }
}

async function askWhatToCheck({ files, query }: Search): Promise<'loaded' | 'all' | undefined> {
  const loaded = plural(
    files.length,
    'Check {0} loaded file; more may exist',
    'Check {0} loaded files; more may exist',
  );
  const answer = await pickOne(alone(l10n.t('Check All Files')), {
    placeholder: l10n.t('More results of {0} may exist that are not loaded yet', wantedText(query)),
    choices: [
      { label: loaded, value: 'loaded' as const },
      { label: l10n.t('Load all files, then check them'), value: 'all' as const },
    ],
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

function checkedAllText(count: number, mayHaveMore: boolean): string {
  if (!mayHaveMore) return plural(count, '{0} file checked.', '{0} files checked.');
  return plural(count, '{0} loaded file checked; more may exist.', '{0} loaded files checked; more may exist.');
}

/**
 * Checks a file, or all that are selected, and unchecks them where all are checked: the way to the check boxes for
 * those who have no mouse, because the editor gives them no key.
 */
export function toggleCheck(
  { searchStore }: SearchRowParts,
  node: FileNode | undefined,
  selection: readonly FileNode[] | undefined,
): void {
  if (!node) throw new CommandFailure(l10n.t('Select a file in the search results first.'));
  const rows = selection?.some(({ file }) => file === node.file) ? selection : [node];
  const isOpen = rows.some(({ searchKey, file }) => !searchStore.isChecked(searchKey, file.id));
  for (const { searchKey, file } of rows) searchStore.drawChecked(searchKey, [file], isOpen);
}

/** Checks no file of a search any longer. */
export async function uncheckAllFiles({ searchStore }: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const checked = searchStore.all().filter(({ key }) => searchStore.checkedCount(key) > 0);
  const nothing = l10n.t('No files are checked.');
  const key = node?.key ?? (await keyOf(checked, l10n.t('Select the search to uncheck all files of'), nothing));
  if (key !== undefined) searchStore.uncheck([key]);
}

function offerUndo({ searchStore, notices }: SearchRowParts, gone: DismissedSearches): void {
  const [first, second] = gone;
  if (!first) return;
  const text = second
    ? plural(gone.length, 'Dismissed {0} search.', 'Dismissed {0} searches.')
    : l10n.t('Dismissed the search for {0}.', wantedText(first.kept.search.query));
  void notices.info(text, { label: l10n.t('Undo'), run: () => searchStore.restore(gone) });
}
