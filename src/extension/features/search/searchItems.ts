import { l10n, ThemeIcon, TreeItem, TreeItemCheckboxState, TreeItemCollapsibleState, Uri } from 'vscode';
import { getMachine } from '../../../core/model/connection.ts';
import type { FileEntry, FoundFile, UnreadableFile } from '../../../core/model/fileEntry.ts';
import { filterMissingIds, filterTrimmedIds, type MissingId } from '../../../core/model/idList.ts';
import type { Reason } from '../../../core/model/reason.ts';
import { maxPagesWithoutNew } from '../../../core/model/searchModel.ts';
import { getResultTime, type LeftOutSearches, type Search } from '../../../core/search/searchStore.ts';
import { findDistinctFolders } from '../../../core/util/distinctFolders.ts';
import { isJsonObject, type JsonObject } from '../../../core/util/json.ts';
import { shortenMiddle, toShortLine } from '../../../core/util/visibleText.ts';
import type {
  ConnectionNode,
  EmptySearchesNode,
  FileNode,
  LeftOutNode,
  SearchNode,
} from '../../editor/contributions.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';
import { describeFailedLookups } from '../../words/sharedLabels.ts';
import { formatAlsoIn, formatDatabases } from '../../words/summaryWords.ts';
import { formatList, formatNumber, formatSize, formatTime, plural, wordsLanguage } from '../../words/localeFormats.ts';
import { toPathLabel, toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeListing } from '../../words/serviceNames.ts';
import {
  describeFilters,
  describeNothingFound,
  describeOrder,
  describeSearchabilityDetail,
  describeSearchFailure,
  describeSearchTerms,
  describeUnlisted,
  formatLeftOutLine,
  formatResultCount,
  formatShortCount,
  getDatabaseLabel,
  isEndKnown,
} from '../../words/searchWords.ts';
import type { MessageNode, MissingNode, PartNode, SearchTreeNode } from '../../views/nodes.ts';
import { createEmptyRow, createFailureRows, createLoadingRow, setAccessibleLabel } from '../../views/placeholders.ts';

/** Length of a file's name in its row. The end of a longer name would be cut off in a side bar of the usual width. */
const maxNameLength = 32;
/** Length of a name, or of its beginning, that a side bar of 250 pixels shows. */
const narrowNameLength = 18;

/**
 * Creates the row for a search. Its label is what distinguishes it: its terms, or its database if `hasTwin` says that
 * there is a search for the same in another database.
 */
export function createSearchItem(search: Search, hasTwin: boolean): TreeItem {
  const { query, order, isCollapsed } = search;
  const terms = describeSearchTerms(query);
  const database = getDatabaseLabel(query.database);
  const [label, other] = hasTwin ? [database, terms] : [terms, database];
  const { Expanded, Collapsed } = TreeItemCollapsibleState;
  const item = new TreeItem(label, isCollapsed ? Collapsed : Expanded);
  item.id = search.key;
  item.contextValue = search.isLoading ? 'search.loading' : 'search';
  item.iconPath = getSearchIcon(search);
  const sorted =
    order === 'relevance' ? '' : l10n.t('sorted by {0}', describeOrder(order).toLocaleLowerCase(wordsLanguage));
  const filters = describeFilters(query, isLocal(search.connectionId));
  const age = describeAge(search);
  const count = formatResultCount(search);
  const details = [age, other, filters, sorted].filter(Boolean);
  item.description = [formatShortCount(search), ...details].filter(Boolean).join(' · ');
  const listed = (search.listing && describeListing(search.listing)) ?? age;
  const { folder } = query.specific ?? {};
  const isShown = search.leftOut && (folder !== undefined || Object.keys(search.leftOut).length > 0);
  const omissions = isShown ? formatLeftOutLine(search.leftOut) : '';
  item.tooltip = [terms, listed, database, filters, count, sorted, omissions].filter(Boolean).join('\n');
  return setAccessibleLabel(item, describeSearchState(search), [count, ...details]);
}

