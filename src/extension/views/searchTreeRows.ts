import { l10n } from 'vscode';
import type { FoundFile, UnreadableFile } from '../../core/model/fileEntry.ts';
import type { Reason } from '../../core/model/reason.ts';
import { maxPagesWithoutNew } from '../../core/model/searchModel.ts';
import { filterMissingIds, type MissingId } from '../../core/model/idList.ts';
import type { LeftOutSearches, Search } from '../../core/store/searchStore.ts';
import type { ConnectionNode, LeftOutNode, SearchNode } from '../editor/contributions.ts';
import { getDatabaseLabel, describeSearchabilityDetail } from '../words/searchWords.ts';
import { formatNumber, plural } from '../words/localeFormats.ts';
import { toPlainLine, toPlainText } from '../words/plainText.ts';
import { describeReason } from '../words/reasonWords.ts';
import type { MessageNode, SearchTreeNode } from './nodes.ts';
import { createLoadingRow, createEmptyRow, createFailureRows } from './placeholders.ts';

/** Creates the row for a file; `index` is the file's position in the list. */
export function createFileRow(search: Search, file: FoundFile, index: number): SearchTreeNode {
  if (file.kind === 'unreadable') return createUnreadableRow(search, file, index);
  return { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file };
}

function createUnreadableRow(search: Search, file: UnreadableFile, index: number): MessageNode {
  return {
    kind: 'message',
    id: `${search.key}/unreadable/${index}`,
    icon: 'unreadable',
    text: l10n.t('Unreadable result: {0}', toPlainLine(file.text).slice(0, 80)),
    tooltip: toPlainText(file.text, 1000),
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
  return [...missed, ...createStatusRows(search, node)];
}

function createStatusRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, isLoading, mayHaveMore, missing } = search;
  const count = search.files.length;
  if (isLoading) return [createLoadingRow(key, describeLoading(search))];
  if (search.reason) return createFailedRows(search, node, search.reason);
  if (count === 0 && !mayHaveMore) {
    return missing.length > 0 ? [] : [createEmptyRow(key, l10n.t('No files found.')), createEditRow(search, node)];
  }
  if (!mayHaveMore) return [];
  return createMoreRows(search, node);
}

/** Creates the rows that load more files for a search that may have more. */
function createMoreRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, query, files, nextOffset } = search;
  const row = (id: string, text: string, command: 'loadMore' | 'loadAll' = 'loadMore'): MessageNode => ({
    kind: 'message',
    id: `${key}/${id}`,
    icon: 'more',
    text,
    command: { id: `dataTransfer.${command}`, title: text, argument: node },
  });
  if (query.ids) {
    const [done, total] = [nextOffset, query.ids.length].map(formatNumber);
    return [row('more', l10n.t('Load More ({0} of {1} IDs looked up)', done ?? '', total ?? ''))];
  }
  if (files.length === 0) return [row('more', l10n.t('Search Again (Stopped)'))];
  const more = { ...row('more', l10n.t('Load More')), description: describeLoaded(search) };
  return [more, row('all', l10n.t('Load All'), 'loadAll')];
}

/** Describes a search's progress or, if the search stopped early, the reason for that (D9: paging). */
function describeLoaded({ files, pagesWithoutNew }: Search): string {
  if (pagesWithoutNew >= maxPagesWithoutNew) {
    return l10n.t('stopped because the last three pages contained no new files; more may exist');
  }
  return plural(files.length, '{0} loaded; more may exist', '{0} loaded; more may exist');
}

function describeLoading({ query, files, nextOffset }: Search): string {
  if (query.ids)
    return l10n.t('Looking up IDs ({0} of {1})…', formatNumber(nextOffset), formatNumber(query.ids.length));
  return files.length === 0 ? l10n.t('Searching…') : l10n.t('Loading more…');
}

function createFailedRows(search: Search, node: SearchNode, reason: Reason): MessageNode[] {
  const { key, query, connectionId } = search;
  const database = getDatabaseLabel(query.database);
  const reasonText = describeReason(reason);
  const sentence = query.ids
    ? l10n.t('Could not look up the IDs in {0}: {1}', database, reasonText)
    : l10n.t('Could not search {0}: {1}', database, reasonText);
  const command = { id: 'dataTransfer.loadMore', title: l10n.t('Retry'), argument: node };
  return [
    ...createFailureRows(key, connectionId, reason, { sentence, reason: describeFailure(reason, database), command }),
    createEditRow(search, node),
  ];
}

/** Creates the row that opens the search for editing. */
function createEditRow({ key }: Search, node: SearchNode): MessageNode {
  const command = { id: 'dataTransfer.refineSearch', title: l10n.t('Refine Search'), argument: node };
  return { kind: 'message', id: `${key}/edit`, icon: 'edit', text: l10n.t('Refine Search…'), command };
}

/**
 * Describes a failure for its row. A schema validator's message is too long for a row and appears only in the tooltip.
 */
function describeFailure(reason: Reason, database: string): string {
  if (reason.kind !== 'entryRejected') return describeReason(reason);
  return l10n.t("invalid entry in {0}, rejected by the service's own validation", database);
}
