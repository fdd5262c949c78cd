/** Parses IDs separated by commas or whitespace, including line breaks. Preserves the order and removes duplicates. */
export function parseIds(text: string): readonly string[] {
  return dedupeIds(text.split(/[\s,]+/));
}

/** Trims the IDs and removes duplicates and empty IDs. Preserves the order. */
export function dedupeIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.trim()).filter(Boolean))];
}
