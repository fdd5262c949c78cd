import { l10n } from 'vscode';
import type { TransferFile } from '../../core/model/transferModel.ts';
import type { PastVerification } from '../../core/verification/pastVerification.ts';
import type {
  ExtraFiles,
  FileOutcome,
  VerificationProgress,
  VerificationReport,
} from '../../core/verification/verification.ts';
import type { ManifestError } from '../../core/verification/transferManifest.ts';
import { formatFileCount, formatList, formatNumber, formatTime, plural, formatSize } from './localeFormats.ts';
import { formatNames } from './nameList.ts';
import { toPlainLine } from './plainText.ts';

/** Names a group of files whose verification found a difference or a problem. */
export type OutcomeGroup = 'missing' | 'changed' | 'changing' | 'unreadable' | 'outsideFolder' | 'notCompared';

/** All groups, most serious first. */
export const outcomeGroups: readonly OutcomeGroup[] = [
  'missing',
  'changed',
  'changing',
  'unreadable',
  'outsideFolder',
  'notCompared',
];

/** Returns the group that an outcome belongs to. Returns undefined for an intact file. */
export function getOutcomeGroup({ kind }: FileOutcome): OutcomeGroup | undefined {
  if (kind === 'intact') return undefined;
  return kind === 'size' || kind === 'hash' ? 'changed' : kind;
}

/**
 * Describes a verification in a few sentences, such as "2 of 1,000 files are missing, 1 has changed." `unlistedCount`
 * is the number of requested files that the manifest doesn't list.
 */
export function describeVerification(report: VerificationReport, unlistedCount: number): string {
  const { extra, manifest } = report;
  const inaccessible = extra.unreadableFolders.length;
  const sentences = [
    describeManifestFiles(report),
    describeUnlistedFiles(unlistedCount),
    describeExtraFiles(extra),
    manifest.problemCount > 0 ? l10n.t('Invalid manifest entries: {0}.', formatNumber(manifest.problemCount)) : '',
    inaccessible > 0 ? l10n.t('Inaccessible folders: {0}.', formatNumber(inaccessible)) : '',
  ];
  return sentences.filter(Boolean).join(' ');
}

function describeUnchanged(count: number): string {
  return plural(count, '{0} file verified: its hash matches.', 'All {0} files verified: all hashes match.');
}

function describeUnlistedFiles(count: number): string {
  if (count === 0) return '';
  return plural(count, "{0} requested file isn't in the manifest.", "{0} requested files aren't in the manifest.");
}

function describeExtraFiles({ paths, isTruncated }: ExtraFiles): string {
  const count = paths.length;
  if (count === 0) return '';
  return isTruncated
    ? plural(
        count,
        "More than {0} files in the folder aren't in the manifest.",
        "More than {0} files in the folder aren't in the manifest.",
      )
    : plural(count, "{0} file in the folder isn't in the manifest.", "{0} files in the folder aren't in the manifest.");
}

/** Describes the verification of the files that the manifest lists. */
function describeManifestFiles({ manifest, findings, intactCount }: VerificationReport): string {
  const total = manifest.files.length;
  if (total === 0) return l10n.t('The manifest lists no files.');
  if (intactCount === total) return describeUnchanged(total);
  const counts = new Map<OutcomeGroup, number>();
  for (const { outcome } of findings) {
    const group = getOutcomeGroup(outcome);
    if (group) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const clauses = outcomeGroups.flatMap((group) => {
    const count = counts.get(group) ?? 0;
    return count === 0 ? [] : [{ group, count }];
  });
  const texts = clauses.map(({ group, count }, index) =>
    describeGroup(group, count, index > 0 ? formatNumber(count) : formatShare(count, total)),
  );
  return l10n.t('{0}.', formatList(texts));
}

function formatShare(count: number, total: number): string {
  return count === total ? formatFileCount(count) : l10n.t('{0} of {1}', formatNumber(count), formatFileCount(total));
}

function describeGroup(group: OutcomeGroup, count: number, subject: string): string {
  const words: Readonly<Record<OutcomeGroup, string>> = {
    missing: plural(count, '{1} is missing', '{1} are missing', subject),
    changed: plural(count, '{1} has changed', '{1} have changed', subject),
    changing: plural(count, '{1} changed while being read', '{1} changed while being read', subject),
    unreadable: plural(count, "{1} couldn't be read", "{1} couldn't be read", subject),
    outsideFolder: plural(
      count,
      '{1} resolves to a path outside the folder',
      '{1} resolve to paths outside the folder',
      subject,
    ),
    notCompared: plural(
      count,
      "{1} couldn't be verified (no usable hash)",
      "{1} couldn't be verified (no usable hash)",
      subject,
    ),
  };
  return words[group];
}

/** Describes the last verification of a transfer and its time, such as "All 3 files verified (10:42 AM)." */
export function describePastVerification({ at, fileCount, intactCount }: PastVerification, now: number): string {
  const time = formatTime(at, now);
  if (fileCount === 0) return l10n.t('The manifest listed no files ({0}).', time);
  return intactCount === fileCount
    ? plural(fileCount, '{0} file verified ({1}).', 'All {0} files verified ({1}).', time)
    : plural(
        fileCount,
        '{1} of {0} file verified ({2}).',
        '{1} of {0} files verified ({2}).',
        formatNumber(intactCount),
        time,
      );
}

/** Lists the requested files that were not transferred. */
export function describeUntransferredFiles(files: readonly TransferFile[]): string {
  return l10n.t('Not transferred: {0}', formatNames(files.map(({ id, name }) => name || id)));
}

/** Describes the progress of a verification, such as "312 of 1,000 files, 1.2 GB of 4 GB". */
export function describeCheckProgress({
  checkedFileCount,
  fileCount,
  readBytes,
  sizeBytes,
}: VerificationProgress): string {
  const files = l10n.t('{0} of {1}', formatNumber(checkedFileCount), formatFileCount(fileCount));
  return sizeBytes === 0
    ? files
    : formatList([files, l10n.t('{0} of {1}', formatSize(readBytes), formatSize(sizeBytes))]);
}

/** Describes in a sentence why a manifest can't be used. */
export function describeManifestError({ kind, code }: ManifestError, file: string): string {
  const path = toPlainLine(file);
  const words: Readonly<Record<ManifestError['kind'], string>> = {
    missing: l10n.t('No manifest found at {0}.', path),
    unreadable: l10n.t('Could not read {0} ({1}).', path, code ?? ''),
    tooLarge: l10n.t('{0} is too large to read as a manifest.', path),
    notJson: l10n.t("{0} isn't a manifest: it isn't valid JSON.", path),
    notPackage: l10n.t("{0} isn't a manifest: it has no list of files.", path),
  };
  return words[kind];
}
