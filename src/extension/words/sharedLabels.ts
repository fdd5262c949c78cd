import { l10n } from 'vscode';
import { plural } from './localeFormats.ts';

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
