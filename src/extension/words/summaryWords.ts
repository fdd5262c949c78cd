import { env, l10n } from 'vscode';
import { countFileLicenses, type LicenseCount } from '../../core/citations/creditText.ts';
import type { KnownCopies } from '../../core/transfers/duplicateFlow.ts';
import type { FileStaging } from '../../core/model/searchModel.ts';
import type { TransferFile, TransferOrder } from '../../core/model/transferModel.ts';
import type { ClusterPlace } from '../../core/model/databaseModel.ts';
import { findFollowUp, thenField } from '../../core/util/followUp.ts';
import { omit } from '../../core/util/json.ts';
import { findDistinctFolders } from '../../core/util/distinctFolders.ts';
import { findNestedFiles } from '../../core/util/nestedFiles.ts';
import { describeCluster } from '../../core/words/clusterWords.ts';
import { describePlannedFollowUp } from '../../core/words/followUpWords.ts';
import { describeNestedFiles } from '../../core/words/sharedSentences.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import { formatFileCount, formatList, formatNumber, formatSize, plural } from './localeFormats.ts';
import { cutPlainText, toPathLabel, toPlainLine } from './plainText.ts';
import { getDatabaseLabel } from './searchWords.ts';

/** Identifies a file by connection, database and ID. */
export interface FileName {
  readonly connectionId: string;
  readonly database: string;
  readonly id: string;
}

/** Returns the staging status of a file, or undefined if it is unknown (D31: staged display). */
export type StagingLookup = (file: FileName) => FileStaging | undefined;

interface SummaryFacts {
  readonly getStaging: StagingLookup;
  /** Free space at the destination in bytes; undefined if unknown. */
  readonly freeBytes: number | undefined;
  /** Returns the cluster on which the transfer of an order will run. */
  readonly getCluster: (order: TransferOrder) => ClusterPlace | undefined;
  /** Maximum number of characters to show, both for the description and for the instructions. */
  readonly maxTextLength?: number | undefined;
}

/** The summary of the transfers to be submitted. */
export interface Summary {
  /** The facts about the transfers, one per line. */
  readonly lines: readonly string[];
  /** True if the files don't fit in the free space at the destination. */
  readonly isSpaceShort: boolean;
}

/** Summarizes the transfers to be submitted. */
export function createSummary(
  orders: readonly TransferOrder[],
  { getStaging, getCluster, freeBytes, maxTextLength = defaultTextLength }: SummaryFacts,
): Summary {
  const files = orders.flatMap((order) => order.files);
  const isSpaceShort = freeBytes !== undefined && sumSizes(files) > freeBytes;
  const lines = [
    formatFileNames(files),
    l10n.t('Size: {0}', formatTotalSize(files)),
    formatStagingLine(orders, getStaging),
    ...createSourceLines(orders),
    formatLicenseLine(files),
    l10n.t('To: {0}', toPlainLine(orders[0]?.destination ?? '')),
    formatFolderLine(orders[0]),
    formatFreeSpaceLine(freeBytes, isSpaceShort),
    orders.length > 1
      ? plural(orders.length, 'Will run as {0} transfer.', 'Will run as {0} transfers, one per source.')
      : '',
    formatClusterLine(orders, getCluster),
    ...createDetailLines(orders[0], maxTextLength),
  ];
  return { lines: lines.filter(Boolean), isSpaceShort };
}

/** Returns the total number of files in all orders. */
export function countFiles(orders: readonly TransferOrder[]): number {
  return orders.reduce((sum, { files }) => sum + files.length, 0);
}

const maxNames = 3;
const maxNameLength = 60;

/** Names the first few files, such as "Files: a.csv, b.csv, c.csv and 38 more". */
function formatFileNames(files: readonly TransferFile[]): string {
  const folders = findDistinctFolders(files);
  const labels = files.slice(0, maxNames).map(({ name }, index) => {
    const folder = folders[index] ?? '';
    return folder === '' ? toShortLine(name, maxNameLength) : toPathLabel(`${folder}/${name}`);
  });
  const names = formatList(labels);
  const rest = files.length - maxNames;
  const text = rest > 0 ? plural(rest, '{1} and {0} more', '{1} and {0} more', names) : names;
  return files.length === 1 ? l10n.t('File: {0}', text) : l10n.t('Files: {0}', text);
}

