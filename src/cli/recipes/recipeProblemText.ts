import { getFieldName, type RecipeProblem, type RecipeProblemKind } from '../../core/recipes/recipeProblem.ts';
import { toPlainCell } from '../text/plainCell.ts';

const texts: Readonly<Record<RecipeProblemKind, (field: string, expected: string) => string>> = {
  syntax: () => 'not valid JSON',
  tooLarge: () => 'the recipe is too large',
  notObject: () => "a recipe must be a JSON object that isn't nested too deeply",
  newerVersion: () => 'the recipe requires a later version of data-transfer',
  secret: () => "a recipe can't contain a key, token or password; replace the key if it was shared",
  unknownField: (field) => `unknown field "${field}"`,
  repeatedField: (field) => `the "${field}" field is repeated`,
  missingField: (field) => `the "${field}" field is missing`,
  wrongType: (field, expected) => `"${field}" must be of type ${expected}`,
  wrongValue: (field, expected) => `"${field}" must be one of: ${expected}`,
  empty: (field) => `"${field}" must not be empty`,
  tooLong: (field, expected) => `"${field}" is too long; the maximum length is ${expected}`,
  wrongNumber: (field) => `"${field}" must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`,
  wrongRange: () => '"least" must not exceed "most"',
  sourceCount: () => '"from" must contain exactly one of "search", "ids" or "table"',
  outsideFolder: () => "the table must be in the recipe's folder or a subfolder",
  sameDatabase: () => 'source and destination must be different databases',
  unknownDatabase: (_, expected) =>
    expected === '' ? 'the service has no such database' : `the service has no such database; it has: ${expected}`,
  unknownId: () => 'no file with this ID was found in the database',
  readOnlyDatabase: () => 'this database is read-only',
  unknownParameter: () => 'the database has no such search parameter',
};

/** Describes a problem and its position: `reads.transfer.json:3: unknown field "form"; did you mean "from"?`. */
export function describeRecipeProblem(file: string, problem: RecipeProblem): string {
  const { kind, path, range, nearest, expected = '' } = problem;
  const hint = nearest === undefined ? '' : `; did you mean "${toPlainCell(nearest)}"?`;
  const text = texts[kind](toPlainCell(getFieldName(path)), toPlainCell(expected));
  return `${toPlainCell(file)}:${range.line}: ${text}${hint}`;
}
