import { commands, l10n, ThemeIcon } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { ResultOrder, SearchQuery } from '../../../core/model/searchModel.ts';
import { unaskedFileCount } from '../../../core/search/searchFlow.ts';
import { getEmptySearches, type DismissedSearches, type Search } from '../../../core/search/searchStore.ts';
import { CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import type { EmptySearchesNode, FileNode, SearchNode } from '../../editor/contributions.ts';
import { withLateProgress, type Notifications } from '../../editor/notifications.ts';
import { chooseOne, createSingleStep, pickOne } from '../../editor/quickInput.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createSearchStep } from '../../editor/nextSteps.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import {
  describeNothingChecked,
  describeOrder,
  describeSearchTerms,
  describeWholeFolder,
  getFolderLabel,
  getWholeFolder,
} from '../../words/searchWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { chooseConnectedSearch, chooseIncompleteSearch, chooseSearch, waitForSearch } from './searches.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';

/** Loads the next page of a search, or reloads the page that failed. */
export async function loadMore(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const placeholder = l10n.t('Select the search to load more files for');
  const search = await chooseIncompleteSearch(services, node, placeholder);
  if (search) await services.searchFlow.loadMore(search.key);
}

/** Runs a search again. */
export async function repeatSearch(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const search = await chooseConnectedSearch(services, node, l10n.t('Select the search to repeat'));
  if (!search) return;
  // Unlike a restart, a refresh preserves the checked files of a search that was restored from an earlier session.
  if (search.isStale) await services.searchFlow.refresh(search.key);
  else await services.searchFlow.restart(search.key);
}

/** Stops a running search but keeps its results. */
export async function stopSearch(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const search = await chooseSearch(services, node, l10n.t('Select the search to stop'), {
    isEligible: ({ isLoading }) => isLoading,
    emptyText: l10n.t('No search is running.'),
  });
  if (search) services.searchFlow.stop([search.key]);
}

/**
 * Removes a search, the searches that share a row because they found nothing, or all selected searches. Offers to undo
 * this.
 */
export async function dismissSearch(
  services: CommandServices,
  node: SearchNode | EmptySearchesNode | undefined,
  selection: readonly (SearchNode | EmptySearchesNode)[] | undefined,
): Promise<void> {
  const search = node ?? (await chooseSearch(services, undefined, l10n.t('Select the search to remove')));
  if (!search) return;
  const getKeys = (row: { readonly key: string } | EmptySearchesNode): readonly string[] =>
    'key' in row ? [row.key] : getEmptySearches(services.searchStore, row.batchId).map(({ key }) => key);
  const keys = getKeys(search);
  const selected = [...new Set(selection?.flatMap(getKeys))];
  // A row that has disappeared in the meantime has no searches. It doesn't count as selected.
  const isSelected = keys.length > 0 && keys.every((key) => selected.includes(key));
  offerUndo(services, services.searchFlow.dismiss(isSelected ? selected : keys));
}

/** Removes all searches, and offers to undo this. */
export function clearResults(services: CommandServices): void {
  const keys = services.searchStore.getAll().map((search) => search.key);
  if (keys.length === 0) services.notifications.showStatusMessage(l10n.t('There are no searches to clear.'));
  else offerUndo(services, services.searchFlow.dismiss(keys));
}

/** Shows the files of a search as a table. */
export async function showTable(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const search = await chooseSearch(services, node, l10n.t('Select the search to show as a table'));
  if (search) services.tablePanels.show(search.key);
}

/** Shows the checked files of all searches as a table. */
export function showCheckedFiles({ searchStore, tablePanels, notifications }: CommandServices): void {
  if (searchStore.checked.count > 0) tablePanels.show();
  else notifications.showStatusMessage(describeNothingChecked());
}

/** Sorts the files in a search by relevance, name or size. */
export async function sortResults(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const search = await chooseSearch(services, node, l10n.t('Select the search to sort'));
  if (!search) return;
  const orders: readonly ResultOrder[] = ['relevance', 'name', 'size'];
  const answer = await pickOne(createSingleStep(getDialogTitle('dataTransfer.sortResults')), {
    placeholder: l10n.t('Select a sort order ({0})', describeSearchTerms(search.query)),
    choices: orders.map((value) => ({
      label: describeOrder(value),
      ...(value === search.order && { description: l10n.t('current'), iconPath: new ThemeIcon('check') }),
      value,
    })),
    active: search.order,
  });
  if (typeof answer !== 'string') services.searchStore.update(search.key, { order: answer.value });
}

/** Checks all loaded files in a search. If more may exist, offers to load them first. */
export async function checkAllFiles(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const chosen = await chooseSearch(services, node, l10n.t('Select the search whose files you want to check'));
  const search = chosen && (await waitForSearch(services, chosen, hasFilesToCheck));
  const choice = search?.mayHaveMore ? await askFilesToCheck(search) : 'loaded';
  if (search && choice === 'loaded') await checkLoadedFiles(services, search);
  else if (search && choice === 'all') await loadAndCheckFiles(services, search);
}

/** Returns false while no file has been found but some may still be. */
const hasFilesToCheck = ({ files, isLoading }: Search): boolean => files.length > 0 || !isLoading;

async function checkLoadedFiles(services: CommandServices, chosen: Search): Promise<void> {
  const { searchStore, notifications } = services;
  // The user may have repeated the search during the prompt.
  const search = await waitForSearch(services, chosen, hasFilesToCheck);
  if (!search) return;
  searchStore.checkAll(search.key);
  notifications.showStatusMessage(describeCheckedAll(searchStore.getCheckedCount(search.key), search.mayHaveMore));
}

async function loadAndCheckFiles(services: CommandServices, chosen: Search): Promise<void> {
  // Files can't be loaded while a page is already being loaded.
  const search = await waitForSearch(services, chosen, ({ isLoading }) => !isLoading);
  if (!search) return;
  if (search.mayHaveMore) await loadAll(services, { kind: 'search', key: search.key });
  // Checks the files, or asks again if they weren't all loaded.
  await checkAllFiles(services, { kind: 'search', key: search.key });
}

async function askFilesToCheck({ files, query }: Search): Promise<'loaded' | 'all' | undefined> {
  const loaded = plural(
    files.length,
    'Check {0} loaded file; more may exist',
    'Check {0} loaded files; more may exist',
  );
  return await chooseOne(getDialogTitle('dataTransfer.checkAllFiles'), {
    placeholder: l10n.t('Some results may not have been loaded yet ({0})', describeSearchTerms(query)),
    choices: [
      ...(files.length > 0 ? [{ label: loaded, value: 'loaded' as const }] : []),
      { label: l10n.t('Load and check all files'), value: 'all' as const },
    ],
  });
}

function describeCheckedAll(count: number, mayHaveMore: boolean): string {
  if (!mayHaveMore) return plural(count, '{0} file checked.', '{0} files checked.');
  return plural(count, '{0} loaded file checked; more may exist.', '{0} loaded files checked; more may exist.');
}

/**
 * Toggles the checkbox of a file or of all selected files: checks them, or unchecks them if all are checked. The editor
 * has no keyboard command for checkboxes.
 */
export function toggleCheck(
  { searchStore }: CommandServices,
  node: FileNode | undefined,
  selection: readonly FileNode[] | undefined,
): void {
  if (!node) throw createNoFileHint();
  const rows = selection?.some(({ file }) => file === node.file) ? selection : [node];
  const shouldCheck = rows.some(({ searchKey, file }) => !searchStore.isChecked(searchKey, file.id));
  for (const { searchKey, file } of rows) searchStore.drawChecked(searchKey, [file], shouldCheck);
}

function createNoFileHint(): CommandHint {
  return new CommandHint(l10n.t('Select a file in the search results first.'), createSearchStep());
}

/**
 * Finds all files of a folder that contains a file, or of its database, and checks them. Asks for the folder if there
 * are several.
 */
export async function checkFolder(services: CommandServices, node: FileNode | undefined): Promise<void> {
  if (!node) throw createNoFileHint();
  const { database, path = '' } = node.file;
  const isLocal = node.connectionId === localConnectionId;
  if (!(services.sessions.get(node.connectionId)?.service.hasFullPages ?? isLocal))
    throw new CommandHint(l10n.t('Only the local service can list the files of a folder.'));
  const session = await getOrOpenConnection(services, node.connectionId);
  const folders = listFolders(path);
  const folder = session && (folders.length === 1 ? folders[0] : await askFolder(folders, database));
  if (!session || folder === undefined) return;
  const pageSize = Math.max(services.settings.pageSize, folderPageSize);
  const specific = folder !== '' && { specific: { folder } };
  await findAndCheckAll(services, session, { database, query: '', pageSize, ...specific });
}

/** The number of files per page of a folder, which is always loaded as a whole. */
const folderPageSize = 1_000;

/** Returns the folders that contain a path, from the innermost one to the whole database, which is empty. */
function listFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, parts.length - 1 - index).join('/'));
}

