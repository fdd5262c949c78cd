import type { JsonObject } from '../util/json.ts';
import { formatSortedName, listNotes, splitDate, type Citation, type CitedName } from './citation.ts';
import { omitUndefined } from './creditText.ts';

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

/** Writes a BibTeX entry. Appends field by field, faster than one large template literal. */
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

/** The text in a `CITATION.cff` that doesn't come from metadata. */
export interface CitationFileTexts {
  /** The message that asks readers to cite the work. */
  readonly message: string;
  /** The title of a file that refers to multiple works. */
  readonly title: string;
  /** The name to credit if neither an author nor a publisher is known. */
  readonly unknownAuthor: string;
}

/**
 * Writes a `CITATION.cff` (version 1.2.0). A single work is the subject of the file itself; multiple works become its
 * references. `citations` must not be empty.
 */
function writeCitationFile(citations: readonly Citation[], texts: CitationFileTexts): string {
  const [first] = citations;
  const content =
    first && citations.length === 1
      ? { type: 'dataset', ...listCommonFields(first, texts) }
      : describeWorks(citations, texts);
  return writeYaml({ 'cff-version': '1.2.0', message: texts.message, ...content });
}

function describeWorks(citations: readonly Citation[], texts: CitationFileTexts): JsonObject {
  const references = citations.map((citation) => ({
    type: 'data',
    ...listCommonFields(citation, texts),
    ...describeReference(citation),
  }));
  const known = distinct(citations.flatMap((citation) => listKnownAuthors(citation)));
  const authors = known.length > 0 ? known : [{ name: texts.unknownAuthor }];
  return { type: 'dataset', title: texts.title, authors, references };
}

/** Returns the fields that the format allows only in references. */
function describeReference(citation: Citation): JsonObject {
  const { publisher, editors, issued, accessed } = citation;
  const notes = listNotes(citation).join('; ');
  return {
    ...(editors.length > 0 && { editors: distinct(editors.map(toAuthor)) }),
    ...(publisher !== undefined && { publisher: { name: publisher } }),
    ...omitUndefined({ 'date-accessed': toDay(accessed) }),
    ...(issued !== undefined && { year: Number(issued.slice(0, 4)) }),
    ...(notes !== '' && { notes }),
  };
}

function listCommonFields(citation: Citation, texts: CitationFileTexts) {
  const { title, version, abstract, url, issued } = citation;
  const identifiers = listIdentifiers(citation);
  return {
    title,
    authors: listAuthors(citation, texts),
    ...omitUndefined({ version, abstract, url, doi: findPlainDoi(citation), 'date-released': toDay(issued) }),
    ...(identifiers.length > 0 && { identifiers }),
    ...describeLicense(citation),
  };
}

function listAuthors(citation: Citation, texts: CitationFileTexts): readonly JsonObject[] {
  const known = listKnownAuthors(citation);
  return known.length > 0 ? known : [{ name: texts.unknownAuthor }];
}

function listKnownAuthors({ authors, publisher }: Citation): readonly JsonObject[] {
  if (authors.length > 0) return distinct(authors.map(toAuthor));
  return publisher === undefined ? [] : [{ name: publisher }];
}

function toAuthor({ family, given, literal, orcid, affiliation }: CitedName): JsonObject {
  const id = orcid === undefined ? undefined : `https://orcid.org/${orcid}`;
  if (literal !== undefined) return omitUndefined({ name: literal, orcid: id });
  return omitUndefined({ 'family-names': family, 'given-names': given, orcid: id, affiliation });
}

/** Removes duplicates, which the format forbids. */
function distinct(values: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Returns the DOI if the format allows all of its characters; otherwise, undefined. */
function findPlainDoi({ doi }: Citation): string | undefined {
  return doi !== undefined && /^10\.\d{4,9}(\.\d+)?\/[A-Za-z0-9:/_;\-.()[\]\\]+$/.test(doi) ? doi : undefined;
}

function listIdentifiers(citation: Citation): readonly JsonObject[] {
  const { doi, identifier } = citation;
  const other = (value: string): JsonObject => ({ type: 'other', value });
  const isListed = doi === undefined || findPlainDoi(citation) !== undefined;
  return [...(isListed ? [] : [other(`doi:${doi}`)]), ...(identifier === undefined ? [] : [other(identifier)])];
}

/** Returns the date if it includes the day; otherwise, undefined. The format allows only complete dates. */
function toDay(date: string | undefined): string | undefined {
  return date?.length === 10 ? date : undefined;
}

/**
 * Returns the field with the SPDX IDs of the licenses or, if there are none, with the first license URL. The format has
 * no field for other licenses.
 */
function describeLicense({ licenses }: Citation): JsonObject {
  const ids = licenses.filter(({ isSpdx }) => isSpdx).map(({ name }) => name);
  const [address] = licenses.map(({ url }) => url).filter((url) => url !== undefined);
  if (ids.length > 0) return { license: ids.length === 1 ? ids[0] : ids };
  return address === undefined ? {} : { 'license-url': address };
}

/**
 * Writes an object as YAML in block style. All string values are double-quoted, so that none is read as a number or a
 * tag.
 */
function writeYaml(object: JsonObject, indent = ''): string {
  return Object.entries(object)
    .map(([name, value]) => `${indent}${name}:${writeValue(value, indent)}`)
    .join('');
}

function writeValue(value: unknown, indent: string): string {
  if (!Array.isArray(value))
    return typeof value === 'object' && value !== null
      ? `\n${writeYaml(value as JsonObject, `${indent}  `)}`
      : ` ${quote(value)}\n`;
  return `\n${value.map((item: unknown) => writeItem(item, `${indent}  `)).join('')}`;
}

function writeItem(item: unknown, indent: string): string {
  if (typeof item !== 'object' || item === null) return `${indent}- ${quote(item)}\n`;
  return `${indent}- ${writeYaml(item as JsonObject, `${indent}  `).trimStart()}`;
}

/** Formats a value as JSON, with the additional escapes that make it valid YAML. */
function quote(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
