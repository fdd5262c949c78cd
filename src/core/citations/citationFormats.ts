import type { JsonObject } from '../util/json.ts';
import { writeBibtex } from './bibtex.ts';
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
  const { publisher, issued } = citation;
  const title = `${citation.title}${describeEdition(citation)} [Data set]`;
  const year = `(${issued?.slice(0, 4) ?? 'n.d.'})`;
  const lead = formatLead(citation) ?? publisher;
  const opening = lead === undefined ? [title, year] : [`${endSentence(lead)} ${year}`, title];
  const source = publisher === undefined || publisher === lead ? [] : [publisher];
  return [...opening, ...source];
}

function formatLead({ authors, editors }: Citation): string | undefined {
  if (authors.length > 0) return formatAuthors(authors.map(formatAuthor));
  return editors.length > 0 ? `${formatAuthors(editors.map(formatAuthor))} (${getEditorLabel(editors)})` : undefined;
}

/** Returns version and editors beside authors in the order of the style: ` (J. Doe & R. Roe, Eds.; Version 2)`. */
function describeEdition({ authors, editors, version }: Citation): string {
  const isBeside = authors.length > 0 && editors.length > 0;
  const listed = formatAuthors(editors.map(formatEditor), editors.length === 2 ? '' : ',');
  const names = isBeside ? [`${listed}, ${getEditorLabel(editors)}`] : [];
  const parts = [...names, ...(version === undefined ? [] : [`Version ${version}`])];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

function getEditorLabel(editors: readonly CitedName[]): string {
  return editors.length === 1 ? 'Ed.' : 'Eds.';
}

function endSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** Lists up to 20 names. If there are more, lists only the first 19 and the last. */
function formatAuthors(names: readonly string[], beforeLast = ','): string {
  const last = names.at(-1) ?? '';
  if (names.length === 1) return last;
  if (names.length > 20) return `${names.slice(0, 19).join(', ')}, … ${last}`;
  return `${names.slice(0, -1).join(', ')}${beforeLast} & ${last}`;
}

function formatAuthor({ family = '', given, literal }: CitedName): string {
  if (literal !== undefined) return literal;
  return given === undefined ? family : `${family}, ${toInitials(given)}`;
}

function formatEditor({ family = '', given, literal }: CitedName): string {
  return literal ?? (given === undefined ? family : `${toInitials(given)} ${family}`);
}

/** Abbreviates given names that start with a capital letter, and keeps hyphens: `Jean-Luc` becomes `J.-L.` */
function toInitials(given: string): string {
  const words = given.split(' ').map((word) => word.split('-').map(toInitial).join('-'));
  return words.join(' ');
}

function toInitial(word: string): string {
  const [first = ''] = word;
  return /\p{Lu}/u.test(first) ? `${first}.` : word;
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
    ...toLines('AU', citation.authors.map(formatRisName)),
    ...toLines('ED', citation.editors.map(formatRisName)),
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
    ...([...toLines('N1', listNotes(citation)), ['Y2', formatDate(getVisitDay(citation))]] as const),
  ];
  const known = lines.filter(([, value]) => value !== undefined);
  return [['TY', 'DATA'], ...known, ['ER', '']];
}

/** Returns the day of a visit. Leaves it out beside a year alone, because bibutils makes one date of both. */
function getVisitDay({ url, issued, accessed }: Citation): string | undefined {
  return url === undefined || issued?.length === 4 ? undefined : accessed;
}

/** Removes the commas of an organization's name, at which readers would divide it like the name of a person. */
function formatRisName(name: CitedName): string {
  return name.literal?.replaceAll(/\s*,\s*/g, ' ').trim() ?? formatSortedName(name);
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
  const content = first && citations.length === 1 ? describeWork(first, texts) : describeWorks(citations, texts);
  return writeYaml({ 'cff-version': '1.2.0', message: texts.message, ...content });
}

function describeWork(citation: Citation, texts: CitationFileTexts): JsonObject {
  const { editors, issued } = citation;
  const isSimple = editors.length === 0 && (issued === undefined || toDay(issued) !== undefined);
  const reference = isSimple ? {} : { 'preferred-citation': createReference(citation, texts) };
  return { type: 'dataset', ...listCommonFields(citation, texts), ...reference };
}

function describeWorks(citations: readonly Citation[], texts: CitationFileTexts): JsonObject {
  const references = citations.map((citation) => createReference(citation, texts));
  const known = distinct(citations.flatMap((citation) => listKnownAuthors(citation)));
  const authors = known.length > 0 ? known : [{ name: texts.unknownAuthor }];
  return { type: 'dataset', title: texts.title, authors, references };
}

function createReference(citation: Citation, texts: CitationFileTexts): JsonObject {
  const { publisher, editors, issued, accessed } = citation;
  const [year, month, day] = issued === undefined ? [] : splitDate(issued);
  const notes = listNotes(citation).join('; ');
  return {
    type: 'data',
    ...listCommonFields(citation, texts),
    ...(editors.length > 0 && { editors: distinct(editors.map(toAuthor)) }),
    ...(publisher !== undefined && { publisher: { name: publisher } }),
    ...omitUndefined({ 'date-accessed': toDay(accessed), year, month: day === undefined ? month : undefined }),
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

function listKnownAuthors({ authors, editors, publisher }: Citation): readonly JsonObject[] {
  if (authors.length > 0) return distinct(authors.map(toAuthor));
  return publisher === undefined || editors.length > 0 ? [] : [{ name: publisher }];
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

/** Matches SPDX IDs that the format knows. Its list is of 2021, and lacks licenses that SPDX added since. */
const knownLicense =
  /^(?:CC0-1\.0|CC-BY(?:-NC)?(?:-SA|-ND)?-[1-4]\.[05]|CC-BY-3\.0-(?:AT|US)|(?:ODbL|ODC-By|PDDL)-1\.0|MIT|ISC|Unlicense|Apache-2\.0|BSD-[23]-Clause|[AL]?GPL-[23]\.[01]-(?:only|or-later)|MPL-2\.0|EUPL-1\.[12]|OGL-UK-[123]\.0|CDLA-\w+-1\.0)$/;

/**
 * Returns the field with the SPDX IDs of the licenses or, if the format knows none of them, with the first license URL.
 * The format has no field for other licenses.
 */
function describeLicense({ licenses }: Citation): JsonObject {
  const ids = licenses.map(({ name }) => name).filter((name) => knownLicense.test(name));
  const [address] = licenses.map(({ url }) => url).filter((url) => url !== undefined);
  if (ids.length > 0) return { license: ids.length === 1 ? ids[0] : ids };
  return address === undefined ? {} : { 'license-url': address };
}

/** Writes an object as YAML in block style, with quoted strings, so that none is read as a number or a tag. */
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
