import { l10n } from 'vscode';
import type { Omission } from '../../core/model/fileExport.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { formatFileCount, plural } from './localeFormats.ts';
import { describeFailedLookups, describeUnlistedFiles } from './sharedLabels.ts';

/**
 * Reports an export: the name of the exported file, the number of files that it contains, and the files that it omits.
 */
export function describeExport(name: string, fileCount: number, omissions: readonly Omission[]): string {
  const exported = l10n.t('Exported {0} to {1}.', formatFileCount(fileCount), name);
  return [exported, ...omissions.map(describeOmission)].join(' ');
}

function describeOmission({ kind, count = 0 }: Omission): string {
  if (kind === 'notLoaded') return l10n.t("Results that weren't loaded were left out.");
  if (kind === 'noManifest')
    return l10n.t('The manifest is missing or lists no files, so the transferred files are unknown.');
  return describeLeftOut(kind, count);
}

function describeLeftOut(kind: Omission['kind'], count: number): string {
  if (kind === 'noHash') {
    return plural(
      count,
      '{0} file has no SHA-256 hash and was left out.',
      '{0} files have no SHA-256 hash and were left out.',
    );
  }
  if (kind === 'notTransferred') {
    return describeUnlistedFiles(count);
  }
  if (kind === 'notFound') return plural(count, "{0} ID wasn't found.", "{0} IDs weren't found.");
  if (kind === 'notLookedUp') return toSentence(describeFailedLookups(count));
  return plural(count, '{0} unreadable result was left out.', '{0} unreadable results were left out.');
}
