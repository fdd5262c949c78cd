import { isJsonObject, type JsonObject } from './json.ts';

/** What a text is: a JSON object, other JSON, or no JSON, with the place of the first error, counted from 1. */
export type JsonReading =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'other' }
  | { readonly kind: 'broken'; readonly line: number; readonly column: number };

/** Reads a text that is to be a JSON object. A byte order mark before it is passed over, as editors write it. */
export function readJsonObject(text: string): JsonReading {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(plain);
    return isJsonObject(value) ? { kind: 'object', value } : { kind: 'other' };
  } catch {
    const lines = plain.slice(0, errorOffset(plain)).split('\n');
    return { kind: 'broken', line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
}

const token =
  /[\t\n\r ]*(?:(?<sign>[{}[\],:])|(?<text>"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;

type Wanted = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'next';

const value = { '{': 'firstName', '[': 'firstValue', text: 'next', other: 'next' } as const;

/** What is wanted after each kind of token, by what was wanted before it; `next` after a comma depends on what is open. */
const followers: Readonly<Record<Wanted, Readonly<Record<string, Wanted>>>> = {
  value,
  firstValue: { ...value, ']': 'next' },
  name: { text: 'colon' },
  firstName: { text: 'colon', '}': 'next' },
  colon: { ':': 'value' },
  next: { ',': 'next', '}': 'next', ']': 'next' },
};

/** Where the first sign stands that cannot follow what is before it: the runtime's own messages do not always say. */
function errorOffset(text: string): number {
  const open: string[] = [];
  let wanted: Wanted | undefined = 'value';
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const found = token.exec(text);
    wanted = found ? after(wanted, found.groups ?? {}, open) : undefined;
    if (!wanted) return offset + (/^[\t\n\r ]*/.exec(text.slice(offset))?.[0].length ?? 0);
    offset = token.lastIndex;
  }
}

/** What is wanted after a token, or undefined where the token may not stand. */
function after(wanted: Wanted, groups: Readonly<Record<string, string>>, open: string[]): Wanted | undefined {
  const kind = groups['sign'] ?? (groups['text'] === undefined ? 'other' : 'text');
  const next = followers[wanted][kind];
  if (next === undefined) return undefined;
  if (kind === ',') return afterComma(open.at(-1));
  if (kind === '{' || kind === '[') open.push(kind);
  if (kind === '}' || kind === ']') return open.pop() === (kind === '}' ? '{' : '[') ? next : undefined;
  return next;
}

function afterComma(within: string | undefined): Wanted | undefined {
  if (within === undefined) return undefined;
  return within === '{' ? 'name' : 'value';
}
