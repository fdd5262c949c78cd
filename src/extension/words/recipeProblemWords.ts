import { l10n } from 'vscode';
import { getFieldName, type RecipeProblem, type RecipeProblemKind } from '../../core/recipes/recipeProblem.ts';
import { formatNumber } from './localeFormats.ts';
import { toPlainText } from './plainText.ts';

const maxLength = 60;

/** Describes a problem with a recipe. */
export function describeRecipeProblem({ kind, path, nearest, expected }: RecipeProblem): string {
  const field = toPlainText(getFieldName(path), maxLength);
  const sentence = { ...getSyntaxSentences(), ...getFieldSentences(field, expected ?? ''), ...getServiceSentences() }[
    kind
  ];
  return nearest === undefined
    ? sentence
    : l10n.t('{0} Did you mean “{1}”?', sentence, toPlainText(nearest, maxLength));
}

type Sentences<K extends RecipeProblemKind> = Readonly<Record<K, string>>;

function getSyntaxSentences(): Sentences<'syntax' | 'tooLarge' | 'notObject' | 'newerVersion' | 'secret'> {
  return {
    syntax: l10n.t('Invalid JSON.'),
    tooLarge: l10n.t('This recipe is too large.'),
    notObject: l10n.t("A recipe must be a JSON object that isn't nested too deeply."),
    newerVersion: l10n.t('This recipe requires a later version of the extension.'),
    secret: l10n.t(
      "A recipe can't contain a key, token, or password. Remove it, and get a new one if the recipe was shared.",
    ),
  };
}

type FieldProblem =
  | 'unknownField'
  | 'repeatedField'
  | 'missingField'
  | 'wrongType'
  | 'wrongValue'
  | 'empty'
  | 'tooLong'
  | 'wrongNumber'
  | 'wrongRange'
  | 'sourceCount'
  | 'outsideFolder';

function getFieldSentences(field: string, expected: string): Sentences<FieldProblem> {
  return {
    unknownField: l10n.t('Unknown field “{0}”.', field),
    repeatedField: l10n.t('The “{0}” field is repeated.', field),
    missingField: l10n.t('The “{0}” field is missing.', field),
    wrongType: l10n.t('“{0}” must be of type {1}.', field, expected),
    wrongValue: l10n.t('“{0}” must be one of: {1}.', field, expected),
    empty: l10n.t('“{0}” must not be empty.', field),
    tooLong: l10n.t('“{0}” is too long. The maximum length is {1}.', field, expected),
    wrongNumber: l10n.t('“{0}” must be an integer from 0 to {1}.', field, formatNumber(Number.MAX_SAFE_INTEGER)),
    wrongRange: l10n.t('“least” must not exceed “most”.'),
    sourceCount: l10n.t('“from” must contain exactly one of “search”, “ids”, or “table”.'),
    outsideFolder: l10n.t("The table must be in the recipe's folder or a subfolder."),
  };
}

function getServiceSentences(): Sentences<
  'sameDatabase' | 'unknownDatabase' | 'unknownId' | 'readOnlyDatabase' | 'unknownParameter'
> {
  return {
    sameDatabase: l10n.t('Source and destination must be different databases.'),
    unknownDatabase: l10n.t('The service has no such database.'),
    unknownId: l10n.t('No file with this ID was found in the database.'),
    readOnlyDatabase: l10n.t('This database is read-only.'),
    unknownParameter: l10n.t('The database has no such search parameter.'),
  };
}
