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
  /[\t\n\r ]*(?:(?<sign>[{}[\],:])|(?<text>"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;

type Wanted = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'next';

/** Where the first sign stands that cannot follow what is before it: the runtime's own messages do not always say. */
function errorOffset(text: string): number {
  const open: string[] = [];
  let wanted: Wanted | undefined = 'value';
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const found = token.exec(text);
    wanted = found ? after(wanted, found.groups?.['sign'], found.groups?.['text'] !== undefined, open) : undefined;
    if (!wanted) return offset + (/^[\t\n\r ]*/.exec(text.slice(offset))?.[0].length ?? 0);
    offset = token.lastIndex;
  }
}

/** What may follow a token, or undefined where the token may not stand. */
function after(wanted: Wanted, sign: string | undefined, isText: boolean, open: string[]): Wanted | undefined {
  if (wanted === 'colon') return sign === ':' ? 'value' : undefined;
  if (sign === '}' || sign === ']') return closed(wanted, sign, open);
  if (wanted === 'next') return sign === ',' && open.length > 0 ? (open.at(-1) === '}' ? 'name' : 'value') : undefined;
  if (wanted === 'name' || wanted === 'firstName') return isText ? 'colon' : undefined;
  if (sign === undefined) return 'next';
  if (sign === ',' || sign === ':') return undefined;
  open.push(sign === '{' ? '}' : ']');
  return sign === '{' ? 'firstName' : 'firstValue';
}

function closed(wanted: Wanted, sign: string, open: string[]): Wanted | undefined {
  const mayEnd = wanted === 'next' || wanted === (sign === '}' ? 'firstName' : 'firstValue');
  return mayEnd && open.pop() === sign ? 'next' : undefined;
}
