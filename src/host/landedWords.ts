import { l10n } from 'vscode';
import type { CheckProgress, LandedReport } from '../core/landed/landedCheck.ts';
import type { ExtraFiles } from '../core/landed/extraFiles.ts';
import type { FileOutcome } from '../core/landed/fileCheck.ts';
import type { ManifestFault } from '../core/landed/landedManifest.ts';
import { filesText, listText, numberText, plainLine, plural, sizeText } from './words.ts';

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
  return plural(count, '{0} file is as sent.', '{0} files are as sent.');
}

function notNamedText(count: number): string {
  if (count === 0) return '';
  return plural(
    count,
    '{0} file that was asked for is not in the manifest.',
    '{0} files that were asked for are not in the manifest.',
  );
}

function extraText({ paths, isCut }: ExtraFiles): string {
  const count = paths.length;
  if (count === 0) return '';
  return isCut
    ? plural(
        count,
        'More than {0} file in the folder is not in the manifest.',
        'More than {0} files in the folder are not in the manifest.',
      )
    : plural(
        count,
        '{0} file in the folder is not in the manifest.',
        '{0} files in the folder are not in the manifest.',
      );
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
  return l10n.t('{0}.', listText(said));
}

function shareText(count: number, total: number): string {
  return count === total ? filesText(count) : l10n.t('{0} of {1}', numberText(count), filesText(total));
}

function clauseText(group: OutcomeGroup, count: number, subject: string): string {
  const words: Readonly<Record<OutcomeGroup, string>> = {
    missing: plural(count, '{1} is missing', '{1} are missing', subject),
    changed: plural(count, '{1} has changed', '{1} have changed', subject),
    changing: plural(count, '{1} changed while being read', '{1} changed while being read', subject),
    unreadable: plural(count, '{1} could not be read', '{1} could not be read', subject),
    leadsOut: plural(count, '{1} leads out of the folder', '{1} lead out of the folder', subject),
    notCompared: plural(
      count,
      '{1} could not be compared, having no hash',
      '{1} could not be compared, having no hash',
      subject,
    ),
  };
  return words[group];
}

/** How far a check has come: "312 of 1,000 files, 1.2 GB of 4 GB". */
export function checkProgressText({ checkedFileCount, fileCount, readBytes, sizeBytes }: CheckProgress): string {
  const files = l10n.t('{0} of {1}', numberText(checkedFileCount), filesText(fileCount));
  return sizeBytes === 0 ? files : listText([files, l10n.t('{0} of {1}', sizeText(readBytes), sizeText(sizeBytes))]);
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
