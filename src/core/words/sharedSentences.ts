/** Translates sentences. `{0}` in a sentence stands for the first argument. */
export interface Translator {
  t(message: string, ...args: (string | number)[]): string;
}

/** The translation, and the conversion of text to one short line, that the extension and the command line provide. */
export interface Wording {
  readonly l10n: Translator;
  readonly toPlainLine: (text: string) => string;
}

/** Describes a transfer without known files, for an operation that needs them. */
export function describeUnknownFiles(l10n: Translator): string {
  return l10n.t("This transfer's files are unknown.");
}

/** Describes a failed transfer for which the service gave no message, as a clause. */
export function describeMissingReason(l10n: Translator): string {
  return l10n.t('the service gave no reason');
}

/** Describes a request that waits for another one. */
export function describeRequestWait(l10n: Translator): string {
  return l10n.t('Waiting for another request to this server to finish.');
}

/** Asks readers to cite the works in a citation file. */
export function describeCitationRequest(l10n: Translator): string {
  return l10n.t('If you use these data, please cite them as below.');
}

/** Describes the manifest of a transfer without files. */
export function describeEmptyManifest(l10n: Translator): string {
  return l10n.t('The manifest lists no files.');
}

/** Describes a manifest that belongs to another transfer. */
export function describeForeignManifest(l10n: Translator, file: string): string {
  return l10n.t('{0} is the manifest of a different transfer.', file);
}

/** Describes a saved connection that isn't a JSON object, as a clause. */
export function describeInvalidEntry(l10n: Translator): string {
  return l10n.t('it must be an object');
}

/** Describes a recipe without a lock, as a clause. */
export function describeNeverRun(l10n: Translator): string {
  return l10n.t('not run yet');
}

/** Describes a transfer that ended without transferring files. */
export function describeNothingTransferred(l10n: Translator): string {
  return l10n.t('No files were transferred.');
}

/** Returns the title of a transfer that was started by another program. */
export function describeStartedElsewhere(l10n: Translator): string {
  return l10n.t('Transfer started elsewhere');
}

/** Returns the label of the name of a transfer's folder at the destination. */
export function getFolderLabel(l10n: Translator): string {
  return l10n.t('Folder at the destination');
}

/** Returns the label of the button that copies the name of a transfer's folder. */
export function getCopyFolderLabel(l10n: Translator): string {
  return l10n.t('Copy Folder Name');
}

/** Explains the staging status of an unstaged file, as a clause. */
export function describeUnstaged(l10n: Translator): string {
  return l10n.t('may have to be prepared or restored first');
}

/** Describes a file without a table. */
export function describeNoTable(l10n: Translator, file: string): string {
  return l10n.t("{0} doesn't contain a table.", file);
}

/** Names a file that would have the name of another one's folder, and the other one. */
export function describeNestedFiles({ l10n, toPlainLine }: Wording, outer: string, inner: string): string {
  const [file, other] = [toPlainLine(outer), toPlainLine(inner)];
  return l10n.t("{0} can't be both a file and the folder of {1}. Transfer these two files separately.", file, other);
}