const defaultTextLength = 200;

function createDetailLines(order: TransferOrder | undefined, maxLength: number): readonly string[] {
  const { description = '', instructions = {} } = order ?? {};
  const followUp = findFollowUp(instructions);
  const others = followUp ? omit(instructions, thenField) : instructions;
  return [
    followUp ? l10n.t('Afterwards: {0}', describePlannedFollowUp({ l10n, toPlainLine }, followUp)) : '',
    description === '' ? '' : l10n.t('Description: {0}', formatCutText(description, maxLength)),
    Object.keys(others).length > 0 ? l10n.t('Instructions: {0}', formatCutText(JSON.stringify(others), maxLength)) : '',
  ];
}

/** Formats text as one line. If it is too long, truncates it and appends the number of hidden characters. */
function formatCutText(text: string, maxLength: number): string {
  const { text: shown, hiddenLength } = cutPlainText(text, maxLength);
  if (hiddenLength === 0) return shown;
  return plural(hiddenLength, '{1} ({0} more character)', '{1} ({0} more characters)', shown);
}

/** Formats the total size of files, such as "1.2 MB", "1.2 MB, plus 3 files of unknown size" or "unknown". */
function formatTotalSize(files: readonly TransferFile[]): string {
  const unknown = files.filter(({ sizeBytes }) => sizeBytes === undefined).length;
  if (unknown === files.length) return l10n.t({ message: 'unknown', comment: ['size'] });
  const total = formatSize(sumSizes(files));
  return unknown === 0 ? total : l10n.t('{0}, plus {1} of unknown size', total, formatFileCount(unknown));
}

function sumSizes(files: readonly TransferFile[]): number {
  return files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
}

function createSourceLines(orders: readonly TransferOrder[]): readonly string[] {
  if (orders.length === 1) return orders.map(({ source }) => l10n.t('From: {0}', toPlainLine(source)));
  return orders.map(({ source, files }) =>
    l10n.t('From: {0} ({1}, {2})', toPlainLine(source), formatFileCount(files.length), formatTotalSize(files)),
  );
}

function formatFolderLine(order: TransferOrder | undefined): string {
  return order?.folder === undefined ? '' : l10n.t('New folder there: {0}', toPlainLine(order.folder));
}

function formatStagingLine(orders: readonly TransferOrder[], getStaging: StagingLookup): string {
  const statuses = orders.flatMap(({ connectionId, source, files }) =>
    files.map(({ id }) => getStaging({ connectionId, database: source, id })),
  );
  const count = (status: FileStaging | undefined): number => statuses.filter((one) => one === status).length;
  const [staged, unstaged, unknown] = [count('staged'), count('unstaged'), count(undefined)];
  if (staged + unstaged === 0) return '';
  const parts = [
    staged > 0 ? plural(staged, '{0} staged', '{0} staged') : '',
    unstaged > 0
      ? plural(
          unstaged,
          '{0} unstaged (may have to be prepared or restored first)',
          '{0} unstaged (may have to be prepared or restored first)',
        )
      : '',
    unknown > 0 ? plural(unknown, '{0} unknown', '{0} unknown') : '',
  ];
  return l10n.t('Staging: {0}', formatList(parts));
}

/** Maximum number of licenses in a summary. A longer list could push the dialog's buttons out of view. */
const maxLicenses = 5;

/**
 * Formats the number of files under each license, such as "Licenses: CC-BY-4.0 (2 files), not stated (1 file)". Returns
 * an empty string if it is known that no file states a license.
 */
function formatLicenseLine(files: readonly TransferFile[]): string {
  const licenses = countFileLicenses(files);
  const unknown = countUnknownLicenses(files);
  if (unknown === 0 && !licenses.some(({ license }) => license)) return '';
  const counts = licenses.slice(0, maxLicenses).map(({ license, fileCount }) => {
    const name = license ? toShortLine(license.name, maxNameLength) : l10n.t('not stated');
    return `${name} (${formatFileCount(fileCount)})`;
  });
  const rest = licenses.length - maxLicenses;
  return l10n.t(
    'Licenses: {0}',
    formatList([
      ...counts,
      rest > 0 ? plural(rest, '{0} other', '{0} others') : undefined,
      unknown > 0 ? l10n.t('unknown ({0})', formatFileCount(unknown)) : undefined,
    ]),
  );
}

