import { fileStates, type FileState } from '../util/fileStates.ts';
import type { FileCounts, FileProgress } from '../model/fileProgress.ts';
import type { Translator } from './sharedSentences.ts';

interface CountWording {
  readonly l10n: Translator;
  readonly formatNumber: (value: number) => string;
}

/** Counts a transfer's files by their states, such as `1 failed to arrive, 37 not begun or stopped, 12 arrived`. */
export function describeFileCounts({ l10n, formatNumber }: CountWording, counts: FileCounts): string {
  const describe: Readonly<Record<FileState, (count: string) => string>> = {
    failed: (count) => l10n.t('{0} failed to arrive', count),
    transferring: (count) => l10n.t('{0} being transferred', count),
    staged: (count) => l10n.t('{0} staged and waiting', count),
    waiting: (count) => l10n.t('{0} waiting', count),
    unfinished: (count) => l10n.t('{0} not begun or stopped', count),
    transferred: (count) => l10n.t('{0} arrived', count),
  };
  const known = fileStates.filter((state) => (counts[state] ?? 0) > 0);
  return known.map((state) => describe[state](formatNumber(counts[state] ?? 0))).join(', ');
}

/** Describes the state of one file. */
export function describeFileState(l10n: Translator, { state, problem }: FileProgress): string {
  if (problem !== undefined && (state === 'waiting' || state === 'staged'))
    return l10n.t('waiting for another attempt');
  const words: Readonly<Record<FileState, string>> = {
    failed: l10n.t('failed'),
    transferring: l10n.t('being transferred'),
    staged: l10n.t('staged'),
    waiting: l10n.t('waiting'),
    unfinished: l10n.t('not begun or stopped'),
    transferred: l10n.t('transferred'),
  };
  return words[state];
}

/** Describes why the last attempt for a file failed, and how many did. Returns undefined if it didn't. */
export function describeFileProblem(
  { l10n, formatNumber }: CountWording,
  { problem, failedAttempts = 1 }: FileProgress,
): string | undefined {
  if (problem === undefined || failedAttempts < 2) return problem;
  return l10n.t('{0} (failed attempts: {1})', problem, formatNumber(failedAttempts));
}
