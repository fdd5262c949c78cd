import { l10n } from 'vscode';
import type { FileOutcome, VerificationReport } from '../../core/verification/verification.ts';
import type { ManifestProblem } from '../../core/verification/transferManifest.ts';
import type { Transfer, TransferFile } from '../../core/model/transferModel.ts';
import { getOutcomeGroup, outcomeGroups, describeVerification, type OutcomeGroup } from './verificationWords.ts';
import { formatNumber, formatTime } from './localeFormats.ts';
import { toPlainText } from './plainText.ts';

/** Facts for the report on a verification. */
interface ReportFacts {
  /** The transfer that wrote the files, if known. */
  readonly transfer?: Transfer;
  /** Requested files that the manifest doesn't list. */
  readonly notNamed: readonly TransferFile[];
  /** End time of the verification, in milliseconds since 1970. */
  readonly at: number;
}

type Row = readonly [subject: string, ...details: readonly string[]];

const maxPathLength = 4_000;
const maxColumnWidth = 60;

/**
 * Formats a verification as plain text: the transfer, the counts, and each file with a difference or a problem. Removes
 * control characters from the manifest's text.
 */
export function formatReport(report: VerificationReport, facts: ReportFacts): string {
  const { manifest, intactCount, extra } = report;
  const { notNamed } = facts;
  const groups = outcomeGroups.map((group) => ({ group, rows: createOutcomeRows(report, group) }));
  const sections = [
    ...groups.map(({ group, rows }) => formatSection(getGroupTitle(group), rows)),
    formatSection(
      l10n.t('Requested, but not in the manifest'),
      notNamed.map(({ id, name }) => [toReportLine(name), toReportLine(id)]),
    ),
    formatSection(
      l10n.t('In the folder, but not in the manifest'),
      extra.paths.map((path) => [toReportLine(path)]),
      extra.isTruncated,
    ),
    formatSection(
      l10n.t('Inaccessible folders'),
      extra.unreadableFolders.map(({ path, code }) => [toReportLine(path), code]),
    ),
    formatSection(
      l10n.t('Invalid manifest entries'),
      manifest.problems.map(createManifestErrorRow),
      manifest.problems.length < manifest.problemCount,
    ),
  ];
  const counts: Row[] = [
    [l10n.t('Files in the manifest'), formatNumber(manifest.files.length)],
    [l10n.t('Verified'), formatNumber(intactCount)],
    ...groups.flatMap(({ group, rows }): Row[] =>
      rows.length === 0 ? [] : [[getGroupTitle(group), formatNumber(rows.length)]],
    ),
  ];
  const head = [
    describeVerification(report, notNamed.length),
    '',
    ...alignColumns(createFactRows(report, facts)),
    '',
    ...alignColumns(counts),
  ];
  return `${[head.join('\n'), ...sections.filter(Boolean)].join('\n\n')}\n`;
}

function createFactRows({ manifest }: VerificationReport, { transfer, at }: ReportFacts): readonly Row[] {
  const rows: readonly Row[] = [
    ...(transfer
      ? ([
          [l10n.t('Transfer'), toReportLine(transfer.id ?? '')],
          [l10n.t('From'), toReportLine(transfer.order.source)],
          [l10n.t('To'), toReportLine(transfer.order.destination)],
        ] as const)
      : []),
    [l10n.t('Manifest'), toReportLine(manifest.file)],
    ...(manifest.created === undefined
      ? []
      : [[l10n.t('Manifest written on'), toReportLine(manifest.created)] as const]),
    // Formatted relative to 1970, so that the date is included.
    [l10n.t('Verified on'), formatTime(at, 0)],
  ];
  return rows.filter(([, value]) => value !== '');
}

function createOutcomeRows({ findings }: VerificationReport, group: OutcomeGroup): readonly Row[] {
  return findings
    .filter(({ outcome }) => getOutcomeGroup(outcome) === group)
    .map(({ file, outcome }) => [toReportLine(file.path), ...describeOutcome(outcome)]);
}

function describeOutcome(outcome: FileOutcome): readonly string[] {
  if (outcome.kind === 'size') {
    return [l10n.t('size: {0} bytes, expected {1}', formatNumber(outcome.found), formatNumber(outcome.stated))];
  }
  if (outcome.kind === 'hash') {
    return [l10n.t('{0}: {1}, expected {2}', outcome.algorithm, outcome.found, outcome.stated)];
  }
  return outcome.kind === 'unreadable' ? [describeUnreadable(outcome.code)] : [];
}

function describeUnreadable(code: string): string {
  if (code === 'EISDIR') return l10n.t('is a folder, not a file');
  if (code === 'EINVAL') return l10n.t("isn't a regular file");
  if (code === 'EACCES' || code === 'EPERM') return l10n.t('permission denied ({0})', code);
  return code;
}

function createManifestErrorRow({ kind, position, path, field }: ManifestProblem): Row {
  const words: Readonly<Record<ManifestProblem['kind'], string>> = {
    notObject: l10n.t("isn't an object"),
    noPath: l10n.t('has no path'),
    outsideFolder: l10n.t('its path points outside the folder; not checked'),
    remote: l10n.t('is a URL, not a file in the folder'),
    repeated: l10n.t('its path occurs more than once'),
    wrongType: l10n.t('its {0} has the wrong type', field ?? ''),
  };
  const name = l10n.t('entry {0}', formatNumber(position + 1));
  return [path === undefined ? name : l10n.t('{0}: {1}', name, toReportLine(path)), words[kind]];
}

function getGroupTitle(group: OutcomeGroup): string {
  const titles: Readonly<Record<OutcomeGroup, string>> = {
    missing: l10n.t('Missing'),
    changed: l10n.t('Changed'),
    changing: l10n.t('Changed while being read'),
    unreadable: l10n.t('Could not be read'),
    outsideFolder: l10n.t('Skipped: link points outside the folder'),
    notCompared: l10n.t('Not verified: no usable hash in the manifest'),
  };
  return titles[group];
}

function formatSection(title: string, rows: readonly Row[], isTruncated = false): string {
  if (rows.length === 0) return '';
  const more = isTruncated ? [`  ${l10n.t('and more')}`] : [];
  return [
    `${title} (${formatCount(rows.length, isTruncated)})`,
    ...alignColumns(rows).map((row) => `  ${row}`),
    ...more,
  ].join('\n');
}

function formatCount(count: number, isTruncated: boolean): string {
  return isTruncated ? l10n.t('more than {0}', formatNumber(count)) : formatNumber(count);
}

/** Aligns the second column of rows. Limits the width of the first column. */
function alignColumns(rows: readonly Row[]): readonly string[] {
  const widths = rows.flatMap(([subject, ...details]) => (details.length > 0 ? [subject.length] : []));
  const width = Math.min(
    maxColumnWidth,
    widths.reduce((widest, one) => Math.max(widest, one), 0),
  );
  return rows.map(([subject, ...details]) =>
    [details.length > 0 ? subject.padEnd(width) : subject, ...details].join('  '),
  );
}

function toReportLine(text: string): string {
  return toPlainText(text, maxPathLength);
}
