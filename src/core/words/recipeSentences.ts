import { getFieldName, type RecipeProblem, type RecipeProblemKind } from '../recipes/recipeText.ts';
import type { Translator } from './sharedSentences.ts';

/** The translation, and the conversion of text to one short line, that the extension and the command line provide. */
interface Wording {
  readonly l10n: Translator;
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

interface ProblemWording extends Wording {
  readonly formatNumber: (value: number) => string;
  /** Describes a recipe that requires a later version of the program. */
  readonly describeNewerVersion: () => string;
}

/** Returns a sentence about a problem with a recipe. Adds the most similar name, if there is one. */
export function describeRecipeProblem(wording: ProblemWording, problem: RecipeProblem): string {
  const { l10n, toPlainLine } = wording;
  const { kind, path, nearest, expected = '' } = problem;
  const sentence = sentences[kind](wording, toPlainLine(getFieldName(path)), expected);
  return nearest === undefined ? sentence : l10n.t('{0} Did you mean “{1}”?', sentence, toPlainLine(nearest));
}

type Sentence = (wording: ProblemWording, field: string, expected: string) => string;

const sentences: Readonly<Record<RecipeProblemKind, Sentence>> = {
  syntax: ({ l10n }) => l10n.t('Invalid JSON.'),
  tooLarge: ({ l10n }) => l10n.t('This recipe is too large.'),
  notObject: ({ l10n }) => l10n.t("A recipe must be a JSON object that isn't nested too deeply."),
  newerVersion: ({ describeNewerVersion }) => describeNewerVersion(),
  secret: ({ l10n }) =>
    l10n.t("A recipe can't contain a key, token, or password. Remove it, and get a new one if the recipe was shared."),
  unknownField: ({ l10n }, field) => l10n.t('Unknown field “{0}”.', field),
  repeatedField: ({ l10n }, field) => l10n.t('The “{0}” field is repeated.', field),
  missingField: ({ l10n }, field) => l10n.t('The “{0}” field is missing.', field),
  wrongType: ({ l10n }, field, expected) => l10n.t('“{0}” must be of type {1}.', field, expected),
  wrongValue: ({ l10n }, field, expected) => l10n.t('“{0}” must be one of: {1}.', field, expected),
  empty: ({ l10n }, field) => l10n.t('“{0}” must not be empty.', field),
  tooLong: ({ l10n }, field, expected) => l10n.t('“{0}” is too long. The maximum length is {1}.', field, expected),
  wrongNumber: ({ l10n, formatNumber }, field) =>
    l10n.t('“{0}” must be an integer from 0 to {1}.', field, formatNumber(Number.MAX_SAFE_INTEGER)),
  wrongRange: ({ l10n }) => l10n.t('“least” must not exceed “most”.'),
  sourceCount: ({ l10n }) => l10n.t('“from” must contain exactly one of “search”, “ids”, or “table”.'),
  outsideFolder: ({ l10n }) => l10n.t("The table must be in the recipe's folder or a subfolder."),
  sameDatabase: ({ l10n }) => l10n.t('Source and destination must be different databases.'),
  unknownDatabase: ({ l10n }) => l10n.t('The service has no such database.'),
  unknownId: ({ l10n }) => l10n.t('No file with this ID was found in the database.'),
  readOnlyDatabase: ({ l10n }) => l10n.t('This database is read-only.'),
  unknownParameter: ({ l10n }) => l10n.t('The database has no such search parameter.'),
};