async function askFolder(folders: readonly string[], database: string): Promise<string | undefined> {
  return await chooseOne(getDialogTitle('dataTransfer.checkFolder'), {
    placeholder: l10n.t('Select the folder whose files you want to check'),
    choices: folders.map((value) => ({ label: getFolderLabel(value, database), value })),
  });
}

/** Checks the files only if all are found, and says what the listing leaves out. */
async function findAndCheckAll(services: CommandServices, session: OpenConnection, query: SearchQuery): Promise<void> {
  const { searchFlow, searchStore, views, notifications } = services;
  const running = searchFlow.run(session, query);
  void views.focusStartedSearch();
  const key = await running;
  const label = getFolderLabel(getWholeFolder(query) ?? '', query.database);
  await withLateProgress(l10n.t('Finding the files of {0}', label), async (signal) => {
    signal.addEventListener('abort', () => searchFlow.stop([key]));
    if (searchStore.get(key)?.mayHaveMore) await searchFlow.loadUpTo(key, Number.POSITIVE_INFINITY);
  });
  const search = searchStore.get(key);
  if (!search || search.mayHaveMore || search.reason) return;
  searchStore.checkAll(key);
  const { size, leftOut } = describeWholeFolder(search);
  const text = l10n.t('Checked {0}.', size);
  if (leftOut === '') {
    notifications.showStatusMessage(text);
    return;
  }
  // The editor truncates a notification without buttons to one line.
  const transferLabel = getCommandTitle('dataTransfer.transferCheckedFiles');
  const choice = await notifications.offer('info', `${text} ${leftOut}.`, transferLabel);
  if (choice === transferLabel) runCommand('dataTransfer.transferCheckedFiles');
}

