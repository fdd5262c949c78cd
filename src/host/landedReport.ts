import { l10n } from 'vscode';
import type { FileOutcome } from '../core/landed/fileCheck.ts';
import type { LandedReport } from '../core/landed/landedCheck.ts';
import type { ManifestTrouble } from '../core/landed/landedManifest.ts';
import type { Transfer, TransferFile } from '../core/model/transfer.ts';
import { groupOf, outcomeGroups, outcomeText, type OutcomeGroup } from './landedWords.ts';
import { numberText, plainPart, timeText } from './words.ts';

/** What a report says besides what was found. */
export interface ReportFacts {
  /** The transfer that landed, where it is known. */
  readonly transfer?: Transfer;
  /** Files that were asked for and that the manifest does not name. */
  readonly notNamed: readonly TransferFile[];
  /** When the check ended, in milliseconds since 1970. */
  readonly at: number;
}

type Row = readonly [subject: string, ...details: readonly string[]];

const longestPath = 4_000;
const widestColumn = 60;

/**
 * The report of a check, as plain text that can be read line by line: what was checked, how many files are how, and each
 * file that is not as it was sent. What the manifest says stands in it as text without marks of control.
 */
export function reportText(report: LandedReport, facts: ReportFacts): string {
  const { manifest, asSentCount, extra } = report;
  const { notNamed } = facts;
  const groups = outcomeGroups.map((group) => ({ group, rows: rowsOf(report, group) }));
  const sections = [
    ...groups.map(({ group, rows }) => section(groupTitle(group), rows)),
    section(
      l10n.t('Asked for, but not in the manifest'),
      notNamed.map(({ id, name }) => [line(name), line(id)]),
    ),
    section(
      l10n.t('In the folder, but not in the manifest'),
      extra.paths.map((path) => [line(path)]),
      extra.isCut,
    ),
    section(
      l10n.t('Folders that could not be looked into'),
      extra.closed.map(({ path, code }) => [line(path), code]),
    ),
    section(
      l10n.t('Entries of the manifest that make no sense'),
      manifest.troubles.map(troubleRow),
      manifest.troubles.length < manifest.troubleCount,
    ),
  ];
  const counts: Row[] = [
    [l10n.t('Files in the manifest'), numberText(manifest.files.length)],
    [l10n.t('As sent'), numberText(asSentCount)],
    ...groups.flatMap(({ group, rows }): Row[] =>
      rows.length === 0 ? [] : [[groupTitle(group), numberText(rows.length)]],
    ),
  ];
  const head = [outcomeText(report, notNamed.length), '', ...columns(factRows(report, facts)), '', ...columns(counts)];
  return `${[head.join('\n'), ...sections.filter(Boolean)].join('\n\n')}\n`;
}

function factRows({ manifest }: LandedReport, { transfer, at }: ReportFacts): readonly Row[] {
  const rows: readonly Row[] = [
    ...(transfer
      ? ([
          [l10n.t('Transfer'), line(transfer.id ?? '')],
          [l10n.t('From'), line(transfer.order.source)],
          [l10n.t('To'), line(transfer.order.destination)],
        ] as const)
      : []),
    [l10n.t('Manifest'), line(manifest.file)],
    ...(manifest.created === undefined ? [] : [[l10n.t('Written'), line(manifest.created)] as const]),
    // Without a day to compare it with, the time has its date.
    [l10n.t('Checked'), timeText(at, 0)],
  ];
  return rows.filter(([, value]) => value !== '');
}

function rowsOf({ findings }: LandedReport, group: OutcomeGroup): readonly Row[] {
  return findings
    .filter(({ outcome }) => groupOf(outcome) === group)
    .map(({ file, outcome }) => [line(file.path), ...outcomeDetails(outcome)]);
}

function outcomeDetails(outcome: FileOutcome): readonly string[] {
  if (outcome.kind === 'size') {
    return [l10n.t('size: {0} instead of {1} bytes', numberText(outcome.found), numberText(outcome.stated))];
  }
  if (outcome.kind === 'hash') {
    return [l10n.t('{0} is {1} instead of {2}', outcome.algorithm, outcome.found, outcome.stated)];
  }
  return outcome.kind === 'unreadable' ? [unreadableText(outcome.code)] : [];
}

function unreadableText(code: string): string {
  if (code === 'EISDIR') return l10n.t('there is a folder in its place');
  if (code === 'EINVAL') return l10n.t('it is no ordinary file');
  if (code === 'EACCES' || code === 'EPERM') return l10n.t('permission denied ({0})', code);
  return code;
}

function troubleRow({ kind, position, path, field }: ManifestTrouble): Row {
  const words: Readonly<Record<ManifestTrouble['kind'], string>> = {
    noObject: l10n.t('it is no object'),
    noPath: l10n.t('it has no path'),
    leadsOut: l10n.t('its path leads out of the folder; nothing there was looked at'),
    elsewhere: l10n.t('it is not in the folder but elsewhere on the network'),
    repeated: l10n.t('its path was named before'),
    wrongType: l10n.t('its {0} is not of the right type', field ?? ''),
  };
  const name = l10n.t('entry {0}', numberText(position + 1));
  return [path === undefined ? name : l10n.t('{0}: {1}', name, line(path)), words[kind]];
}

function groupTitle(group: OutcomeGroup): string {
  const titles: Readonly<Record<OutcomeGroup, string>> = {
    missing: l10n.t('Missing'),
    changed: l10n.t('Changed'),
    changing: l10n.t('Changed while being read'),
    unreadable: l10n.t('Could not be read'),
    leadsOut: l10n.t('Leads out of the folder through a link; not read'),
    notCompared: l10n.t('Could not be compared: the manifest has no hash that can be checked'),
  };
  return titles[group];
}

function section(title: string, rows: readonly Row[], isCut = false): string {
  if (rows.length === 0) return '';
  const more = isCut ? [`  ${l10n.t('and more')}`] : [];
  return [`${title} (${countText(rows.length, isCut)})`, ...columns(rows).map((row) => `  ${row}`), ...more].join('\n');
}

function countText(count: number, isCut: boolean): string {
  return isCut ? l10n.t('more than {0}', numberText(count)) : numberText(count);
}

/** Rows with their second column under each other, as far as the first is not very wide. */
function columns(rows: readonly Row[]): readonly string[] {
  const widths = rows.flatMap(([subject, ...details]) => (details.length > 0 ? [subject.length] : []));
  const width = Math.min(
    widestColumn,
    widths.reduce((widest, one) => Math.max(widest, one), 0),
  );
  return rows.map(([subject, ...details]) =>
    [details.length > 0 ? subject.padEnd(width) : subject, ...details].join('  '),
  );
}

function line(text: string): string {
  return plainPart(text, longestPath);
}