/** Creates the row that groups a batch's searches without results. */
export function createEmptySearchesItem({ batchId }: EmptySearchesNode, searches: readonly Search[]): TreeItem {
  const text = plural(searches.length, '{0} database without results', '{0} databases without results');
  const item = new TreeItem(text, TreeItemCollapsibleState.Collapsed);
  item.id = `emptySearches/${batchId}`;
  item.contextValue = 'emptySearches';
  item.iconPath = new ThemeIcon('circle-slash');
  const [first] = searches;
  item.description = first ? [describeAge(first), describeSearchTerms(first.query)].filter(Boolean).join(' · ') : '';
  item.tooltip = [text, item.description, ...searches.map(({ query }) => getDatabaseLabel(query.database))].join('\n');
  return setAccessibleLabel(item);
}

/**
 * Creates the row for a search in a group. The group's row already shows the search terms (see {@link
 * createEmptySearchesItem}).
 */
export function createGroupedSearchItem(search: Search): TreeItem {
  const item = createSearchItem(search, true);
  item.description = describeAge(search);
  return setAccessibleLabel(item, describeSearchState(search));
}

/** Describes the state shown by the icon, for screen readers. */
function describeSearchState({ isLoading, reason }: Search): string {
  if (isLoading) return l10n.t('searching');
  return reason ? l10n.t('failed') : '';
}

/** Describes the age of results from an earlier session (D59: saved searches), or from an outdated listing. */
function describeAge(search: Search): string {
  if (!isOutdated(search)) return '';
  if (search.listing && search.listing.asOf === undefined) return l10n.t('search incomplete');
  const at = getResultTime(search);
  return at === undefined ? '' : l10n.t('as of {0}', formatTime(at, Date.now()));
}

function isOutdated({ isStale, listing }: Search): boolean {
  return isStale || (listing !== undefined && listing.state !== 'listed');
}

function getSearchIcon(search: Search): ThemeIcon {
  const { isLoading, reason, query } = search;
  if (isLoading) return new ThemeIcon('loading~spin');
  if (reason) return new ThemeIcon('warning');
  if (isOutdated(search)) return new ThemeIcon('history');
  return new ThemeIcon(query.ids ? 'list-selection' : 'search');
}

/** Creates the row for a part of a long result list. Shows the numbers and names of the part's first and last files. */
export function createPartItem(search: Search, node: PartNode, files: readonly FoundFile[], isOpen: boolean): TreeItem {
  const numbers = [node.start + 1, node.start + files.length].map(formatNumber);
  const { Expanded, Collapsed } = TreeItemCollapsibleState;
  const item = new TreeItem(numbers.join(' – '), isOpen ? Expanded : Collapsed);
  item.id = `${search.key}/part/${node.start}`;
  item.contextValue = 'part';
  item.iconPath = new ThemeIcon('files');
  item.description = [files[0], files.at(-1)].map((file) => formatFileName(file)).join(' – ');
  item.tooltip = `${numbers.join(' – ')}\n${item.description}`;
  return setAccessibleLabel(item);
}

/** Creates the row for a search's checked files that aren't among its loaded results. Warns if there are no more. */
export function createUnlistedItem(search: Search, count: number): TreeItem {
  const isGone = isEndKnown(search);
  const text = describeUnlisted(search, count);
  const item = new TreeItem(text, isGone ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed);
  item.id = getUnlistedItemId(search.key);
  item.contextValue = 'unlisted';
  item.iconPath = new ThemeIcon(isGone ? 'warning' : 'check');
  item.tooltip = text;
  return setAccessibleLabel(item);
}

/** Returns the ID of the row for a search's checked files that aren't among its loaded results. */
export function getUnlistedItemId(searchKey: string): string {
  return `${searchKey}/unlisted`;
}

/** Creates the row that groups the searches of another connection. */
export function createOtherConnectionItem(name: string, connectionId: string, searches: readonly Search[]): TreeItem {
  const label = toPlainLine(name) || l10n.t('Removed connection');
  const item = new TreeItem(label, TreeItemCollapsibleState.Collapsed);
  item.id = `connection/${connectionId}`;
  item.contextValue = 'otherConnection';
  item.iconPath = new ThemeIcon('vm-outline');
  item.description = plural(searches.length, '{0} search', '{0} searches');
  item.tooltip = `${label}\n${item.description}`;
  return setAccessibleLabel(item);
}

/** Creates the row for IDs without a file: either those unknown to the service, or those that couldn't be looked up. */
export function createMissingItem(search: Search, node: MissingNode): TreeItem {
  const { isUnknown } = node;
  const ids = filterMissingIds(search, isUnknown);
  const text = describeMissingIds(ids.length, isUnknown);
  const item = new TreeItem(text, TreeItemCollapsibleState.Collapsed);
  item.id = getMissingItemId(node);
  item.contextValue = 'missing';
  item.iconPath = new ThemeIcon(isUnknown ? 'question' : 'warning');
  item.tooltip = [text, ...ids.slice(0, 20).map(({ id }) => toPlainLine(id))].join('\n');
  return setAccessibleLabel(item);
}

