import { isJsonObject, type JsonObject } from './json.ts';

/** The result of parsing JSON: an object, a value of another type, or the 1-based position of the first error. */
export type JsonReadResult =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly line: number; readonly column: number };

/** Parses a JSON object. Ignores a byte order mark, which some editors write. */
export function readJsonObject(text: string): JsonReadResult {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(plain);
    return isJsonObject(value) ? { kind: 'object', value } : { kind: 'other' };
  } catch {
    const lines = plain.slice(0, findErrorOffset(plain)).split('\n');
    return { kind: 'broken', line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
}

const tokenPattern =
  /[\t\n\r ]*(?:(?<sign>[{}[\],:])|(?<text>"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;

type ExpectedToken = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'next';

const value = { '{': 'firstName', '[': 'firstValue', text: 'next', other: 'next' } as const;

/** The next expected token, by the expected and the found token. After a comma, it depends on the open bracket. */
const followers: Readonly<Record<ExpectedToken, Readonly<Record<string, ExpectedToken>>>> = {
  value,
  firstValue: { ...value, ']': 'next' },
  name: { text: 'colon' },
  firstName: { text: 'colon', '}': 'next' },
  colon: { ':': 'value' },
  next: { ',': 'next', '}': 'next', ']': 'next' },
};

/** Returns the offset of the first invalid token, because the runtime's error messages do not always contain it. */
function findErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: ExpectedToken | undefined = 'value';
  let offset = 0;
  for (;;) {
    tokenPattern.lastIndex = offset;
    const found = tokenPattern.exec(text);
    expected = found ? getExpected(expected, found.groups ?? {}, open) : undefined;
    if (!expected) return offset + (/^[\t\n\r ]*/.exec(text.slice(offset))?.[0].length ?? 0);
    offset = tokenPattern.lastIndex;
  }
}

type TokenGroups = Readonly<Record<string, string>>;

/** Returns the token to expect next; undefined if the found token is invalid. */
function getExpected(expected: ExpectedToken, groups: TokenGroups, open: string[]): ExpectedToken | undefined {
  const kind = groups['sign'] ?? (groups['text'] === undefined ? 'other' : 'text');
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
