import { l10n } from 'vscode';
import type { Transfer, TransferFile } from '../../core/model/transferModel.ts';
import { describeEmptyManifest, describeForeignManifest as describeForeign } from '../../core/words/sharedSentences.ts';
import type { PastVerification } from '../../core/verification/pastVerification.ts';
import type { GridColumn } from '../../core/search/tableRows.ts';
import {
  limitIntactRows,
  type ReportRow,
  type ReportTable,
  type RowState,
} from '../../core/verification/reportRows.ts';
import type { ManifestError, ManifestFile, ManifestProblem } from '../../core/verification/transferManifest.ts';
import {
  isVerified,
  type ExtraFiles,
  type FileOutcome,
  type VerificationProgress,
  type VerificationReport,
} from '../../core/verification/verification.ts';
import { toShortLine } from '../../core/util/visibleText.ts';
import {
  formatFileCount,
  formatList,
  formatNames,
  formatNumber,
  formatSize,
  formatTime,
  plural,
} from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import { describeUnlistedFiles } from './sharedLabels.ts';

type OutcomeGroup = 'missing' | 'changed' | 'changing' | 'unreadable' | 'outsideFolder' | 'notCompared';

/** All groups, most serious first. */
const outcomeGroups: readonly OutcomeGroup[] = [
  'missing',
  'changed',
  'changing',
  'unreadable',
  'outsideFolder',
  'notCompared',
];

/** Returns the group that an outcome belongs to. Returns undefined for an intact file. */
function getOutcomeGroup({ kind }: FileOutcome): OutcomeGroup | undefined {
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
    unlistedCount === 0 ? '' : describeUnlistedFiles(unlistedCount),
    describeExtraFiles(extra),
    manifest.problemCount > 0 ? l10n.t('Invalid manifest entries: {0}.', formatNumber(manifest.problemCount)) : '',
    inaccessible > 0 ? l10n.t('Inaccessible folders: {0}.', formatNumber(inaccessible)) : '',
  ];
  return sentences.filter(Boolean).join(' ');
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

