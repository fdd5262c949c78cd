import type { Citation, CitedName } from './citation.ts';

/** Writes citations as reference list entries in APA style (7th edition), one per paragraph. */
export function writeApa(citations: readonly Citation[]): string {
  return citations.map((citation) => `${formatApa(citation)}\n`).join('\n');
}

/** Returns a citation as a reference list entry in APA style: `Doe, J. (2021). Title [Data set]. KBase. https://…` */
export function formatApa(citation: Citation): string {
  const { text, url } = formatReference(citation);
  return url === undefined ? text : `${text} ${url}`;
}

/** Returns the text of a reference list entry in APA style, and the URL that follows it, if any. */
export function formatReference(citation: Citation): { readonly text: string; readonly url?: string } {
  const { doi, identifier } = citation;
  const url = doi === undefined ? citation.url : `https://doi.org/${doi}`;
  const sentences = listSentences(citation);
  const text = [...sentences, ...(url === undefined && identifier !== undefined ? [identifier] : [])];
  return { text: text.map(endSentence).join(' '), ...(url !== undefined && { url }) };
}

function listSentences(citation: Citation): readonly string[] {
  const { authors, publisher, version, issued } = citation;
  const title = `${citation.title}${version === undefined ? '' : ` (Version ${version})`} [Data set]`;
  const year = `(${issued?.slice(0, 4) ?? 'n.d.'})`;
  const lead = authors.length > 0 ? formatAuthors(authors) : publisher;
  const opening = lead === undefined ? [title, year] : [`${endSentence(lead)} ${year}`, title];
  const source = publisher === undefined || publisher === lead ? [] : [publisher];
  return [...opening, ...source];
}

function endSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** Lists up to 20 authors. If there are more, lists only the first 19 and the last. */
function formatAuthors(authors: readonly CitedName[]): string {
  const names = authors.map(formatAuthor);
  const last = names.at(-1) ?? '';
  if (names.length === 1) return last;
  if (names.length > 20) return `${names.slice(0, 19).join(', ')}, … ${last}`;
  return `${names.slice(0, -1).join(', ')}, & ${last}`;
}

function formatAuthor({ family = '', given, literal }: CitedName): string {
  if (literal !== undefined) return literal;
  return given === undefined ? family : `${family}, ${toInitials(given)}`;
}

/**
 * Abbreviates given names and keeps their hyphens: `Jean-Luc` becomes `J.-L.` Leaves names that don't start with a
 * capital letter unchanged.
 */
function toInitials(given: string): string {
  const words = given.split(' ').map((word) => word.split('-').map(toInitial).join('-'));
  return words.join(' ');
}

function toInitial(word: string): string {
  const [first = ''] = word;
  return /\p{Lu}/u.test(first) ? `${first}.` : word;
}
