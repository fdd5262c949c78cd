import type { JsonObject } from '../util/json.ts';
import { formatSortedName, listNotes, splitDate, type Citation, type CitedName } from './citation.ts';
import { writeCitationFile, type CitationFileTexts } from './citationFile.ts';

/** A format in which citations are written. */
export type CitationFormat = 'bibtex' | 'ris' | 'csl' | 'cff' | 'apa';

/** All formats, in display order. */
export const citationFormats: readonly CitationFormat[] = ['bibtex', 'ris', 'csl', 'cff', 'apa'];

/** The default file name for each format. */
export const citationFileNames: Readonly<Record<CitationFormat, string>> = {
  bibtex: 'citations.bib',
  ris: 'citations.ris',
  csl: 'citations.json',
  cff: 'CITATION.cff',
  apa: 'citations.txt',
};

/** Writes citations in the given format. `citations` must not be empty. */
export function writeCitations(
  format: CitationFormat,
  citations: readonly Citation[],
  texts: CitationFileTexts,
): string {
  if (format === 'cff') return writeCitationFile(citations, texts);
  const writers = { bibtex: writeBibtex, ris: writeRis, csl: writeCslJson, apa: writeApa };
  return writers[format](citations);
}

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

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  // BibTeX counts escaped braces too, so an unmatched one would break the entry.
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '{\\textasciicircum}',
  '`': '\\textasciigrave{}',
  '-': '-{}',
  "'": "'{}",
  '<': '<{}',
  '>': '>{}',
  ',': ',{}',
};

/**
 * Matches characters that are special in TeX. Also matches the first of any two characters that TeX would combine into
 * a dash or a quote.
 */
