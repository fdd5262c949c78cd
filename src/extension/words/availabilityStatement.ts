import { l10n } from 'vscode';
import { formatReference } from '../../core/citations/apa.ts';
import type { CitableFile } from '../../core/citations/citableUnits.ts';
import type { Citation } from '../../core/citations/citation.ts';
import { formatFileCount, formatList, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';

/** The facts that a data availability statement states. */
interface AvailabilityFacts {
  readonly files: readonly CitableFile[];
  /** Names of the services that the files were obtained from. */
  readonly services: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly accessed: string;
}

/** Writes a data availability statement in Markdown: files, sources, day, service, and a list of references. */
export function formatAvailabilityStatement(facts: AvailabilityFacts, citations: readonly Citation[]): string {
  const references = citations.map((citation) => `- ${formatMarkdownReference(citation)}\n`);
  return `${describeFiles(facts)} ${describeOrigin(facts)}\n\n${references.join('')}`;
}

function describeFiles({ files }: AvailabilityFacts): string {
  const databases = [...new Set(files.map(({ database }) => database).filter((name) => name !== undefined))];
  const count = formatFileCount(files.length);
  if (databases.length === 0) return l10n.t('The data that support this work consist of {0}.', count);
  const sources = formatList(databases.map((name) => escapeMarkdown(toPlainLine(name))));
  return l10n.t('The data that support this work consist of {0} from {1}.', count, sources);
}

function describeOrigin({ files, services, accessed }: AvailabilityFacts): string {
  const names = formatList(services.map((name) => escapeMarkdown(toPlainLine(name))));
  if (names === '') return plural(files.length, 'It was obtained on {1}.', 'They were obtained on {1}.', accessed);
  return plural(
    files.length,
    'It was obtained on {1} through the data transfer service {2}.',
    'They were obtained on {1} through the data transfer service {2}.',
    ...[accessed, names],
  );
}

function formatMarkdownReference(citation: Citation): string {
  const { text, url } = formatReference(citation);
  const address = url === undefined ? '' : ` <${url.replaceAll(/[<>]/g, encodeURIComponent)}>`;
  return `${escapeMarkdown(text)}${address}`;
}

/** Escapes the characters that have a meaning in Markdown or HTML. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');
}
