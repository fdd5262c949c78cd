import { l10n } from 'vscode';
import type { MatchProgress } from '../../core/flows/tableMatchFlow.ts';
import type { Reason } from '../../core/model/reason.ts';
import type { MatchStatus } from '../../core/tables/matchResult.ts';
import type { MatchKey } from '../../core/tables/tableColumns.ts';
import { formatFileCount, formatList, formatNumber, plural } from './localeFormats.ts';
import { describeReason } from './reasonWords.ts';

/** Returns the name of a property of files by which a table is matched. */
export function describeMatchKey(key: MatchKey): string {
  if (key === 'id') return l10n.t('File IDs');
  return key === 'name' ? l10n.t('File names or paths') : l10n.t('Hashes');
}

/** Describes the progress of a match. */
export function describeMatchProgress({ unit, done, total }: MatchProgress): string {
  if (unit === 'files') return l10n.t('Compared {0}', formatFileCount(done));
  return l10n.t('{0} of {1}', formatNumber(done), formatNumber(total ?? done));
}

/** Summarizes a match: the number of rows by result. */
export function describeMatches(counts: Readonly<Record<MatchStatus, number>>): string {
  const { matched, several, notFound, empty, failed } = counts;
  const matchedText = plural(matched, '{0} row matched', '{0} rows matched');
  const others = [
    several > 0 ? plural(several, '{0} row has several matches', '{0} rows have several matches') : undefined,
    notFound > 0 ? plural(notFound, '{0} row not found', '{0} rows not found') : undefined,
    empty > 0 ? plural(empty, '{0} row without a value', '{0} rows without a value') : undefined,
    failed > 0 ? plural(failed, '{0} row not looked up', '{0} rows not looked up') : undefined,
  ];
  return l10n.t('{0}.', formatList([matchedText, ...others]));
}

/** Explains why rows were not looked up. */
export function describeMatchFailure(reason: Reason): string {
  return l10n.t('Some rows could not be looked up: {0}', describeReason(reason));
}

/** Warns about numbers of a spreadsheet that have too many digits. */
export function describeRounding(count: number): string {
  return plural(
    count,
    '{0} number in the file has more than 15 digits; the spreadsheet may have changed it. Format IDs as text.',
    '{0} numbers in the file have more than 15 digits; the spreadsheet may have changed them. Format IDs as text.',
  );
}
