import type { Reason } from './reason.ts';

/** Parses IDs separated by commas or whitespace, including line breaks. Preserves the order and removes duplicates. */
export function parseIds(text: string): readonly string[] {
  return dedupeIds(text.split(/[\s,]+/));
}

/**
 * Parses IDs on separate lines. An ID can contain spaces and commas, but no outer white space. Preserves the order and
 * removes duplicates.
 */
export function parseIdLines(text: string): readonly string[] {
  // trim() also removes a byte order mark.
  return dedupeIds(text.split(/[\r\n]+/));
}

/** Trims the IDs and removes duplicates and empty IDs. Preserves the order. */
export function dedupeIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.trim()).filter(Boolean))];
}

/** A requested ID for which no file was returned, with the reason if it is known (D8: metadata by ids). */
export interface MissingId {
  readonly id: string;
  readonly reason?: Reason;
}

/**
 * Returns the missing IDs that the service does not know or, if `isUnknown` is false, those whose lookup failed (D8:
 * metadata by ids).
 */
export function filterMissingIds(
  { missing }: { readonly missing: readonly MissingId[] },
  isUnknown: boolean,
): readonly MissingId[] {
  return missing.filter(({ reason }) => (reason === undefined || reason.kind === 'notFound') === isUnknown);
}
