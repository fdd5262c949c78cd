import { isJsonObject, parseExactJson, type JsonObject } from './json.ts';

/** The result of parsing JSON: an object, a value of another type, or the 1-based position of the first error. */
type JsonReadResult =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly line: number; readonly column: number };

/**
 * Parses a JSON object. Ignores a byte order mark, which some editors write. If the JSON is invalid, locates the first
 * error.
 */
export function readJsonObject(text: string): JsonReadResult {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    const value = parseExactJson(plain);
    return isJsonObject(value) ? { kind: 'object', value } : { kind: 'other' };
  } catch {
    const offset = findErrorOffset(plain);
    return { kind: 'broken', line: countLines(plain, offset), column: offset - plain.lastIndexOf('\n', offset - 1) };
  }
}

function countLines(text: string, end: number): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const tokenPattern =
  /[\t\n\r ]*(?:(?<sign>[{}[\],:])|(?<quote>")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;

/** Matches a part of a JSON string. Matching a long string as a whole would overflow the runtime's stack. */
const textPattern = /(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;

type ExpectedToken = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'next';

const value = { '{': 'firstName', '[': 'firstValue', text: 'next', other: 'next' } as const;

/**
 * Maps the expected token and the found token to the token to expect next. After a comma, that token depends on the
 * open bracket instead.
 */
const followers: Readonly<Record<ExpectedToken, Readonly<Record<string, ExpectedToken>>>> = {
  value,
  firstValue: { ...value, ']': 'next' },
  name: { text: 'colon' },
  firstName: { text: 'colon', '}': 'next' },
  colon: { ':': 'value' },
  next: { ',': 'next', '}': 'next', ']': 'next' },
};

/** Returns the offset of the first invalid token. The runtime's error messages do not always contain this offset. */
function findErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: ExpectedToken | undefined = 'value';
  let offset = 0;
  for (;;) {
    const found = readToken(text, offset);
    expected = found ? getExpected(expected, found.groups, open) : undefined;
    if (!found || !expected) return offset + (/^[\t\n\r ]*/.exec(text.slice(offset))?.[0].length ?? 0);
    offset = found.end;
  }
}

function readToken(text: string, offset: number): { readonly groups: TokenGroups; readonly end: number } | undefined {
  tokenPattern.lastIndex = offset;
  const groups = tokenPattern.exec(text)?.groups;
  if (!groups) return undefined;
  if (groups['quote'] === undefined) return { groups, end: tokenPattern.lastIndex };
  textPattern.lastIndex = tokenPattern.lastIndex;
  let end = textPattern.lastIndex;
  while (textPattern.test(text)) end = textPattern.lastIndex;
  return text.charAt(end) === '"' ? { groups, end: end + 1 } : undefined;
}

type TokenGroups = Readonly<Record<string, string>>;

/** Returns the token to expect next; undefined if the found token is invalid. */
function getExpected(expected: ExpectedToken, groups: TokenGroups, open: string[]): ExpectedToken | undefined {
  const kind = groups['sign'] ?? (groups['quote'] === undefined ? 'other' : 'text');
  const next = followers[expected][kind];
  if (next === undefined) return undefined;
  if (kind === ',') return getExpectedAfterComma(open.at(-1));
  if (kind === '{' || kind === '[') open.push(kind);
  if (kind === '}' || kind === ']') return open.pop() === (kind === '}' ? '{' : '[') ? next : undefined;
  return next;
}

function getExpectedAfterComma(within: string | undefined): ExpectedToken | undefined {
  if (within === undefined) return undefined;
  return within === '{' ? 'name' : 'value';
}

interface Schema<R> {
  safeParse(value: unknown): R;
}

/**
 * Returns the result of validating a value with a zod schema. Returns undefined if the value has so many errors, about
 * 100,000, that zod overflows the stack when it collects them.
 */
export function validate<R>(schema: Schema<R>, value: unknown): R | undefined {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
