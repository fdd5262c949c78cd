import { l10n } from 'vscode';
import { getMachine } from '../../core/model/connection.ts';
import type { Database, StoreListing } from '../../core/model/databaseModel.ts';
import { capitalize, toSentence } from '../../core/util/sharedTexts.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { describeListing as describeOldListing } from '../../core/words/listingWords.ts';
import { localConnectionId } from '../editor/machine.ts';
import { formatFileCount, formatNumber, formatSize, formatTime, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';

const maxSentences = 3;

/** Returns the name of this machine's local service. */
export function getLocalServiceName(): string {
  return l10n.t('Local Service');
}

/**
 * Returns the name of another machine's local service, which is known here through a shared home folder (D30: network
 * file systems) or copied transfer records. Returns undefined for any other connection.
 */
export function getForeignServiceName(connectionId: string): string | undefined {
  const machine = connectionId === localConnectionId ? undefined : getMachine(connectionId);
  return machine === undefined ? undefined : l10n.t('Local Service on {0}', toPlainLine(machine));
}

/** Describes a store's top level, such as "2 folders, 1,000 or more files" at `maxFileCount`. */
export function describeStoreContent(folderCount: number, fileCount: number, maxFileCount: number): string {
  const folders = plural(folderCount, '{0} folder', '{0} folders');
  const limit = formatNumber(maxFileCount);
  const files = fileCount < maxFileCount ? formatFileCount(fileCount) : l10n.t('{0} or more files', limit);
  return l10n.t('{0}, {1}', folders, files);
}

/** Describes a store's state: "scanning: 120,000 files", "as of 10:42", "can't be listed", or empty. */
export function describeStoreState(listing: StoreListing): string {
  const { state, asOf, scanned, files } = listing;
  if (state === 'scanning') return describeScan(scanned ?? files);
  if (state === 'failed') return l10n.t("can't be listed");
  return asOf === undefined ? '' : l10n.t('as of {0}', formatListedTime(asOf));
}

function describeScan(fileCount: number): string {
  return fileCount === 0 ? l10n.t('scanning…') : l10n.t('scanning: {0} so far', formatFileCount(fileCount));
}

/**
 * Returns a sentence for each of the first three stores or folders that can't be listed and why, the number of others,
 * and, with the title of the command that scans again, the remedy. Returns undefined if all can be listed.
 */
export function describeUnlistedStores(
  databases: readonly Database[],
  scanAgain: string | undefined,
): string | undefined {
  const failed = databases.filter(({ listing }) => listing?.state === 'failed');
  if (failed.length === 0) return undefined;
  const sentences = failed.slice(0, maxSentences).map(({ name, listing }) => {
    const problem = toPlainLine(listing?.problem ?? '');
    return problem === ''
      ? l10n.t("{0} can't be listed.", toPlainLine(name))
      : l10n.t("{0} can't be listed: {1}.", toPlainLine(name), problem);
  });
  const others = failed.length - sentences.length;
  if (others > 0) sentences.push(plural(others, '({0} more)', '({0} more)'));
  if (scanAgain !== undefined)
    sentences.push(l10n.t('Once that is fixed, choose {0} in the menu of the row.', scanAgain));
  return sentences.join(' ');
}

/**
 * Describes a store or folder for its row's tooltip: the number of files, the free space, what isn't listed, and any
 * failure of the last scan. Each fact is on its own line.
 */
export function describeStoreListing(listing: StoreListing): string {
  const { files, asOf, freeBytes, leftOut } = listing;
  const count = formatFileCount(files);
  const listed = asOf === undefined ? '' : l10n.t('{0}, as of {1}', count, formatListedTime(asOf));
  const failure = listing.problem === undefined ? undefined : describeListing(listing);
  const space = freeBytes === undefined ? '' : l10n.t('{0} free', formatSize(freeBytes));
  const omissions = leftOut ? capitalize(describeLeftOut(l10n, leftOut, formatNumber)) : '';
  return [failure ? count : listed, space, omissions, failure].filter(Boolean).join('\n');
}

/** Describes a store's listing that is old or incomplete, and why; undefined if that isn't known of it. */
export function describeListing(listing: StoreListing): string | undefined {
  return describeOldListing({ l10n, toPlainLine, formatTime: formatListedTime }, listing);
}

/** Describes a store's listing that is old or incomplete, as {@link describeListing} does, in a sentence. */
export function describeListingInSentence(listing: StoreListing | undefined): string | undefined {
  const text = listing && describeListing(listing);
  return text && toSentence(text);
}

function formatListedTime(asOf: string): string {
  return formatTime(Date.parse(asOf), Date.now());
}
