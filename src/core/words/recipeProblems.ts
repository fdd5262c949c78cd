import { getFieldName, type RecipeProblem, type RecipeProblemKind } from '../recipes/recipeProblem.ts';

/** The parts of sentences that the extension and the command line each provide. */
interface Wording {
  /** Translates a sentence; `{0}` in it stands for the first argument. */
  readonly l10n: { t(message: string, ...args: (string | number)[]): string };
  /** Converts text from a recipe or a server to one short line without control or format characters. */
  readonly toPlainLine: (text: string) => string;
  readonly formatNumber: (value: number) => string;
  /** Describes a recipe that requires a later version of the program. */
  readonly describeNewerVersion: () => string;
}

/** Returns a sentence about a problem with a recipe. Adds the most similar name, if there is one. */
export function describeRecipeProblem(wording: Wording, problem: RecipeProblem): string {
  const { l10n, toPlainLine } = wording;
  const { kind, path, nearest, expected = '' } = problem;
  const sentence = sentences[kind](wording, toPlainLine(getFieldName(path)), expected);
  return nearest === undefined ? sentence : l10n.t('{0} Did you mean “{1}”?', sentence, toPlainLine(nearest));
}

type Sentence = (wording: Wording, field: string, expected: string) => string;

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
