import { l10n } from 'vscode';
import type { Omission } from '../../core/model/fileExport.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { formatFileCount, plural } from './localeFormats.ts';

/** Asks for the format of a file to write. */
export function getFormatPlaceholder(): string {
  return l10n.t('Select a format');
}

/** Asks for the database to which files are transferred. */
export function getDestinationPlaceholder(): string {
  return l10n.t('Select the database to transfer to');
}

/** Returns the label of the choice that inserts text in the active editor. */
export function getInsertLabel(): string {
  return l10n.t('Insert at Cursor');
}

/** Returns the label of the choice that repeats the last transfer's description. */
export function getLastDescriptionLabel(): string {
  return l10n.t('Use Last Description');
}

/** Describes the IDs that were copied to the clipboard. */
export function describeCopiedIds(count: number): string {
  return plural(count, 'Copied the ID.', 'Copied {0} IDs.');
}

/** Describes a file that can't be read. */
export function describeUnreadableFile(name: string): string {
  return l10n.t("{0} can't be read.", name);
}

/** Describes a failure that the log explains. */
export function describeUnexpectedError(): string {
  return l10n.t('Unexpected error. See the log.');
}

/** Describes the number of IDs whose lookup failed, without a period. */
export function describeFailedLookups(count: number): string {
  return plural(count, "{0} ID couldn't be looked up", "{0} IDs couldn't be looked up");
}

/** Describes the number of requested files that the manifest doesn't list. */
export function describeUnlistedFiles(count: number): string {
  return plural(count, "{0} requested file isn't in the manifest.", "{0} requested files aren't in the manifest.");
}

/** Reports an export: the file's name, the number of files in it, and those left out. */
export function describeExport(name: string, fileCount: number, omissions: readonly Omission[]): string {
  const exported = l10n.t('Exported {0} to {1}.', formatFileCount(fileCount), name);
  return [exported, ...omissions.map(describeOmission)].join(' ');
}

function describeOmission({ kind, count = 0 }: Omission): string {
  if (kind === 'notLoaded') return l10n.t("Results that weren't loaded were left out.");
  if (kind === 'noManifest')
    return l10n.t('The manifest is missing or lists no files, so the transferred files are unknown.');
  return describeLeftOut(kind, count);
}

function describeLeftOut(kind: Omission['kind'], count: number): string {
  if (kind === 'noHash') {
    return plural(
      count,
      '{0} file has no SHA-256 hash and was left out.',
      '{0} files have no SHA-256 hash and were left out.',
    );
  }
  if (kind === 'notTransferred') {
    return describeUnlistedFiles(count);
  }
  if (kind === 'notFound') return plural(count, "{0} ID wasn't found.", "{0} IDs weren't found.");
  if (kind === 'notLookedUp') return toSentence(describeFailedLookups(count));
  return plural(count, '{0} unreadable result was left out.', '{0} unreadable results were left out.');
}

/** Explains why undoing a removal restores nothing: the user has saved the removed entry of the settings again. */
export function describeSavedAgain(name: string): string {
  return l10n.t('{0} was saved again, so there is nothing to restore.', name);
}
