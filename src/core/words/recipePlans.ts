/** The translation, and the conversion of text to one line, that the extension and the command line each provide. */
interface Wording {
  readonly l10n: { t(message: string, ...args: string[]): string };
  readonly toPlainLine: (text: string) => string;
}

/** Describes in a sentence why the files that a recipe finds can't be transferred. */
export function describeUnusableFiles({ l10n }: Wording, kind: 'stalled' | 'tooMany' | 'noFiles'): string {
  if (kind === 'noFiles') return l10n.t('The recipe finds no files.');
  return kind === 'tooMany'
    ? l10n.t('The recipe finds more files than a transfer can include, or too many to filter. Narrow it down.')
    : l10n.t('The search stopped because three pages in a row had no new files; more may exist. Narrow the search.');
}

/** Describes a lock that was changed by hand. */
export function describeEditedLock({ l10n }: Wording): string {
  return l10n.t('The lock was changed after the last run, so it may not match what that run found.');
}

/** Describes a lock that belongs to another recipe. */
export function describeForeignLock({ l10n, toPlainLine }: Wording, recipe: string): string {
  return l10n.t('The lock belongs to {0}. Delete the lock, or give the recipe that name again.', toPlainLine(recipe));
}

/** Describes a locked run of a recipe whose lock is missing or can't be read. */
export function describeMissingLock({ l10n }: Wording): string {
  return l10n.t('The recipe has no usable lock.');
}
