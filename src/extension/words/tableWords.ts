import { l10n } from 'vscode';
import { formatSortedName } from '../../core/citations/citation.ts';
import { readCitedWork } from '../../core/citations/creditReader.ts';
import { readLicenses } from '../../core/citations/creditText.ts';
import { getReportedStaging, type FileStaging } from '../../core/model/searchModel.ts';
import type { GridColumn } from '../../core/search/tableRows.ts';
import type { CheckedTally, Search } from '../../core/search/searchStore.ts';
import type { FileNode } from '../editor/contributions.ts';
import { formatList, formatSize, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import {
  describeNothingChecked,
  describeNothingFound,
  describeSearchTerms,
  describeStagingStatus,
  getDatabaseLabel,
} from './searchWords.ts';
import { formatDatabases } from './summaryWords.ts';

/** Finds facts about a file beyond its metadata. */
interface FileFacts {
  /** Returns the names of the other databases that have the file. */
  findDatabases(row: FileNode): readonly string[];
  /** Returns the staging status for which the file's search asked. */
  getSearchedStaging(row: FileNode): FileStaging | undefined;
}

/** Returns the columns of a table of files. Their texts are plain lines. */
export function createFileColumns(facts: FileFacts): readonly GridColumn<FileNode>[] {
  return [
    createTextColumn('name', l10n.t('Name'), ({ file }) => toPlainLine(file.name) || l10n.t('(no name)'), 'always'),
    createTextColumn('folder', l10n.t('Folder'), ({ file }) => getFolder(file.path ?? '')),
    { id: 'size', label: l10n.t('Size'), kind: 'size', presence: 'always', read: ({ file }) => file.sizeBytes },
    createTextColumn('format', l10n.t('Format'), ({ file }) => file.format ?? file.mediaType),
    createTextColumn('database', l10n.t('Database'), ({ file }) => getDatabaseLabel(file.database), 'varied'),
    createTextColumn('alsoIn', l10n.t('Also in'), (row) => formatDatabases(facts.findDatabases(row), 2)),
    createTextColumn('staged', l10n.t('Staged'), (row) => {
      const staging = getReportedStaging(row.file) ?? facts.getSearchedStaging(row);
      return staging && describeStagingStatus(staging);
    }),
    createTextColumn('license', l10n.t('License'), ({ file }) =>
      formatList(readLicenses(file.resource).map(({ name }) => name)),
    ),
    createTextColumn('credit', l10n.t('Credit'), ({ file }) =>
      readCitedWork(file.resource).authors.map(formatSortedName).join('; '),
    ),
  ];
}

function createTextColumn(
  id: string,
  label: string,
  read: (row: FileNode) => string | undefined,
  presence: GridColumn<FileNode>['presence'] = 'known',
): GridColumn<FileNode> {
  return { id, label, kind: 'text', presence, read: (row) => toKnownText(read(row)) };
}

function toKnownText(text: string | undefined): string | undefined {
  const line = text === undefined ? '' : toPlainLine(text);
  return line === '' ? undefined : line;
}

function getFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the title of the table of a search or, without one, of the checked files. */
export function getTableTitle(search: Search | undefined): string {
  if (!search) return l10n.t('Checked files');
  return l10n.t('{0} in {1}', describeSearchTerms(search.query), getDatabaseLabel(search.query.database));
}

/** Describes the results that a table leaves out; undefined if there are none. */
export function describeTableOmission(unreadableCount: number): string | undefined {
  if (unreadableCount === 0) return undefined;
  return plural(
    unreadableCount,
    '{0} unreadable result is only in the search results.',
    '{0} unreadable results are only in the search results.',
  );
}

/** Which files of a table are shown. `isToggled`: only the checked ones. */
interface ShownFiles {
  readonly filter: string;
  readonly isToggled: boolean;
}

/** Says why a table of `total` files shows none. */
export function describeEmptyTable(search: Search | undefined, total: number, shown: ShownFiles): string {
  if (total > 0) {
    const isOnlyUnchecked = shown.isToggled && shown.filter.trim() === '';
    return isOnlyUnchecked ? l10n.t('No file of this search is checked.') : l10n.t('No file matches the filter.');
  }
  if (!search) return describeNothingChecked();
  if (search.isLoading) return l10n.t('Searching…');
  if (search.files.length > 0) return l10n.t('None of the results is readable.');
  return search.mayHaveMore ? l10n.t('No files are loaded yet.') : describeNothingFound();
}

/** Describes the checked files of all searches, and those of them that a search's table doesn't show. */
export function describeChecked({ count, sizeBytes }: CheckedTally, elsewhere: number, unlisted: string): string {
  if (count === 0) return describeNothingChecked();
  const parts = [
    plural(count, '{0} checked', '{0} checked'),
    sizeBytes === 0 ? '' : formatSize(sizeBytes),
    elsewhere === 0 ? '' : plural(elsewhere, '{0} in other searches', '{0} in other searches'),
    unlisted,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Says that a table's search was removed. */
export function describeRemovedSearch(): string {
  return l10n.t('This search was removed.');
}

/** Creates the button that saves what a table shows. */
export function createSaveButton(): { readonly type: 'save'; readonly label: string; readonly isPrimary: boolean } {
  return { type: 'save', label: l10n.t('Save…'), isPrimary: false };
}

/** Creates the button that transfers the checked files. */
export function createTransferButton(): {
  readonly type: 'transfer';
  readonly label: string;
  readonly isPrimary: boolean;
} {
  return { type: 'transfer', label: l10n.t('Transfer…'), isPrimary: true };
}

/** Returns the label of the filter of a table whose rows aren't only files. */
export function getRowFilterLabel(): string {
  return l10n.t('Filter the rows');
}

/** Returns the label of the toggle that leaves only the rows with problems. */
export function getProblemsLabel(): string {
  return l10n.t('Problems only');
}

/** Says why a table of `total` rows that aren't only files shows none. */
export function describeHiddenRows(total: number, filter: string): string {
  if (total === 0) return '';
  return filter.trim() === '' ? l10n.t('There are no problems.') : l10n.t('No row matches the filter.');
}
