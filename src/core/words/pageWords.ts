import type { Translator } from './sharedSentences.ts';

/** Describes a transfer that ended without transferring files. */
export function describeNothingTransferred(l10n: Translator): string {
  return l10n.t('No files were transferred.');
}

/** Returns the title of a transfer that was started by another program. */
export function describeStartedElsewhere(l10n: Translator): string {
  return l10n.t('Transfer started elsewhere');
}

/** Returns the label of the button that copies the name of a transfer's folder. */
export function getCopyFolderLabel(l10n: Translator): string {
  return l10n.t('Copy Folder Name');
}

/** Explains the staging status of an unstaged file, as a clause. */
export function describeUnstaged(l10n: Translator): string {
  return l10n.t('may have to be prepared or restored first');
}
