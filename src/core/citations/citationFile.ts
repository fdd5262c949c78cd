import type { JsonObject } from '../util/json.ts';
import { listNotes, type Citation, type CitedName } from './citation.ts';
import { omitUndefined } from './creditText.ts';

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
export function writeCitationFile(citations: readonly Citation[], texts: CitationFileTexts): string {
  const [first] = citations;
  const content = first && citations.length === 1 ? describeWork(first, texts) : describeWorks(citations, texts);
  return writeYaml({ 'cff-version': '1.2.0', message: texts.message, ...content });
}

function describeWork(citation: Citation, texts: CitationFileTexts): JsonObject {
  return { type: 'dataset', ...listCommonFields(citation, texts) };
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