/** Returns the number of files whose licenses are unknown because their metadata was. */
function countUnknownLicenses(files: readonly TransferFile[]): number {
  return files.filter(({ licenses }) => !licenses).length;
}

interface LicenseRow {
  readonly name: string;
  readonly url?: string;
  readonly files: string;
  /** Warning that the license forbids sharing the files. */
  readonly warning?: string;
}

/**
 * Returns a row for each license. Files that state no license, and those whose licenses are unknown, come last. Returns
 * an empty list if no file is known to state one.
 */
export function listLicenseRows(files: readonly TransferFile[]): readonly LicenseRow[] {
  const licenses = countFileLicenses(files);
  const unknown = countUnknownLicenses(files);
  if (!licenses.some(({ license }) => license)) return [];
  const rows = licenses.map((count) => {
    const [warning] = describeForbiddenSharing([count]);
    return {
      name: count.license?.name ?? l10n.t('Not stated'),
      files: formatFileCount(count.fileCount),
      ...(count.license?.url !== undefined && { url: count.license.url }),
      ...(warning !== undefined && { warning }),
    };
  });
  return unknown === 0 ? rows : [...rows, { name: l10n.t('Unknown'), files: formatFileCount(unknown) }];
}

/** Warns of each license that forbids sharing, and once of those beyond {@link maxLicenses}. */
export function describeForbiddenSharing(licenses: readonly LicenseCount[]): readonly string[] {
  const forbidding = licenses.filter(({ forbidsSharing }) => forbidsSharing);
  const warnings = forbidding.slice(0, maxLicenses).map(describeForbidden);
  const rest = forbidding.length - warnings.length;
  if (rest === 0) return warnings;
  return [
    ...warnings,
    plural(rest, '{0} other license forbids redistribution.', '{0} other licenses forbid redistribution.'),
  ];
}

function describeForbidden({ license, fileCount }: LicenseCount): string {
  return plural(
    fileCount,
    'The license of {0} file forbids redistribution: {1}',
    'The license of {0} files forbids redistribution: {1}',
    toShortLine(license?.name ?? '', maxNameLength),
  );
}

function formatClusterLine(orders: readonly TransferOrder[], getCluster: SummaryFacts['getCluster']): string {
  const places = orders.flatMap((order) => getCluster(order) ?? []);
  const [place] = places;
  if (!place) return '';
  const cluster = describeCluster({ l10n, plural, toPlainLine }, place);
  return places.length === orders.length
    ? l10n.t('Runs on: {0}', cluster)
    : l10n.t('Runs on: {0} ({1} of {2} transfers)', cluster, formatNumber(places.length), formatNumber(orders.length));
}

function formatFreeSpaceLine(freeBytes: number | undefined, isSpaceShort: boolean): string {
  if (freeBytes === undefined) return '';
  const free = formatSize(freeBytes);
  return isSpaceShort
    ? l10n.t('Not enough space at the destination: {0} free', free)
    : l10n.t('Free space at the destination: {0}', free);
}

interface CrashingIds {
  /** IDs for which the server closed the connection during a metadata request. */
  readonly unsafe: readonly string[];
  /** IDs that couldn't be checked. The connection was lost during a submission that contained them. */
  readonly unchecked: readonly string[];
}

const maxListedIds = 5;

/** Returns a sentence for each kind of risk, listing the IDs. */
export function describeCrashingIds({ unsafe, unchecked }: CrashingIds): readonly string[] {
  return [
    unsafe.length === 0
      ? ''
      : plural(
          unsafe.length,
          'Sending this ID may crash the server: the connection closed when the ID was looked up. ID: {1}',
          'Sending these {0} IDs may crash the server: the connection closed when they were looked up. IDs: {1}',
          formatIds(unsafe),
        ),
    unchecked.length === 0
      ? ''
      : plural(
          unchecked.length,
          "The connection was lost when this transfer was submitted. This ID couldn't be checked, and sending it may crash the server. ID: {1}",
          "The connection was lost when this transfer was submitted. These {0} IDs couldn't be checked, and sending them may crash the server. IDs: {1}",
          formatIds(unchecked),
        ),
  ].filter(Boolean);
}

