import { parseDeclaredHash } from '../util/declaredHash.ts';
import { guessKeyByName, type TableColumn } from './tableColumns.ts';

/**
 * Determines whether the first row of a table contains column names, based on the column that identifies files and on
 * numbers in the other columns. Returns undefined if the content is inconclusive.
 */
export function detectHeader(columns: readonly TableColumn[], column: TableColumn): boolean | undefined {
  if (guessKeyByName(column.header) !== undefined) return true;
  const hasNames = isNumbered(column) || columns.some((other) => isNamedNumbers(other));
  const hasValues = isLikeSamples(column) || columns.some((other) => isNumber(other.header) && hasNumbers(other));
  return hasNames === hasValues ? undefined : hasNames;
}

/** Returns true if all values below the first row contain digits, and the value in the first row does not. */
function isNumbered({ header, samples }: TableColumn): boolean {
  const values = samples.filter(Boolean);
  return header !== '' && !/\d/.test(header) && values.length > 0 && values.every((value) => /\d/.test(value));
}

function isNamedNumbers(column: TableColumn): boolean {
  return column.header !== '' && !isNumber(column.header) && hasNumbers(column);
}

function hasNumbers({ samples }: TableColumn): boolean {
  const values = samples.filter(Boolean);
  return values.length > 0 && values.every(isNumber);
}

function isNumber(text: string): boolean {
  return /^\s*[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?\s*$/i.test(text);
}

/** Returns true if the first value of a column shares a recognizable property with a value below it. */
function isLikeSamples({ header, samples }: TableColumn): boolean {
  const forms = getForms(header);
  return samples.some((sample) => sample !== '' && getForms(sample).some((form) => forms.includes(form)));
}

/**
 * Returns the recognizable properties of a value: for a hash, its length; otherwise, its pattern, its prefix or folder,
 * and its file extension, if present.
 */
function getForms(value: string): readonly string[] {
  const text = value.trim();
  const hash = parseDeclaredHash(text);
  if (hash) return [`hash ${hash.hex.length}`];
  return [getPattern(text), ...(/^.+?[:/]/.exec(text) ?? []), ...(/\.[a-z]\w{1,7}$/i.exec(text) ?? [])].filter(Boolean);
}

/**
 * Returns a value with each word replaced by `9` if it contains a digit, or else by `a`. Returns an empty string if the
 * value contains no digits, which is true of most column names.
 */
function getPattern(text: string): string {
  return /\d/.test(text) ? text.replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) ? '9' : 'a')) : '';
}
