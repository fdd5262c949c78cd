import type { RecipePath, TextRange } from './recipeText.ts';

/** The reason why a recipe can't be used, as data; the caller provides the wording. */
export type RecipeProblemKind =
  | 'syntax' // not JSON
  | 'tooLarge' // larger than a recipe may be
  | 'notObject' // JSON, but not an object, or nested too deeply
  | 'newerVersion' // written for a later version
  | 'secret' // a key, a password or a token, which a recipe may never contain
  | 'unknownField' // `nearest` is a known field with a similar name
  | 'repeatedField' // a name that occurs more than once in an object
  | 'missingField' // a field that every recipe needs
  | 'wrongType' // `expected` is the type
  | 'wrongValue' // `expected` lists the allowed values
  | 'empty' // an empty string or list
  | 'tooLong' // a string or list that is longer than `expected`
  | 'wrongNumber' // negative, not an integer, or greater than `Number.MAX_SAFE_INTEGER`
  | 'wrongRange' // `least` exceeds `most`
  | 'sourceCount' // not exactly one of search, ids and table
  | 'outsideFolder' // a table outside the recipe's folder
  | 'sameDatabase' // `from` and `to` are the same database
  // the service has no such database; `nearest` is one with a similar name, otherwise `expected` lists all
  | 'unknownDatabase'
  | 'unknownId' // the database had no file with this ID when it was last looked up
  | 'readOnlyDatabase' // the service refuses transfers to this database
  | 'unknownParameter'; // the database has no such search parameter; `nearest` is a similar one

/**
 * Returns the name of the field at a path, such as `ids[0]` for the first entry of `ids`. Returns an empty string for
 * the recipe itself.
 */
export function getFieldName(path: RecipePath): string {
  const last = path.at(-1) ?? '';
  return typeof last === 'number' ? `${path.at(-2) ?? ''}[${last}]` : last;
}

/** A problem with a recipe, and its position in the text. */
export interface RecipeProblem {
  readonly kind: RecipeProblemKind;
  readonly path: RecipePath;
  readonly range: TextRange;
  readonly nearest?: string;
  readonly expected?: string;
}