function formatIds(ids: readonly string[]): string {
  const rest = ids.length - maxListedIds;
  const listed = ids.slice(0, maxListedIds).map(toPlainLine);
  return formatList([...listed, rest > 0 ? plural(rest, '{0} more', '{0} more') : undefined]);
}

interface SummarizedCopies extends KnownCopies {
  readonly fileCount: number;
  /** Name of the destination. */
  readonly destination: string;
  /** Number of files that are identical to a file taken from another source of the same submission. */
  readonly repeatedCount: number;
}

/** Returns a sentence for each way in which the destination or another source has the content of files. */
export function createCopyLines(copies: SummarizedCopies): readonly string[] {
  const { atDestination, elsewhere, unplaced, received, repeatedCount } = copies;
  const destination = toPlainLine(copies.destination);
  return [
    atDestination.size > 0 ? describeAtDestination(copies) : '',
    elsewhere.size > 0
      ? plural(
          elsewhere.size,
          '{1} has the content of {0} of these files under another path.',
          '{1} has the content of {0} of these files under other paths.',
          destination,
        )
      : '',
    unplaced.size > 0
      ? plural(
          unplaced.size,
          '{1} has the content of {0} of these files, perhaps under another path.',
          '{1} has the content of {0} of these files, perhaps under other paths.',
          destination,
        )
      : '',
    received.size > 0 ? describeReceived([...received.values()], destination) : '',
    repeatedCount > 0
      ? plural(
          repeatedCount,
          '{0} of these files is identical to a file from another source.',
          '{0} of these files are identical to files from another source.',
        )
      : '',
  ].filter(Boolean);
}

/** Returns the label of the button that leaves out `count` files. */
export function formatLeaveOutLabel(count: number): string {
  return plural(count, 'Leave Out {0} File', 'Leave Out {0} Files');
}

/** Names the other databases with a file, such as "also in A, B and 3 more"; empty if there are none. */
export function formatAlsoIn(databases: readonly string[]): string {
  return databases.length === 0 ? '' : l10n.t('also in {0}', formatDatabases(databases, 2));
}

/** Names the databases that also have a file, for the file's tooltip. */
export function formatDatabases(databases: readonly string[], limit = 10): string {
  const names = formatList(databases.slice(0, limit).map(getDatabaseLabel));
  const rest = databases.length - limit;
  return rest > 0 ? plural(rest, '{1} and {0} more', '{1} and {0} more', names) : names;
}

function describeAtDestination({ atDestination, isComplete, fileCount, destination }: SummarizedCopies): string {
  const [count, name] = [atDestination.size, toPlainLine(destination)];
  if (count === fileCount)
    return plural(count, 'This file is already in {1}.', 'All of these files are already in {1}.', name);
  return isComplete
    ? plural(count, '{0} of these files is already in {1}.', '{0} of these files are already in {1}.', name)
    : plural(
        count,
        'At least {0} of these files is already in {1}.',
        'At least {0} of these files are already in {1}.',
        name,
      );
}

function describeReceived(times: readonly number[], destination: string): string {
  const dayFormat = new Intl.DateTimeFormat(env.language, { dateStyle: 'long' });
  const days = [...new Set(times)].sort((one, other) => one - other).map((at) => dayFormat.format(at));
  const [files, last] = [formatFileCount(times.length), days.at(-1) ?? ''];
  return new Set(days).size === 1
    ? l10n.t('Previously transferred to {1} on {2}: {0}.', files, destination, last)
    : l10n.t('Previously transferred to {1}, most recently on {2}: {0}.', files, destination, last);
}

/** Names a file that would have the name of another one's folder; an empty string if there is none. */
export function describeNested(files: readonly { readonly path?: string | undefined }[]): string {
  const nested = findNestedFiles(files);
  return nested ? describeNestedFiles({ l10n, toPlainLine }, nested.outer.path, nested.inner.path) : '';
}