/** Returns the ID of the row for IDs without a file. */
export function getMissingItemId({ searchKey, isUnknown }: MissingNode): string {
  return `${searchKey}/${isUnknown ? 'missing' : 'failed'}`;
}

/**
 * Creates the row for a file, with its checkbox and the names of other databases that have the file. If other databases
 * have it, the row has a different icon, because a narrow view truncates the names. The tooltip is set only on hover,
 * from {@link createFileTooltip}.
 */
export function createFileItem(node: FileNode, isChecked: boolean, alsoIn: readonly string[]): TreeItem {
  const { file } = node;
  const name = formatFileName(file);
  const item = new TreeItem(shortenMiddle(name, node.nameLength ?? maxNameLength));
  item.id = `${node.searchKey}/${file.id}`;
  item.contextValue = 'file';
  if (alsoIn.length > 0) item.iconPath = new ThemeIcon('files');
  else showTypeIcon(item, name);
  const folder = toPathLabel(node.folder ?? '');
  item.description = [folder, formatFileSize(file), formatAlsoIn(alsoIn)].filter(Boolean).join(' · ');
  const state = isChecked ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked;
  item.checkboxState = {
    state,
    accessibilityInformation: { label: l10n.t('Check {0}', formatList([name, folder])) },
  };
  item.command = {
    command: 'dataTransfer.showFileMetadata',
    title: getCommandTitle('dataTransfer.showFileMetadata'),
    arguments: [node],
  };
  if (item.label !== name)
    item.accessibilityInformation = { label: [name, item.description].filter(Boolean).join(', ') };
  return item;
}

function showTypeIcon(item: TreeItem, name: string): void {
  item.iconPath = ThemeIcon.File;
  item.resourceUri = Uri.from({ scheme: 'data-transfer-name', path: `/${name.replaceAll('/', '_')}` });
}

/** Lists a file's metadata, and the other databases that have the file. Each value is on its own line. */
export function createFileTooltip(file: FileEntry, alsoIn: readonly string[]): string {
  const facts: readonly [string, string | undefined][] = [
    [l10n.t('Path'), file.path ?? file.name],
    [l10n.t('Title'), file.title],
    [l10n.t('Size'), file.sizeBytes === undefined ? undefined : formatSize(file.sizeBytes)],
    [l10n.t('Type'), formatList([file.format, file.mediaType])],
    [l10n.t('Hash'), file.hash],
    [l10n.t('Source'), getNames(file.resource, 'sources')],
    [l10n.t('License'), getNames(file.resource, 'licenses')],
    [l10n.t('ID'), file.id],
    [l10n.t('Also in'), formatDatabases(alsoIn)],
  ];
  return facts
    .map(([name, value]) => [name, toPlainLine(value ?? '')] as const)
    .flatMap(([name, value]) => (value ? [l10n.t('{0}: {1}', name, value)] : []))
    .join('\n');
}

/** Returns true for the local service of any machine, whose search parameters have labels. */
function isLocal(connectionId: string): boolean {
  return getMachine(connectionId) !== undefined;
}

function formatFileName(file: FoundFile | undefined): string {
  const name = file?.kind === 'file' ? toPlainLine(file.name) : '';
  return name === '' ? l10n.t('(no name)') : name;
}

function describeMissingIds(count: number, isUnknown: boolean): string {
  return isUnknown ? plural(count, '{0} ID not found', '{0} IDs not found') : describeFailedLookups(count);
}

function formatFileSize({ sizeBytes }: FileNode['file']): string {
  return sizeBytes === undefined ? '' : formatSize(sizeBytes);
}

/** Maximum number of names in a tooltip. */
const maxNames = 3;

/** Returns the names of a data resource's sources or licenses. Accepts any value, because servers may send anything. */
function getNames(resource: JsonObject, list: 'sources' | 'licenses'): string {
  const elements = resource[list];
  if (!Array.isArray(elements)) return '';
  const names = elements.slice(0, maxNames).map(getName).filter(Boolean);
  return [...names, elements.length > maxNames ? '…' : ''].filter(Boolean).join('; ');
}

