import { l10n } from 'vscode';
import type { CitableFile } from '../../core/citations/citableUnits.ts';
import type { Citation } from '../../core/citations/citation.ts';
import { formatReference, type CitationFileTexts, type CitationFormat } from '../../core/citations/citationFormats.ts';
import type { TransferReceipt } from '../../core/model/transferOutcome.ts';
import { describeCitationRequest } from '../../core/words/sharedSentences.ts';
import { formatFileCount, formatList, formatNames, plural } from './localeFormats.ts';
import { escapeMarkdown, toPlainLine } from './plainText.ts';

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
    message: describeCitationRequest(l10n),
    title: plural(count, '{0} dataset', '{0} datasets'),
    unknownAuthor: l10n.t({ message: 'anonymous', comment: ['author'] }),
  };
}

interface AvailabilityFacts {
  readonly files: readonly CitableFile[];
  /** The services from which the files are available. */
  readonly services: readonly CitedService[];
  /** Absent if no file is known to have been transferred. */
  readonly receipt?: TransferReceipt;
}

/** A service from which cited files are available. */
export interface CitedService {
  readonly name: string;
  /** True for a local service, whose name means nothing to the readers of a paper. */
  readonly isLocal: boolean;
}

/**
 * Writes a data availability statement in Markdown: the number of files, their databases, the service, the day of the
 * transfer, and a list of references.
 */
export function formatAvailabilityStatement(facts: AvailabilityFacts, citations: readonly Citation[]): string {
  const references = citations.map((citation) => `- ${formatMarkdownReference(citation)}\n`);
  const sentences = [describeFiles(facts), describeOrigin(facts)].filter(Boolean);
  return `${sentences.join(' ')}\n\n${references.join('')}`;
}

function describeFiles({ files }: AvailabilityFacts): string {
  const databases = [...new Set(files.map(({ database }) => database).filter((name) => name !== undefined))];
  const count = formatFileCount(files.length);
  if (databases.length === 0) return l10n.t('The data that support this work consist of {0}.', count);
  const sources = formatList(databases.map((name) => escapeMarkdown(toPlainLine(name))));
  return l10n.t('The data that support this work consist of {0} from {1}.', count, sources);
}

/** Describes how the files were obtained or, if they weren't transferred, where they are available. */
function describeOrigin({ files, services, receipt }: AvailabilityFacts): string {
  const service = formatList([...new Set(services.map(describeService))]);
  const count = files.length;
  if (receipt && !receipt.isSeen) return describeDay(count, receipt);
  if (service === '') return '';
  if (receipt) return describeReceipt(count, service, receipt);
  return plural(count, 'It is available through {1}.', 'They are available through {1}.', service);
}

function describeService({ name, isLocal }: CitedService): string {
  if (isLocal) return l10n.t('a local data transfer service');
  return l10n.t('the data transfer service {0}', escapeMarkdown(toPlainLine(name)));
}

function describeDay(count: number, { day }: TransferReceipt): string {
  return day === undefined ? '' : plural(count, 'It was obtained on {1}.', 'They were obtained on {1}.', day);
}

function describeReceipt(count: number, service: string, receipt: TransferReceipt): string {
  const moved = describeMovedFiles(count, service, receipt);
  if (receipt.day === undefined) return moved;
  return `${moved} ${l10n.t('The transfer ended on or before {0}.', receipt.day)}`;
}

function describeMovedFiles(count: number, service: string, receipt: TransferReceipt): string {
  const { movedCount, missing, fileCount } = receipt;
  if (movedCount !== undefined && missing) {
    const names = formatNames(
      missing.map(({ id, name }) => name || id),
      escapeMarkdown,
    );
    return plural(
      movedCount,
      '{0} of {1} requested files was obtained through {2}. Not transferred: {3}.',
      '{0} of {1} requested files were obtained through {2}. Not transferred: {3}.',
      ...[String(fileCount), service, names],
    );
  }
  if (movedCount !== undefined)
    return plural(
      movedCount,
      '{0} of {1} requested files was obtained through {2}.',
      '{0} of {1} requested files were obtained through {2}.',
      ...[String(fileCount), service],
    );
  return plural(count, 'It was obtained through {1}.', 'They were obtained through {1}.', service);
}

function formatMarkdownReference(citation: Citation): string {
  const { text, url } = formatReference(citation);
  const address = url === undefined ? '' : ` <${url.replaceAll(/[<>]/g, encodeURIComponent)}>`;
  return `${escapeMarkdown(text)}${address}`;
}
