import { writeApa } from './apa.ts';
import { writeBibtex } from './bibtex.ts';
import type { Citation } from './citation.ts';
import { writeCitationFile, type CitationFileTexts } from './citationFile.ts';
import { writeCslJson } from './cslJson.ts';
import { writeRis } from './ris.ts';

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
