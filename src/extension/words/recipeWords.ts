import { l10n } from 'vscode';
import {
  hasDifference,
  type LockDifference,
  type PlanObstacle,
  type RecipePlan,
  type UnmetExpectation,
} from '../../core/recipes/planRecipe.ts';
import { sumUpFiles } from '../../core/recipes/recipeFile.ts';
import type { LockReadResult } from '../../core/recipes/recipeLock.ts';
import type { RecipeProblem } from '../../core/recipes/recipeText.ts';
import type { ResolveFailure, TableProblem } from '../../core/recipes/resolveFiles.ts';
import {
  describeEditedLock,
  describeForeignLock,
  describeMissingLock,
  describeUnusableFiles,
  describeRecipeProblem as describeProblem,
} from '../../core/words/recipeSentences.ts';
import { describeNeverRun as describeNever } from '../../core/words/sharedSentences.ts';
import {
  formatFileCount,
  formatList,
  formatNames,
  formatNumber,
  formatSize,
  formatTime,
  plural,
} from './localeFormats.ts';
import { toPlainLine, toPlainText } from './plainText.ts';
import { describeReason } from './reasonWords.ts';

const wording = { l10n, toPlainLine };

/** Returns the title of a code lens or button that compares a recipe's files with its lock. */
export function getCompareTitle(): string {
  return l10n.t('Compare with Lock');
}

/** Returns the title of a code lens that runs a recipe with the files in its lock. */
export function getRunLockedTitle(): string {
  return l10n.t('Run with Locked Files…');
}

/** Formats the number of files for each kind of difference, such as "1 new, 2 changed, 11 unchanged". */
function formatDifference(difference: LockDifference): string {
  const { sameCount } = difference;
  const unchanged = sameCount > 0 ? plural(sameCount, '{0} unchanged', '{0} unchanged') : undefined;
  return formatList([...listDifferences(difference), unchanged]);
}

/**
 * Describes changes since the last run briefly, such as "1 new, 2 changed" or "no changes since 9:30 AM". `lastRun` is
 * an ISO 8601 time from a lock, which may have been edited by hand. `now` is in milliseconds since 1970.
 */
export function describeRowDifference(difference: LockDifference, lastRun: string, now: number): string {
  if (hasDifference(difference)) return formatList(listDifferences(difference));
  const at = Date.parse(lastRun);
  return Number.isNaN(at) ? l10n.t('no changes') : l10n.t('no changes since {0}', formatTime(at, now));
}

function listDifferences({ added, gone, changed }: LockDifference): readonly (string | undefined)[] {
  return [
    added.length > 0 ? plural(added.length, '{0} new', '{0} new') : undefined,
    gone.length > 0 ? plural(gone.length, '{0} gone', '{0} gone') : undefined,
    changed.length > 0 ? plural(changed.length, '{0} changed', '{0} changed') : undefined,
  ];
}

/** Formats the number of a plan's files and the total of their known sizes, such as "12 files, 3 MB". */
export function formatPlanSize({ files }: RecipePlan): string {
  const { bytes, unknownCount } = sumUpFiles(files);
  const count = formatFileCount(files.length);
  return unknownCount === files.length ? count : l10n.t('{0}, {1}', count, formatSize(bytes));
}

/** Describes the difference from the last run, if known, and the problem with a missing, edited or unusable lock. */
export function describeLock(lock: LockReadResult, difference: LockDifference | undefined): readonly string[] {
  const since = difference ? [l10n.t('Since the last run: {0}', formatDifference(difference))] : [];
  const sentences: Readonly<Record<LockReadResult['kind'], readonly string[]>> = {
    none: [l10n.t("This recipe hasn't been run yet.")],
    valid: since,
    edited: [...since, describeEditedLock(wording)],
    broken: [l10n.t("The lock isn't valid. Running the recipe without locked files will replace it.")],
    newer: [l10n.t('The lock requires a later version of the extension.')],
    foreign: [describeForeignLock(wording, 'recipe' in lock ? lock.recipe : '')],
  };
  return sentences[lock.kind];
}