function getName(element: unknown): string {
  if (!isJsonObject(element)) return '';
  const { title, name, path } = element;
  return [title, name, path].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

/** The parts of names and folders by which the rows of files in a list differ. */
export interface NameDistinctions {
  /** Parts of the folders of the files whose name several files have. */
  readonly folders: ReadonlyMap<FoundFile, string>;
  /** The beginnings that several long names have, of which the ends are shown at any width of the side bar. */
  readonly sharedHeads: ReadonlySet<string>;
  /** The shortened names that several names have. */
  readonly sharedNames: ReadonlySet<string>;
}

/** Compares the names and folders in a list of files. Takes a while for a long list. */
export function distinguishNames(all: readonly FoundFile[]): NameDistinctions {
  const files = all.filter((file) => file.kind === 'file');
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of files) (names.has(name) ? repeated : names).add(name);
  const named = files.filter(({ name }) => repeated.has(name));
  const folders = findDistinctFolders(named);
  const sharedHeads = findRepeated(names, (name) => name.slice(0, narrowNameLength));
  return {
    folders: new Map(named.map((file, index) => [file, folders[index] ?? ''])),
    sharedHeads,
    sharedNames: findRepeated(names, (name) => shortenMiddle(name, getNameLength(name, sharedHeads))),
  };
}

/**
 * Creates the rows for files; `start` is the position of the first one in the list. Rows whose names several files have
 * also show their folders, rows whose long names begin alike show their ends, and rows that would be shortened to the
 * same name show the whole name.
 */
export function createFileRows(
  search: Search,
  files: readonly FoundFile[],
  start: number,
  { folders, sharedHeads, sharedNames }: NameDistinctions,
): SearchTreeNode[] {
  return files.map((file, index) => {
    if (file.kind === 'unreadable') return createUnreadableRow(search, file, start + index);
    const folder = folders.get(file) ?? '';
    const { name } = file;
    const shownLength = getNameLength(name, sharedHeads);
    const nameLength = sharedNames.has(shortenMiddle(name, shownLength)) ? name.length : shownLength;
    const base = { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file } as const;
    return { ...base, ...(folder !== '' && { folder }), ...(nameLength !== maxNameLength && { nameLength }) };
  });
}

function getNameLength(name: string, sharedHeads: ReadonlySet<string>): number {
  const isCut = name.length > narrowNameLength && sharedHeads.has(name.slice(0, narrowNameLength));
  return isCut ? narrowNameLength : maxNameLength;
}

function findRepeated(names: ReadonlySet<string>, shorten: (name: string) => string): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of names) {
    const short = shorten(name);
    if (seen.has(short)) repeated.add(short);
    seen.add(short);
  }
  return repeated;
}

function createUnreadableRow(search: Search, file: UnreadableFile, index: number): MessageNode {
  return {
    kind: 'message',
    id: `${search.key}/unreadable/${index}`,
    icon: 'unreadable',
    text: l10n.t('Unreadable result: {0}', toPlainLine(file.text).slice(0, 80)),
    tooltip: toShortLine(file.text, 1000),
  };
}

/** Creates the row for an ID for which no file was found. */
export function createMissingRow({ key }: Search, { id, reason }: MissingId): MessageNode {
  const text = toPlainLine(id) || l10n.t('(empty)');
  const reasonText = describeReason(reason ?? { kind: 'notFound' });
  return { kind: 'message', id: `${key}/missing/${id}`, icon: 'missing', text, tooltip: `${text}\n${reasonText}` };
}

/**
 * Creates the row that lists the databases skipped by a search. Clicking the row searches them (D38: learned
 * searchability).
 */
export function createLeftOutRow({ refused }: LeftOutSearches): MessageNode {
  const lines = refused.map(({ query, searchability }) =>
    l10n.t('{0}: {1}', getDatabaseLabel(query.database), describeSearchabilityDetail(searchability)),
  );
  const text = plural(refused.length, 'Search {0} skipped database', 'Search {0} skipped databases');
  const argument: LeftOutNode = { kind: 'leftOut' };
  const command = { id: 'dataTransfer.searchAllDatabases', title: l10n.t('Include'), argument };
  return { kind: 'message', id: 'leftOut', icon: 'about', text, tooltip: lines.join('\n'), command };
}

