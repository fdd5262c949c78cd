import type { JsonObject } from '../util/json.ts';
import { listNotes, splitDate, type Citation, type CitedName } from './citation.ts';

/** Writes citations as a CSL-JSON list of items of type `dataset`. */
export function writeCslJson(citations: readonly Citation[]): string {
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
