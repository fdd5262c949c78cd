import { l10n } from 'vscode';
import type { CitationFileTexts } from '../../core/citations/citationFile.ts';
import type { CitationFormat } from '../../core/citations/citationFormats.ts';
import { plural } from './localeFormats.ts';

/** Returns the name of a citation format. */
export function getCitationFormatName(format: CitationFormat): string {
  const names = { bibtex: 'BibTeX', ris: 'RIS', csl: 'CSL-JSON', cff: 'CITATION.cff', apa: l10n.t('Plain text (APA)') };
  return names[format];
}

/** Confirms that citations were copied. */
export function describeCopiedCitations(count: number): string {
  return plural(count, 'Copied {0} citation.', 'Copied {0} citations.');
}

/** Returns the localized strings for a `CITATION.cff` file that describes `count` works. */
export function getCitationFileTexts(count: number): CitationFileTexts {
  return {
    message: l10n.t('If you use these data, please cite them as below.'),
    title: plural(count, '{0} dataset', '{0} datasets'),
    unknownAuthor: l10n.t({ message: 'anonymous', comment: ['author'] }),
  };
}
