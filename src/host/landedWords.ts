import { l10n } from 'vscode';
import type { CheckProgress, LandedReport } from '../core/landed/landedCheck.ts';
import type { ExtraFiles } from '../core/landed/extraFiles.ts';
import type { FileOutcome } from '../core/landed/fileCheck.ts';
import type { ManifestFault } from '../core/landed/landedManifest.ts';
import { filesText, numberText, plainLine, sizeText } from './words.ts';

/** What people are told of a file apart from the others. */
export type OutcomeGroup = 'missing' | 'changed' | 'changing' | 'unreadable' | 'leadsOut' | 'notCompared';

/** The groups in the order of what matters most. */
export const outcomeGroups: readonly OutcomeGroup[] = [
  'missing',
  'changed',
  'changing',
  'unreadable',
  'leadsOut',
  'notCompared',
];

/** The group that an outcome belongs to; undefined for a file that is as it was sent. */
export function groupOf({ kind }: FileOutcome): OutcomeGroup | undefined {
  if (kind === 'asSent') return undefined;
  return kind === 'size' || kind === 'hash' ? 'changed' : kind;
}

/**
 * What a check has found, in a few sentences: "2 of 1,000 files are missing, 1 has changed." `notNamedCount` files were
 * asked for that the manifest does not name.
 */
export function outcomeText(report: LandedReport, notNamedCount: number): string {
  const { extra, manifest } = report;
  return [
    ownSentence(report),
    notNamedText(notNamedCount),
    extraText(extra),
    manifest.troubleCount > 0
      ? l10n.t('Entries of the manifest that make no sense: {0}.', numberText(manifest.troubleCount))
      : '',
    extra.closed.length > 0
      ? l10n.t('Folders that could not be looked into: {0}.', numberText(extra.closed.length))
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether a check has found nothing that a person should be warned of. */
export function isAllWell({ findings, manifest }: LandedReport, notNamedCount: number): boolean {
  return (
    notNamedCount === 0 &&
    manifest.troubleCount === 0 &&
    findings.every(({ outcome }) => outcome.kind === 'notCompared')
  );
}

function asSentText(count: number): string {
  return count === 1 ? l10n.t('1 file is as sent.') : l10n.t('{0} files are as sent.', numberText(count));
}

function notNamedText(count: number): string {
  if (count === 0) return '';
  return count === 1
    ? l10n.t('1 file that was asked for is not in the manifest.')
    : l10n.t('{0} files that were asked for are not in the manifest.', numberText(count));
}

function extraText({ paths, isCut }: ExtraFiles): string {
  const count = numberText(paths.length);
  if (paths.length === 0) return '';
  if (isCut) return l10n.t('More than {0} files in the folder are not in the manifest.', count);
  return paths.length === 1
    ? l10n.t('1 file in the folder is not in the manifest.')
    : l10n.t('{0} files in the folder are not in the manifest.', count);
}

/** The sentence on the files that the manifest names. */
function ownSentence({ manifest, findings, asSentCount }: LandedReport): string {
  const total = manifest.files.length;
  if (total === 0) return l10n.t('The manifest names no file.');
  if (asSentCount === total) return asSentText(total);
  const counts = new Map<OutcomeGroup, number>();
  for (const { outcome } of findings) {
    const group = groupOf(outcome);
    if (group) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const clauses = outcomeGroups.flatMap((group) => {
    const count = counts.get(group) ?? 0;
    return count === 0 ? [] : [{ group, count }];
  });
  const said = clauses.map(({ group, count }, index) =>
    clauseText(group, count, index > 0 ? numberText(count) : shareText(count, total)),
  );
  return `${said.join(', ')}.`;
}

function shareText(count: number, total: number): string {
  return count === total ? filesText(count) : l10n.t('{0} of {1}', numberText(count), filesText(total));
}

function clauseText(group: OutcomeGroup, count: number, subject: string): string {
  const isOne = count === 1;
  const words: Readonly<Record<OutcomeGroup, string>> = {
    missing: isOne ? l10n.t('{0} is missing', subject) : l10n.t('{0} are missing', subject),
    changed: isOne ? l10n.t('{0} has changed', subject) : l10n.t('{0} have changed', subject),
    changing: l10n.t('{0} changed while being read', subject),
    unreadable: l10n.t('{0} could not be read', subject),
    leadsOut: isOne ? l10n.t('{0} leads out of the folder', subject) : l10n.t('{0} lead out of the folder', subject),
    notCompared: l10n.t('{0} could not be compared, having no hash', subject),
  };
  return words[group];
}

/** How far a check has come: "312 of 1,000 files, 1.2 GB of 4 GB". */
export function checkProgressText({ checkedFileCount, fileCount, readBytes, sizeBytes }: CheckProgress): string {
  const files = l10n.t('{0} of {1}', numberText(checkedFileCount), filesText(fileCount));
  return sizeBytes === 0 ? files : `${files}, ${l10n.t('{0} of {1}', sizeText(readBytes), sizeText(sizeBytes))}`;
}

/** Why a manifest cannot be used, as a sentence. */
export function manifestFaultText({ kind, code }: ManifestFault, file: string): string {
  const path = plainLine(file);
  const words: Readonly<Record<ManifestFault['kind'], string>> = {
    missing: l10n.t('There is no manifest at {0}.', path),
    unreadable: l10n.t('Could not read {0} ({1}).', path, code ?? ''),
    tooLarge: l10n.t('{0} is too large to be read as a manifest.', path),
    notJson: l10n.t('{0} is not JSON, so it is no manifest.', path),
    notPackage: l10n.t('{0} is not a manifest: it has no list of files.', path),
  };
  return words[kind];
}
