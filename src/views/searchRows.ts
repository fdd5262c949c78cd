import { l10n } from 'vscode';
import type { FoundFile, UnreadableFile } from '../core/model/fileEntry.ts';
import type { Reason } from '../core/model/reason.ts';
import { mostPagesWithoutNew } from '../core/model/searchPaging.ts';
import { missingIds, type LeftOutSearches, type MissingId, type Search } from '../core/store/searchStore.ts';
import type { LeftOutNode, SearchNode } from '../host/contributions.ts';
import { databaseText, searchabilityDetail } from '../host/searchWords.ts';
import { numberText, plainLine, plainPart, plural, reasonText } from '../host/words.ts';
import type { MessageNode, SearchTreeNode } from './nodes.ts';
import { loadingRow, nothingRow, remedyRows, troubleRows } from './placeholders.ts';

/** What stands for a file in the list; `index` is its place there. */
export function fileRow(search: Search, file: FoundFile, index: number): SearchTreeNode {
  if (file.kind === 'unreadable') return unreadableRow(search, file, index);
  return { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file };
}

function unreadableRow(search: Search, file: UnreadableFile, index: number): MessageNode {
  return {
    kind: 'message',
    id: `${search.key}/unreadable/${index}`,
    look: 'unreadable',
    text: l10n.t('Unreadable file: {0}', plainLine(file.text).slice(0, 80)),
    tooltip: plainPart(file.text, 1000),
  };
}

/** What stands for an id that brought no file. */
export function missingRow({ key }: Search, { id, reason }: MissingId): MessageNode {
  const text = plainLine(id) || l10n.t('(no name)');
  const why = reason ? reasonText(reason) : l10n.t('the service does not know it');
  return { kind: 'message', id: `${key}/missing/${id}`, look: 'missing', text, tooltip: `${text}\n${why}` };
}

/** Returns the line that tells which databases a search of all databases left out, and includes them (D38). */
export function leftOutRow({ refused }: LeftOutSearches): MessageNode {
  const lines = refused.map(({ query, searchability }) =>
    l10n.t('{0}: {1}', databaseText(query.database), searchabilityDetail(searchability)),
  );
  const text = plural(refused.length, '{0} database left out. Include', '{0} databases left out. Include');
  const argument: LeftOutNode = { kind: 'leftOut' };
  const command = { id: 'dataTransfer.searchAllDatabases', title: l10n.t('Include'), argument };
  return { kind: 'message', id: 'leftOut', look: 'about', text, tooltip: lines.join('\n'), command };
}

/** What follows the files of a search: how it goes on, why it does not, and what was not found. */
export function lastRows(search: Search, node: SearchNode): SearchTreeNode[] {
  const missed = [true, false].flatMap((isUnknown): SearchTreeNode[] =>
    missingIds(search, isUnknown).length > 0 ? [{ kind: 'missing', searchKey: search.key, isUnknown }] : [],
  );
  return [...missed, ...standingRows(search, node)];
}

function standingRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, loading, mayHaveMore, missing } = search;
  const count = search.files.length;
  if (loading) return [loadingRow(key, loadingText(search))];
  if (search.reason) return failedRows(search, node, search.reason);
  if (count === 0 && !mayHaveMore) {
    return missing.length > 0 ? [] : [nothingRow(key, l10n.t('No files found.')), editRow(search, node)];
  }
  if (!mayHaveMore) return [];
  return moreRows(search, node);
}

/** The rows that stay where a search may have more files than are loaded: how many are, and the ways to load the others. */
function moreRows(search: Search, node: SearchNode): MessageNode[] {
  const { key, query, files, nextOffset } = search;
  const row = (id: string, text: string, command: 'loadMore' | 'loadAll' = 'loadMore'): MessageNode => ({
    kind: 'message',
    id: `${key}/${id}`,
    look: 'more',
    text,
    command: { id: `dataTransfer.${command}`, title: text, argument: node },
  });
  if (query.ids) {
    const [done, total] = [nextOffset, query.ids.length].map(numberText);
    return [row('more', l10n.t('Load More ({0} of {1} IDs looked up)', done ?? '', total ?? ''))];
  }
  if (files.length === 0) return [row('more', l10n.t('Stopped. Search again'))];
  const loaded = row('loaded', loadedText(search));
  return [{ ...loaded, look: 'about' }, row('more', l10n.t('Load More')), row('all', l10n.t('Load All'), 'loadAll')];
}

/** Returns how far the search has come, or why it stopped before its end (D9). */
function loadedText({ files, pagesWithoutNew }: Search): string {
  if (pagesWithoutNew >= mostPagesWithoutNew) {
    return l10n.t('Stopped after three pages without a new file; there may be more.');
  }
  return plural(files.length, '{0} file loaded; more may exist', '{0} files loaded; more may exist');
}

function loadingText({ query, files, nextOffset }: Search): string {
  if (query.ids) return l10n.t('Fetched {0} of {1}…', numberText(nextOffset), numberText(query.ids.length));
  return files.length === 0 ? l10n.t('Searching…') : l10n.t('Loading more…');
}

function failedRows(search: Search, node: SearchNode, reason: Reason): MessageNode[] {
  const { key, query, connectionId } = search;
  const database = databaseText(query.database);
  const why = reasonText(reason);
  const sentence = query.ids
    ? l10n.t('Could not look up the IDs in {0}: {1}', database, why)
    : l10n.t('Could not search {0}: {1}', database, why);
  const retry = { id: 'dataTransfer.loadMore', title: l10n.t('Retry'), argument: node };
  return [
    ...troubleRows(key, { sentence, why: failureText(reason, database), way: retry }),
    ...remedyRows(key, reason, connectionId),
    editRow(search, node),
  ];
}

/** Returns the row that opens the search for editing. */
function editRow({ key }: Search, node: SearchNode): MessageNode {
  const command = { id: 'dataTransfer.refineSearch', title: l10n.t('Edit Search'), argument: node };
  return { kind: 'message', id: `${key}/edit`, look: 'edit', text: l10n.t('Edit Search…'), command };
}

/** Returns the words of the row itself; a schema validator's text is left to the tooltip. */
function failureText(reason: Reason, database: string): string {
  if (reason.kind !== 'entryRejected') return reasonText(reason);
  return l10n.t("invalid entry in {0}, rejected by the service's own validation", database);
}
