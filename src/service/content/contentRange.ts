import { maxContentBytes } from '../../core/util/fileContent.ts';

/** A range as requested: the bytes from `from` to `last`, if any, or the last `suffix` bytes of the file. */
export type RequestedRange = { readonly from: number; readonly last?: number } | { readonly suffix: number };

/** The offsets of the bytes to read; `to` is exclusive. */
interface ContentRange {
  readonly from: number;
  readonly to: number;
}

/** Parses a `Range` header. Returns undefined unless it is a single range of bytes. */
export function parseRange(text: string): RequestedRange | undefined {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(text) ?? [];
  if (first === '') return last === '' ? undefined : { suffix: Number(last) };
  if (last === '') return { from: Number(first) };
  return Number(last) < Number(first) ? undefined : { from: Number(first), last: Number(last) };
}

/**
 * Returns the bytes to read of a file with `bytes` bytes: at most {@link maxContentBytes}, beginning where the range
 * does. Returns undefined if the file has none of the range.
 */
export function resolveRange(range: RequestedRange, bytes: number): ContentRange | undefined {
  const from = 'suffix' in range ? Math.max(0, bytes - range.suffix) : range.from;
  if (from >= bytes) return undefined;
  const end = 'suffix' in range ? bytes : Math.min(bytes, (range.last ?? bytes) + 1);
  return { from, to: Math.min(end, from + maxContentBytes) };
}

/** Returns the entity tag of a file with a size and a modification time, which is empty if it is unknown. */
export function formatEntityTag(bytes: number | bigint, modified: string): string {
  return `"${bytes}-${modified}"`;
}

/** Returns true if an `If-Match` header, which may be absent, allows a file with this entity tag (RFC 9110). */
export function isMatching(ifMatch: string | undefined, entityTag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return ifMatch.split(',').some((one) => one.trim() === entityTag);
}
