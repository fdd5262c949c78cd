import { env, l10n } from 'vscode';
import type { KnownCopies } from '../../core/flows/duplicateFlow.ts';
import { formatFileCount, formatList, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';
import { getDatabaseLabel } from './searchWords.ts';

/** The files in a planned submission that don't need to be sent. */
interface SummarizedCopies extends KnownCopies {
  readonly fileCount: number;
  /** Name of the destination. */
  readonly destination: string;
  /** Number of files that are identical to a file taken from another source of the same submission. */
  readonly repeatedCount: number;
}

/**
 * Returns a sentence for each reason that files don't need to be sent. Returns an empty list if all need to be sent.
 */
export function createCopyLines(copies: SummarizedCopies): readonly string[] {
  const { atDestination, received, repeatedCount, destination } = copies;
  return [
    atDestination.size > 0 ? describeAtDestination(copies) : '',
    received.size > 0 ? describeReceived([...received.values()], toPlainLine(destination)) : '',
    repeatedCount > 0 ? describeRepeated(repeatedCount) : '',
  ].filter(Boolean);
}

/** Returns the label of the button that leaves out `count` files. */
export function formatLeaveOutLabel(count: number): string {
  return plural(count, 'Leave Out {0} File', 'Leave Out {0} Files');
}

/**
 * Names the databases that also have a file, for its row, such as "also in A, B and 3 more". Returns an empty string if
 * there are none.
 */
export function formatAlsoIn(databases: readonly string[]): string {
  return databases.length === 0 ? '' : l10n.t('also in {0}', formatDatabases(databases, 2));
}

/** Names the databases that also have a file, for the file's tooltip. */
export function formatDatabases(databases: readonly string[], limit = 10): string {
  const names = formatList(databases.slice(0, limit).map(getDatabaseLabel));
  const rest = databases.length - limit;
  return rest > 0 ? plural(rest, '{1} and {0} more', '{1} and {0} more', names) : names;
}

function describeAtDestination({ atDestination, isComplete, fileCount, destination }: SummarizedCopies): string {
  const [count, name] = [atDestination.size, toPlainLine(destination)];
  if (count === fileCount)
    return plural(count, 'This file is already in {1}.', 'All of these files are already in {1}.', name);
  return isComplete ? describeCount(count, name) : describeLeastCount(count, name);
}

function describeCount(count: number, name: string): string {
  return plural(count, '{0} of these files is already in {1}.', '{0} of these files are already in {1}.', name);
}

function describeLeastCount(count: number, name: string): string {
  return plural(
    count,
    'At least {0} of these files is already in {1}.',
    'At least {0} of these files are already in {1}.',
    name,
  );
}

function describeReceived(times: readonly number[], destination: string): string {
  const dayFormat = new Intl.DateTimeFormat(env.language, { dateStyle: 'long' });
  const days = [...new Set(times)].sort((one, other) => one - other).map((at) => dayFormat.format(at));
  const [files, last] = [formatFileCount(times.length), days.at(-1) ?? ''];
  return new Set(days).size === 1
    ? l10n.t('Previously transferred to {1} on {2}: {0}.', files, destination, last)
    : l10n.t('Previously transferred to {1}, most recently on {2}: {0}.', files, destination, last);
}

function describeRepeated(count: number): string {
  return plural(
    count,
    '{0} of these files is identical to a file from another source.',
    '{0} of these files are identical to files from another source.',
  );
}
