import type { JsonObject } from '../util/json.ts';
import { listNotes, splitDate, type Citation, type CitedName } from './citation.ts';
import { omitUndefined } from './creditText.ts';

/** Writes citations as a CSL-JSON list of items of the type `dataset`. */
export function writeCslJson(citations: readonly Citation[]): string {
  return `${JSON.stringify(citations.map(toItem), undefined, 2)}\n`;
}

function toItem(citation: Citation): JsonObject {
  const { key, title, publisher, version, doi, identifier, url, abstract, issued, accessed } = citation;
  const notes = [...citation.otherTitles, ...listNotes(citation)];
  return omitUndefined({
    ...{ type: 'dataset', id: key, title },
    author: toNames(citation.authors),
    editor: toNames(citation.editors),
    issued: toDate(issued),
    ...{ publisher, version, DOI: doi, number: identifier, URL: url, abstract },
    note: notes.length === 0 ? undefined : notes.join('; '),
    accessed: toDate(accessed),
  });
}

function toNames(names: readonly CitedName[]): readonly JsonObject[] | undefined {
  if (names.length === 0) return undefined;
  return names.map(({ family, given, literal }) => omitUndefined({ family, given, literal }));
}

function toDate(date: string | undefined): JsonObject | undefined {
  return date === undefined ? undefined : { 'date-parts': [splitDate(date)] };
}
