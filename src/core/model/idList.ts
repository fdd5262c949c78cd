/** The ids in a text, separated by commas, white space or line breaks: each once, in their order. */
export function parseIds(text: string): readonly string[] {
  return distinct(text.split(/[\s,]+/));
}

/** Each id once, in their order; without what is empty, and without white space around one. */
export function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.trim()).filter(Boolean))];
}
