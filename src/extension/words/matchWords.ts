import { l10n } from 'vscode';
import type { MatchProgress } from '../../core/search/tableMatchFlow.ts';
import type { Reason } from '../../core/model/reason.ts';
import { maxListedMatches, type MatchGap, type SkippedFiles } from '../../core/tables/matchIndex.ts';
import type { MatchedTable, MatchStatus, RowDoubt, RowMatch } from '../../core/tables/rowMatch.ts';
import type { MatchKey, TableColumn } from '../../core/tables/tableColumns.ts';
import type { TableError } from '../../core/tables/tableError.ts';
import { describeDoubts, describeTableError as describeError } from '../../core/words/tableSentences.ts';
import { formatFileCount, formatList, formatNumber, formatSize, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import { describeReason } from './reasonWords.ts';
import { describeListingInSentence } from './serviceNames.ts';

/** Returns the name of a column, or a label with its number if it has no name. */
export function describeColumn({ header, index }: TableColumn, hasHeader: boolean): string {
  return (hasHeader && toPlainLine(header)) || l10n.t('Column {0}', formatNumber(index + 1));
}

/** Returns the name of the file property by which table rows are matched. */
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
export function describeMatches(counts: Readonly<Partial<Record<MatchStatus, number>>>): string {
  const { matched = 0, several = 0, notFound = 0, empty = 0, incomplete = 0, failed = 0 } = counts;
  const { rounded = 0, formatted = 0, noValue = 0, longRow = 0, joinedRow = 0, noHash = 0 } = counts;
  const doubtful = rounded + formatted + noValue + longRow + joinedRow + noHash;
  const matchedText = plural(matched, '{0} row matched', '{0} rows matched');
  const others = [
    several > 0 ? plural(several, '{0} row has multiple matches', '{0} rows have multiple matches') : undefined,
    doubtful > 0 ? plural(doubtful, '{0} row is in doubt', '{0} rows are in doubt') : undefined,
    notFound > 0 ? plural(notFound, '{0} row has no match', '{0} rows have no match') : undefined,
    empty > 0 ? plural(empty, '{0} row has no value', '{0} rows have no value') : undefined,
    incomplete > 0 ? plural(incomplete, "{0} row wasn't fully compared", "{0} rows weren't fully compared") : undefined,
    failed > 0 ? plural(failed, "{0} row wasn't looked up", "{0} rows weren't looked up") : undefined,
  ];
  return l10n.t('{0}.', formatList([matchedText, ...others]));
}

/** Returns the result for a row as words. */
export function describeRowMatch({ status, isPartial }: RowMatch): string {
  const words: Readonly<Record<MatchStatus, string>> = {
    matched: l10n.t('Matched'),
    several: l10n.t('Multiple matches'),
    longRow: l10n.t('Cells beyond the header'),
    joinedRow: l10n.t('Possibly joined by a quote'),
    noValue: l10n.t('Formula without stored value'),
    rounded: l10n.t('Rounded number'),
    formatted: l10n.t('Number displayed differently'),
    noHash: l10n.t('Not among the known hashes'),
    notFound: l10n.t('Not found'),
    empty: l10n.t('No value'),
    incomplete: l10n.t('Only partly compared'),
    failed: l10n.t("Couldn't be looked up"),
  };
  return isPartial ? l10n.t('Matched by end of path') : words[status];
}

/**
 * Lists the limitations of a result, such as values that were not looked up, and the rows in doubt. Those without a
 * value and with several matches are only in the table.
 */
export function describeMatchLimits({ index, rows }: MatchedTable): readonly string[] {
  const [failure] = index.gaps.flatMap((gap) => (gap.kind === 'failed' ? [gap.reason] : []));
  const doubts = rows.flatMap(({ doubt }) => doubt ?? []).filter(({ kind }) => kind !== 'empty' && kind !== 'several');
  return [
    failure && describeMatchFailure(failure),
    describeListingInSentence(index.listing),
    describeLongValues(index.gaps),
    describeTruncation(index.gaps),
    describeSkippedFiles(index.skippedFiles),
    index.shortenedCount > 0 ? describeShortening(index.shortenedCount) : undefined,
    doubts.length > 0 ? describeRowsInDoubt(doubts) : undefined,
  ].filter((text) => text !== undefined);
}

/** Says which part of a large result its table shows. Returns undefined if that is all. */
export function describeShownPart(hasMoreRows: boolean, hasMoreColumns: boolean): string | undefined {
  if (!hasMoreRows && !hasMoreColumns) return undefined;
  return l10n.t('The table is too large to show all of it. Save it to get the rest.');
}

function describeMatchFailure(reason: Reason): string {
  return l10n.t("Some rows couldn't be looked up: {0}", describeReason(reason));
}

function describeLongValues(gaps: readonly MatchGap[]): string | undefined {
  const count = gaps.filter(({ kind }) => kind === 'tooLong').length;
  if (count === 0) return undefined;
  return plural(count, '{0} value is too long to look up.', '{0} values are too long to look up.');
}

function describeTruncation(gaps: readonly MatchGap[]): string | undefined {
  const compared = gaps.flatMap((gap) => (gap.kind === 'truncated' ? [gap.comparedCount] : []));
  if (compared.length === 0) return undefined;
  return plural(
    compared.length,
    'For {0} value, only the first {1} search results were compared.',
    'For {0} values, only the first {1} search results were compared.',
    formatNumber(Math.min(...compared)),
  );
}

/** States which files were not compared, one sentence for each reason. Returns undefined if there are none. */
export function describeSkippedFiles(skipped: readonly SkippedFiles[]): string | undefined {
  const reasons = [...new Set(skipped.map(({ reason }) => describeReason(reason)))];
  const sentences = reasons.map((text) => {
    const files = skipped.filter(({ reason }) => describeReason(reason) === text);
    return l10n.t('Files not compared ({0}): {1}.', text, listSkippedFiles(files));
  });
  if (sentences.length === 0) return undefined;
  return [...sentences, l10n.t('File numbers are positions in the list of all files in the database.')].join(' ');
}

/** Lists the first skipped files, the number of others, and any open range such as "file 12 onward". */
function listSkippedFiles(skipped: readonly SkippedFiles[]): string {
  const ranges = skipped.filter(({ count }) => count === undefined);
  const files = skipped.filter(({ count }) => count !== undefined);
  const named = files.slice(0, Math.max(0, maxNamed - ranges.length));
  const restCount = files.length - named.length;
  const rest = restCount > 0 ? [plural(restCount, '{0} other', '{0} others')] : [];
  return formatList([...named.map(describeRange), ...rest, ...ranges.map(describeRange)]);
}

function describeRange({ start, count }: SkippedFiles): string {
  const position = formatNumber(start + 1);
  return count === undefined ? l10n.t('file {0} onward', position) : l10n.t('file {0}', position);
}

function describeShortening(count: number): string {
  return plural(
    count,
    '{0} value has more than {1} matches; the table lists the first {1}.',
    '{0} values have more than {1} matches each; the table lists the first {1}.',
    formatNumber(maxListedMatches),
  );
}

const maxNamed = 5;

/** Lists the rows of a matched table that need a second look. */
export function describeRowsInDoubt(doubts: readonly RowDoubt[]): string {
  return describeDoubts({ l10n, toPlainLine }, doubts);
}

/** Explains why a file can't be read as a table. */
export function describeTableError(error: TableError, name: string): string {
  return describeError({ l10n, toPlainLine, formatNumber, formatSize }, error, name);
}