/** Creates the row that switches to another connection. Shown above the connection's searches. */
export function createSwitchRow(connectionId: string, name: string): MessageNode {
  const text = l10n.t('Switch to {0}', toPlainLine(name));
  const argument: ConnectionNode = { kind: 'connection', id: connectionId };
  const command = { id: 'dataTransfer.switchConnection', title: text, argument };
  return { kind: 'message', id: `connection/${connectionId}/switch`, icon: 'switch', text, command };
}

/** Creates the rows that follow a search's files: missing IDs, progress, failures, and commands to load more files. */
export function createLastRows(search: Search, node: SearchNode): SearchTreeNode[] {
  const missed = [true, false].flatMap((isUnknown): SearchTreeNode[] =>
    filterMissingIds(search, isUnknown).length > 0 ? [{ kind: 'missing', searchKey: search.key, isUnknown }] : [],
  );
  return [...missed, ...createTrimmedRows(search), ...createStatusRows(search, node)];
}

function createTrimmedRows(search: Search): MessageNode[] {
  const ids = filterTrimmedIds(search);
  if (ids.length === 0) return [];
  const text = plural(
    ids.length,
    '{0} ID found only without the spaces around it',
    '{0} IDs found only without the spaces around them',
  );
  const tooltip = [text, ...ids.slice(0, 20).map(toPlainLine)].join('\n');
  return [{ kind: 'message', id: `${search.key}/trimmed`, icon: 'about', text, tooltip }];
}

function createStatusRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, isLoading, mayHaveMore, missing } = search;
  const count = search.files.length;
  if (isLoading) return [createLoadingRow(key, describeLoading(search))];
  if (search.reason) return createFailedRows(search, node, search.reason);
  if (count === 0 && !mayHaveMore) {
    return missing.length > 0 ? [] : [createEmptyRow(key, describeNothingFound()), createEditRow(search, node)];
  }
  if (!mayHaveMore) return [];
  return createMoreRows(search, node);
}

function createMoreRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, query, files, nextOffset, pagesWithoutNew } = search;
  const row = (id: string, text: string): MessageNode => ({
    kind: 'message',
    id: `${key}/${id}`,
    icon: 'more',
    text,
    command: { id: 'dataTransfer.loadMore', title: text, argument: node },
  });
  if (query.ids) {
    const [done, total] = [nextOffset, query.ids.length].map(formatNumber);
    return [row('more', l10n.t('Load More ({0} of {1} IDs looked up)', done ?? '', total ?? ''))];
  }
  if (files.length === 0) return [row('more', l10n.t('Search Again (Stopped)'))];
  const more = row('more', plural(files.length, '{0} found · look for more', '{0} found · look for more'));
  // Explains an early stop (D9: paging).
  if (pagesWithoutNew < maxPagesWithoutNew) return [more];
  return [{ ...more, description: l10n.t('the last three pages contained no new files') }];
}

function describeLoading({ query, files, nextOffset }: Search): string {
  if (query.ids)
    return l10n.t('Looking up IDs ({0} of {1})…', formatNumber(nextOffset), formatNumber(query.ids.length));
  return files.length === 0 ? l10n.t('Searching…') : l10n.t('Loading more…');
}

function createFailedRows(search: Search, node: SearchNode, reason: Reason): MessageNode[] {
  const { key, query, connectionId } = search;
  const database = getDatabaseLabel(query.database);
  const sentence = describeSearchFailure(query, reason);
  const command = { id: 'dataTransfer.loadMore', title: l10n.t('Retry'), argument: node };
  return [
    ...createFailureRows(key, connectionId, reason, { sentence, reason: describeFailure(reason, database), command }),
    createEditRow(search, node),
  ];
}

function createEditRow({ key }: Search, node: SearchNode): MessageNode {
  const command = {
    id: 'dataTransfer.refineSearch',
    title: getDialogTitle('dataTransfer.refineSearch'),
    argument: node,
  };
  return {
    kind: 'message',
    id: `${key}/edit`,
    icon: 'edit',
    text: getCommandTitle('dataTransfer.refineSearch'),
    command,
  };
}

/**
 * Describes a failure for its row. A schema validator's message is too long for a row and appears only in the tooltip.
 */
function describeFailure(reason: Reason, database: string): string {
  if (reason.kind !== 'entryRejected') return describeReason(reason);
  return l10n.t("invalid entry in {0}, rejected by the service's own validation", database);
}
