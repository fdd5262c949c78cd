/** No script needs more marks on one character; stacks of them reach far out of their line. */
const mostMarks = 4;
const excessMarks = new RegExp(`(\\p{M}{${String(mostMarks)}})\\p{M}+`, 'gu');

/** An exabyte: larger than any file that exists. */
const largestReported = 1e18;
/** The largest sum of such amounts that is drawn. */
const largestAmount = 1e21;

/** Returns the text with at most four combining marks in a row. */
export function limitMarks(text: string): string {
  return text.replace(excessMarks, '$1');
}

/** Returns the first `longest` UTF-16 units of a text, ending in "…" where it was cut. Never splits a character. */
export function shortenText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns a number that can be drawn: from 0 to 10^21, in place of whatever lies outside. */
export function limitAmount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(0, value), largestAmount);
}

/** Returns a server's number as a count or a size; undefined unless it is whole, from 0 to 10^18. */
export function parseAmount(value: number | null | undefined): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= largestReported ? value : undefined;
}