function describeManifestFiles({ manifest, findings, intactCount }: VerificationReport): string {
  const total = manifest.files.length;
  if (total === 0) return describeEmptyManifest(l10n);
  if (intactCount === total)
    return plural(total, '{0} file verified: its hash matches.', 'All {0} files verified: all hashes match.');
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

interface ReportFacts {
  /** The transfer that wrote the files, if known. */
  readonly transfer?: Transfer;
  /** Requested files that the manifest doesn't list. */
  readonly notNamed: readonly TransferFile[];
  /** End time of the verification, in milliseconds since 1970. */
  readonly at: number;
}

type TextRow = readonly [subject: string, ...details: readonly string[]];

interface Section {
  readonly rows: readonly ReportRow[];
  /** True if there are more rows than these. */
  readonly isTruncated?: boolean;
}

const maxPathLength = 4_000;
const maxColumnWidth = 60;

/**
 * Formats a verification as plain text: the transfer, the counts, and each file with a difference or a problem. Removes
 * control characters from the manifest's text.
 */
export function formatReport(report: VerificationReport, facts: ReportFacts): string {
  const { manifest, intactCount, findings } = report;
  const counts: TextRow[] = [
    [l10n.t('Files in the manifest'), formatNumber(manifest.files.length)],
    [l10n.t('Verified'), formatNumber(intactCount)],
    ...outcomeGroups.flatMap((group): TextRow[] => {
      const count = findings.filter(({ outcome }) => getOutcomeGroup(outcome) === group).length;
      return count === 0 ? [] : [[getStateTitle(group), formatNumber(count)]];
    }),
  ];
  const head = [
    describeVerification(report, facts.notNamed.length),
    '',
    ...alignColumns(createFactRows(report, facts)),
    '',
    ...alignColumns(counts),
  ];
  const sections = listSections(report, facts.notNamed).map(formatSection);
  return `${[head.join('\n'), ...sections.filter(Boolean)].join('\n\n')}\n`;
}

/** Returns a verification as a table: each file with a difference or a problem, and the first of the intact files. */
export function createReportTable(report: VerificationReport, facts: ReportFacts): ReportTable {
  const { manifest, findings } = report;
  const { transfer, notNamed, at } = facts;
  const differing = new Set(findings.map(({ file }) => file));
  const intact = manifest.files
    .filter((file) => !differing.has(file))
    .map((file): ReportRow => createFileRow('intact', file));
  const listed = limitIntactRows(intact);
  const folder = toReportLine(manifest.file.split(/[\\/]/).at(-2) ?? '');
  const places = transfer && `${toReportLine(transfer.order.source)} → ${toReportLine(transfer.order.destination)}`;
  return {
    title: l10n.t('Verification: {0}', transfer ? toReportLine(transfer.order.destination) : folder),
    summary: describeVerification(report, notNamed.length),
    isVerified: isVerified(report, notNamed.length),
    subject: [places ?? folder, formatTime(at, 0)].join(' · '),
    manifest: manifest.file,
    rows: [...listSections(report, notNamed).flatMap(({ rows }) => rows), ...listed],
    omittedCount: intact.length - listed.length,
  };
}

function listSections(report: VerificationReport, notNamed: readonly TransferFile[]): readonly Section[] {
  const { manifest, findings, extra } = report;
  return [
    ...outcomeGroups.map((group) => {
      const found = findings.filter(({ outcome }) => getOutcomeGroup(outcome) === group);
      return { rows: found.map(({ file, outcome }) => createFileRow(group, file, describeOutcome(outcome))) };
    }),
    { rows: notNamed.map(({ id, name }) => createRow('unlisted', name, toReportLine(id))) },
    { rows: extra.paths.map((path) => createRow('extra', path)), isTruncated: extra.isTruncated },
    { rows: extra.unreadableFolders.map(({ path, code }) => createRow('unreadableFolder', path, code)) },
    {
      rows: manifest.problems.map(createManifestErrorRow),
      isTruncated: manifest.problems.length < manifest.problemCount,
    },
  ];
}

function createRow(state: RowState, text: string, detail?: string): ReportRow {
  return { state, subject: toReportLine(text), ...(detail !== undefined && { detail }) };
}

function createFileRow(state: RowState, { path, sizeBytes }: ManifestFile, detail?: string): ReportRow {
  return { ...createRow(state, path, detail), ...(sizeBytes !== undefined && { sizeBytes }) };
}

/** Returns the columns of the table of a verification. */
export function createReportColumns(): readonly GridColumn<ReportRow>[] {
  return [
    createTextColumn('path', l10n.t('File'), ({ subject }) => subject),
    createTextColumn('result', l10n.t('Result'), ({ state }) => getRowTitle(state)),
    createTextColumn('details', l10n.t('Details'), ({ detail }) => detail),
    { id: 'size', label: l10n.t('Size'), kind: 'size', presence: 'known', read: ({ sizeBytes }) => sizeBytes },
  ];
}

function createTextColumn(
  id: string,
  label: string,
  read: (row: ReportRow) => string | undefined,
): GridColumn<ReportRow> {
  return { id, label, kind: 'text', presence: 'known', read };
}

function createFactRows({ manifest }: VerificationReport, { transfer, at }: ReportFacts): readonly TextRow[] {
  const rows: readonly TextRow[] = [
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

function describeOutcome(outcome: FileOutcome): string | undefined {
  if (outcome.kind === 'size') {
    return l10n.t('size: {0} bytes, expected {1}', formatNumber(outcome.found), formatNumber(outcome.stated));
  }
  if (outcome.kind === 'hash') {
    return l10n.t('{0}: {1}, expected {2}', outcome.algorithm, outcome.found, outcome.stated);
  }
  return outcome.kind === 'unreadable' ? describeUnreadable(outcome.code) : undefined;
}

function describeUnreadable(code: string): string {
  if (code === 'EISDIR') return l10n.t('is a folder, not a file');
  if (code === 'EINVAL') return l10n.t("isn't a regular file");
  if (code === 'EACCES' || code === 'EPERM') return l10n.t('permission denied ({0})', code);
  return code;
}

function createManifestErrorRow({ kind, position, path, field }: ManifestProblem): ReportRow {
  const words: Readonly<Record<ManifestProblem['kind'], string>> = {
    notObject: l10n.t("isn't an object"),
    noPath: l10n.t('has no path'),
    outsideFolder: l10n.t('its path points outside the folder; not checked'),
    remote: l10n.t('is a URL, not a file in the folder'),
    repeated: l10n.t('its path occurs more than once'),
    wrongType: l10n.t('its {0} has the wrong type', field ?? ''),
  };
  const name = l10n.t('entry {0}', formatNumber(position + 1));
  return createRow('invalidEntry', path === undefined ? name : l10n.t('{0}: {1}', name, path), words[kind]);
}

function getRowTitle(state: RowState): string {
  if (state === 'unreadableFolder') return l10n.t('Inaccessible folder');
  return state === 'invalidEntry' ? l10n.t('Invalid manifest entry') : getStateTitle(state);
}

function getStateTitle(state: RowState): string {
  const titles: Readonly<Record<RowState, string>> = {
    missing: l10n.t('Missing'),
    changed: l10n.t('Changed'),
    changing: l10n.t('Changed while being read'),
    unreadable: l10n.t('Could not be read'),
    outsideFolder: l10n.t('Skipped: link points outside the folder'),
    notCompared: l10n.t('Not verified: no usable hash in the manifest'),
    unlisted: l10n.t('Requested, but not in the manifest'),
    extra: l10n.t('In the folder, but not in the manifest'),
    unreadableFolder: l10n.t('Inaccessible folders'),
    invalidEntry: l10n.t('Invalid manifest entries'),
    intact: l10n.t('Verified'),
  };
  return titles[state];
}

function formatSection({ rows, isTruncated = false }: Section): string {
  const [first] = rows;
  if (!first) return '';
  const title = getStateTitle(first.state);
  const more = isTruncated ? [`  ${l10n.t('and more')}`] : [];
  return [
    `${title} (${isTruncated ? l10n.t('more than {0}', formatNumber(rows.length)) : formatNumber(rows.length)})`,
    ...alignColumns(rows.map(toTextRow)).map((row) => `  ${row}`),
    ...more,
  ].join('\n');
}

function toTextRow({ subject, detail }: ReportRow): TextRow {
  return detail === undefined ? [subject] : [subject, detail];
}

function alignColumns(rows: readonly TextRow[]): readonly string[] {
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
  return toShortLine(text, maxPathLength);
}

/** Describes a manifest that belongs to another transfer. */
export function describeForeignManifest(file: string): string {
  return describeForeign(l10n, toPlainLine(file));
}

/** Says that a report isn't stored any more. */
export function describeLostReport(): string {
  return l10n.t('This report is no longer available. Verify the files again.');
}

/** Says that a report has too many rows for a table. */
export function describeLongReport(): string {
  return l10n.t('This report is too long to be shown as a table again. Verify the files again.');
}

/** States how many verified files a report doesn't list. */
export function describeOmittedFiles(count: number): string {
  return plural(count, '{0} more verified file is not listed.', '{0} more verified files are not listed.');
}