/** Describes why a plan can't be submitted. */
export function describeObstacle(plan: RecipePlan, obstacle: PlanObstacle): string {
  const { failure, unmet, difference } = plan;
  switch (obstacle) {
    case 'failed':
      return failure ? describeFailure(failure) : '';
    case 'missing':
      return describeMissing(plan);
    case 'otherDatabases':
      return describeOtherDatabases(plan);
    case 'differsFromLock':
      return describeLockedDifference(difference);
    case 'unmet':
      return unmet.map(describeExpectation).join(' ');
    case 'stalled':
    case 'tooMany':
    case 'noFiles':
      return describeUnusableFiles(wording, obstacle);
    case 'noDestination':
      return l10n.t("The recipe has no destination (“to”), so it's only a saved search.");
  }
}

function describeFailure(failure: ResolveFailure): string {
  if (failure.kind === 'service') return describeReason(failure.reason);
  const sentences: Readonly<Record<TableProblem, string>> = {
    missing: l10n.t("The recipe's table doesn't exist."),
    unreadable: l10n.t("The recipe's table can't be read."),
    tooLarge: l10n.t("The recipe's table is too large."),
    noSheet: l10n.t("The recipe names a sheet that isn't in the table's workbook."),
    noColumn: l10n.t("The recipe names a column that isn't in the table."),
  };
  return sentences[failure.problem];
}

function describeMissing({ missing, recipe }: RecipePlan): string {
  const names = formatNames(missing);
  return recipe.from.table
    ? plural(
        missing.length,
        "{0} value in the recipe's table matches no file or more than one: {1}",
        "{0} values in the recipe's table match no file or more than one: {1}",
        names,
      )
    : plural(
        missing.length,
        'No file was found for {0} ID in the recipe: {1}',
        'No files were found for {0} IDs in the recipe: {1}',
        names,
      );
}

function describeOtherDatabases({ lockedDatabases: { from, to } = { from: '', to: '' } }: RecipePlan): string {
  return l10n.t(
    'The lock is for a transfer from {0} to {1}. Run the recipe without the lock first.',
    toPlainLine(from),
    toPlainLine(to),
  );
}

function describeLockedDifference(difference: LockDifference | undefined): string {
  if (!difference) return describeMissingLock(wording);
  return l10n.t('The files differ from the lock: {0}', formatList(listDifferences(difference)));
}

function describeExcess(actual: string, limit: string, isAtLeast = false): string {
  return isAtLeast
    ? l10n.t('At least {0} found, at most {1} expected.', actual, limit)
    : l10n.t('{0} found, at most {1} expected.', actual, limit);
}

function describeExpectation(unmet: UnmetExpectation): string {
  switch (unmet.kind) {
    case 'fewFiles':
      return l10n.t('{0} found, at least {1} expected.', formatFileCount(unmet.actual), formatNumber(unmet.limit));
    case 'manyFiles':
      return describeExcess(formatFileCount(unmet.actual), formatNumber(unmet.limit), unmet.isAtLeast);
    case 'fewBytes':
      return l10n.t('{0} found, at least {1} expected.', formatSize(unmet.actual), formatSize(unmet.limit));
    case 'manyBytes':
      return describeExcess(formatSize(unmet.actual), formatSize(unmet.limit), unmet.isAtLeast);
    case 'unknownSizes':
      return plural(unmet.count, 'The size of {0} file is unknown.', 'The sizes of {0} files are unknown.');
    case 'missingIds':
      return l10n.t('Expected but not found: {0}', formatNames(unmet.ids));
  }
}

const maxLength = 60;

const problemWording = {
  l10n,
  toPlainLine: (text: string) => toPlainText(text, maxLength),
  formatNumber,
  describeNewerVersion: () => l10n.t('This recipe requires a later version of the extension.'),
};

/** Describes a problem with a recipe. */
export function describeRecipeProblem(problem: RecipeProblem): string {
  return describeProblem(problemWording, problem);
}

/** Describes a recipe without a lock, as a clause. */
export function describeNeverRun(): string {
  return describeNever(l10n);
}
