import { l10n, ThemeIcon, TreeItem, TreeItemCheckboxState, TreeItemCollapsibleState } from 'vscode';
import type { FileEntry, FoundFile } from '../core/model/fileEntry.ts';
import { missingIds, type Search } from '../core/store/searchStore.ts';
import type { FileNode } from '../host/contributions.ts';
import { countText, databaseText, filtersText, orderText, wantedText } from '../host/searchWords.ts';
import { listText, numberText, plainLine, plural, sizeText, wordsLanguage } from '../host/words.ts';
import { namesOf } from './fileFacts.ts';
import type { MissingNode, PartNode } from './nodes.ts';
import { spokenRow } from './spokenRow.ts';

/** The row of a search. */
export function searchItem(search: Search): TreeItem {
  const { query, order } = search;
  const wanted = wantedText(query);
  const item = new TreeItem(wanted, TreeItemCollapsibleState.Expanded);
  item.id = search.key;
  item.contextValue = search.loading ? 'search.loading' : 'search';
  item.iconPath = searchIcon(search);
  const sorted = order === 'relevance' ? '' : l10n.t('by {0}', orderText(order).toLocaleLowerCase(wordsLanguage));
  const lines = [databaseText(query.database), filtersText(query), countText(search), sorted];
  item.description = lines.filter(Boolean).join(' · ');
  item.tooltip = [wanted, ...lines].filter(Boolean).join('\n');
  return spokenRow(item, stateText(search));
}

/** What the icon says, for those who do not see it. */
function stateText({ loading, reason }: Search): string {
  if (loading) return l10n.t('searching');
  return reason ? l10n.t('failed') : '';
}

function searchIcon({ loading, reason, query }: Search): ThemeIcon {
  if (loading) return new ThemeIcon('loading~spin');
  if (reason) return new ThemeIcon('warning');
  return new ThemeIcon(query.ids ? 'list-selection' : 'search');
}

/** The row of a part: its first and last number, and what its first and last file are called. */
export function partItem(search: Search, node: PartNode, files: readonly FoundFile[], isOpen: boolean): TreeItem {
  const numbers = [node.start + 1, node.start + files.length].map(numberText);
  const { Expanded, Collapsed } = TreeItemCollapsibleState;
  const item = new TreeItem(numbers.join(' – '), isOpen ? Expanded : Collapsed);
  item.id = `${search.key}/part/${node.start}`;
  item.contextValue = 'part';
  item.iconPath = new ThemeIcon('files');
  item.description = [files[0], files.at(-1)].map((file) => labelOf(file)).join(' – ');
  item.tooltip = `${numbers.join(' – ')}\n${item.description}`;
  return spokenRow(item);
}

/** The row of the ids that brought no file: unknown to the service, or not looked up. */
export function missingItem(search: Search, node: MissingNode): TreeItem {
  const { isUnknown } = node;
  const ids = missingIds(search, isUnknown);
  const text = isUnknown
    ? plural(ids.length, '{0} ID not found', '{0} IDs not found')
    : plural(ids.length, '{0} ID could not be looked up', '{0} IDs could not be looked up');
  const item = new TreeItem(text, TreeItemCollapsibleState.Collapsed);
  item.id = missingItemId(node);
  item.contextValue = 'missing';
  item.iconPath = new ThemeIcon(isUnknown ? 'question' : 'warning');
  item.tooltip = [text, ...ids.slice(0, 20).map(({ id }) => plainLine(id))].join('\n');
  return spokenRow(item);
}

/** Returns the id of the row of the ids that brought no file. */
export function missingItemId({ searchKey, isUnknown }: MissingNode): string {
  return `${searchKey}/${isUnknown ? 'missing' : 'failed'}`;
}

/** The row of a file, with its check box. Its tooltip is made when it is looked at: see {@link fileTooltip}. */
export function fileItem(node: FileNode, isChecked: boolean): TreeItem {
  const { file } = node;
  const item = new TreeItem(labelOf(file));
  item.id = `${node.searchKey}/${file.id}`;
  item.contextValue = 'file';
  item.iconPath = new ThemeIcon('file');
  item.description = [file.sizeBytes === undefined ? '' : sizeText(file.sizeBytes), plainLine(file.format ?? '')]
    .filter(Boolean)
    .join(' · ');
  const state = isChecked ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked;
  item.checkboxState = { state, accessibilityInformation: { label: l10n.t('Check {0}', labelOf(file)) } };
  item.command = { command: 'dataTransfer.showFileMetadata', title: l10n.t('Show File Metadata'), arguments: [node] };
  return item;
}

/** What is known of a file, a line for each. */
export function fileTooltip(file: FileEntry): string {
  const facts: readonly [string, string | undefined][] = [
    [l10n.t('Path'), file.path ?? file.name],
    [l10n.t('Title'), file.title],
    [l10n.t('Size'), file.sizeBytes === undefined ? undefined : sizeText(file.sizeBytes)],
    [l10n.t('Type'), listText([file.format, file.mediaType])],
    [l10n.t('Hash'), file.hash],
    [l10n.t('Source'), namesOf(file.resource, 'sources')],
    [l10n.t('Licence'), namesOf(file.resource, 'licenses')],
    [l10n.t('Id'), file.id],
  ];
  return facts
    .map(([name, value]) => [name, plainLine(value ?? '')] as const)
    .flatMap(([name, value]) => (value ? [l10n.t('{0}: {1}', name, value)] : []))
    .join('\n');
}

function labelOf(file: FoundFile | undefined): string {
  const name = file?.kind === 'file' ? plainLine(file.name) : '';
  return name === '' ? l10n.t('(no name)') : name;
}