/** Handles the Space key: toggles the checkboxes of files, and expands or collapses any other row. */
export async function toggleFocusedRow(services: CommandServices, node: FileNode | undefined): Promise<void> {
  const selected = services.views.selectedResults.filter((row) => row.kind === 'file');
  if (node) toggleCheck(services, node, selected);
  else await commands.executeCommand('list.toggleExpand');
}

/** Extends the selection to the next row, without opening it. */
export async function extendSelectionDown({ views }: CommandServices): Promise<void> {
  await views.selectionExtender.extend('down');
}

/** Extends the selection to the previous row, without opening it. */
export async function extendSelectionUp({ views }: CommandServices): Promise<void> {
  await views.selectionExtender.extend('up');
}

/** Unchecks all files in a search. */
export async function uncheckAllFiles(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const { searchStore, notifications } = services;
  const isEligible = ({ key }: Search): boolean => searchStore.getCheckedCount(key) > 0;
  const searches = searchStore.getAll();
  if (searches.length > 0 && !searches.some(isEligible)) {
    // Unlike a notification, a status message doesn't stay after the user has checked files.
    notifications.showStatusMessage(describeNothingChecked());
    return;
  }
  const placeholder = l10n.t('Select the search whose files you want to uncheck');
  const search = await chooseSearch(services, node, placeholder, { isEligible });
  if (search) searchStore.uncheck([search.key]);
}

function offerUndo({ searchStore, removals }: CommandServices, dismissed: DismissedSearches): void {
  const [first, second] = dismissed;
  if (!first) return;
  const text = second
    ? plural(dismissed.length, 'Removed {0} search.', 'Removed {0} searches.')
    : l10n.t('Removed search: {0}', describeSearchTerms(first.stored.search.query));
  removals.report(text, () => searchStore.restore(dismissed));
}

/** Loads all pages of a search. At each limit, of which each is ten times the previous one, asks whether to continue. */
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
  let limit = unaskedFileCount;
  while (limit <= count) limit *= 10;
  return limit;
}

/** Asks whether to keep loading, in a dialog, because a notification hides and would leave the command waiting. */
async function confirmLoadMore(notifications: Notifications, search: Search | undefined): Promise<boolean> {
  const text = plural(
    search?.files.length ?? 0,
    '{0} file loaded; the total is unknown. Keep loading?',
    '{0} files loaded; the total is unknown. Keep loading?',
  );
  return await notifications.confirm(text, l10n.t('The loaded files stay in the list.'), l10n.t('Keep Loading'));
}