const specialPattern = /[\\{}&%$#_~^`]|-(?=-)|'(?=')|<(?=<)|>(?=>)|,(?=,)/g;

/**
 * Writes citations as BibTeX entries of type `dataset`. BibLaTeX defines this type; BibTeX styles treat it as `misc`.
 */
function writeBibtex(citations: readonly Citation[]): string {
  return citations.map(writeEntry).join('\n');
}

/** Writes a BibTeX entry. Appends field by field, which is faster than one large template literal. */
function writeEntry(citation: Citation): string {
  const { key, title, issued, publisher } = citation;
  let entry = `@dataset{${key},\n`;
  entry += writeNames('  author = {', citation.authors);
  entry += writeNames('  editor = {', citation.editors);
  entry += `  title = {{${escapeTex(title)}}},\n`;
  if (issued !== undefined) entry += `  date = {${issued}},\n  year = {${issued.slice(0, 4)}},\n`;
  // The double braces prevent BibLaTeX from splitting publishers at "and".
  if (publisher !== undefined) entry += `  publisher = {{${escapeTex(publisher)}}},\n`;
  return `${entry}${writeOtherFields(citation)}}\n`;
}

function writeOtherFields(citation: Citation): string {
  const { version, doi, url, accessed, abstract } = citation;
  let fields = version === undefined ? '' : `  version = {${escapeTex(version)}},\n`;
  if (doi !== undefined) fields += `  doi = {${doi}},\n`;
  if (url !== undefined) fields += `  url = {${url}},\n`;
  if (accessed !== undefined) fields += `  urldate = {${accessed}},\n`;
  if (abstract !== undefined) fields += `  abstract = {${escapeTex(abstract)}},\n`;
  const notes = joinNotes(citation);
  return notes === '' ? fields : `${fields}  note = {${notes}},\n`;
}

/** Joins the parts of a citation that have no dedicated BibTeX field. */
function joinNotes(citation: Citation): string {
  const { identifier, otherTitles } = citation;
  let joined = identifier === undefined ? '' : escapeTex(identifier);
  for (const title of otherTitles) joined = joined === '' ? escapeTex(title) : `${joined}; ${escapeTex(title)}`;
  for (const note of listNotes(citation)) joined = joined === '' ? escapeTex(note) : `${joined}; ${escapeTex(note)}`;
  return joined;
}

function writeNames(opening: string, names: readonly CitedName[]): string {
  const [first] = names;
  if (!first) return '';
  const written = names.length === 1 ? writeName(first) : names.map(writeName).join(' and ');
  return `${opening}${written}},\n`;
}

function writeName(name: CitedName): string {
  const { family, given } = name;
  if (family === undefined || given === undefined) return `{${escapeTex(formatSortedName(name))}}`;
  return `${protectName(family, !family.includes(' '))}, ${protectName(given, !/\band\b/i.test(given))}`;
}

/**
 * Matches names that contain no characters with a special meaning in BibTeX or BibLaTeX. The words of such names
 * consist of letters, and can contain periods, hyphens and apostrophes.
 */
const plainName = /^\p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?(?: \p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?)*$/u;

/**
 * Encloses a part of a name in braces if BibTeX could misread it. BibTeX interprets commas, "and" and "von" only
 * outside braces. Other parts stay unbraced, because BibTeX doesn't abbreviate a braced given name.
 */
function protectName(part: string, isOneName: boolean): string {
  const text = escapeTex(part);
  return isOneName && plainName.test(part) ? text : `{${text}}`;
}

function escapeTex(text: string): string {
  return text.replace(specialPattern, (character) => special[character] ?? `\\${character}`);
}

type RisLine = readonly [tag: string, value: string | undefined];

/** Writes citations as RIS records of type `DATA`. Lines end with CR LF, as the format requires. */
function writeRis(citations: readonly Citation[]): string {
  return citations.map((citation) => listLines(citation).map(formatLine).join('')).join('\r\n');
}

function formatLine([tag, value = '']: RisLine): string {
  return `${tag}  - ${value}\r\n`;
}

function listLines(citation: Citation): readonly RisLine[] {
  const lines: readonly RisLine[] = [
    ...([['TI', citation.title], ...toLines('T2', citation.otherTitles)] as const),
    ...toLines('AU', citation.authors.map(formatSortedName)),
    ...toLines('ED', citation.editors.map(formatSortedName)),
    ...([
      ['PY', citation.issued?.slice(0, 4)],
      ['DA', formatDate(citation.issued)],
    ] as const),
    ...([
      ['PB', citation.publisher],
      ['ET', citation.version],
      ['DO', citation.doi],
    ] as const),
    ...([
      ['AN', citation.identifier],
      ['UR', citation.url],
      ['AB', citation.abstract],
    ] as const),
    ...([...toLines('N1', listNotes(citation)), ['Y2', formatDate(citation.accessed)]] as const),
  ];
  const known = lines.filter(([, value]) => value !== undefined);
  return [['TY', 'DATA'], ...known, ['ER', '']];
}

function toLines(tag: string, values: readonly string[]): readonly RisLine[] {
  return values.map((value) => [tag, value]);
}

/** Formats a date as `YYYY/MM/DD/`; a missing month or day is left empty. */
function formatDate(date: string | undefined): string | undefined {
  if (date === undefined) return undefined;
  const [year = 0, ...rest] = splitDate(date);
  const parts = [0, 1].map((index) => (rest[index] === undefined ? '' : String(rest[index]).padStart(2, '0')));
  return [String(year).padStart(4, '0'), ...parts, ''].join('/');
}

/** Writes citations as a CSL-JSON list of items of type `dataset`. */
function writeCslJson(citations: readonly Citation[]): string {
  return `${JSON.stringify(citations.map(toItem), undefined, 2)}\n`;
}

/** Returns the item for a citation. `JSON.stringify` leaves out its undefined properties. */
function toItem(citation: Citation): JsonObject {
  const notes = [...citation.otherTitles, ...listNotes(citation)];
  return {
    type: 'dataset',
    id: citation.key,
    title: citation.title,
    author: toNames(citation.authors),
    editor: toNames(citation.editors),
    issued: toDate(citation.issued),
    publisher: citation.publisher,
    version: citation.version,
    DOI: citation.doi,
    number: citation.identifier,
    URL: citation.url,
    abstract: citation.abstract,
    note: notes.length === 0 ? undefined : notes.join('; '),
    accessed: toDate(citation.accessed),
  };
}

function toNames(names: readonly CitedName[]): readonly JsonObject[] | undefined {
  return names.length === 0 ? undefined : names.map(({ family, given, literal }) => ({ family, given, literal }));
}

function toDate(date: string | undefined): JsonObject | undefined {
  return date === undefined ? undefined : { 'date-parts': [splitDate(date)] };
}
