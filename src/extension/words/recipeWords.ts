import { l10n } from 'vscode';
import {
  hasDifference,
  type LockDifference,
  type PlanObstacle,
  type RecipePlan,
} from '../../core/recipes/planRecipe.ts';
import { sumUpFiles } from '../../core/recipes/recipeFile.ts';
import type { LockReadResult } from '../../core/recipes/recipeLock.ts';
import type { Recipe } from '../../core/recipes/recipeSchema.ts';
import type { RecipeProblem } from '../../core/recipes/recipeText.ts';
import {
  describeEditedLock,
  describeForeignLock,
  describeObstacle as describePlanObstacle,
  describeRecipeProblem as describeProblem,
  listOmissions,
} from '../../core/words/recipeSentences.ts';
import { trimFolder, type LeftOutCounts } from '../../core/util/leftOut.ts';
import { describeNeverRun as describeNever } from '../../core/words/sharedSentences.ts';
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
import { formatLeftOutLine, getFolderLabel } from './searchWords.ts';
import { describeReason } from './reasonWords.ts';
import { describeListing, describeListingInSentence } from './serviceNames.ts';

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

/** Describes what a plan omits or may omit ({@link listOmissions}). */
export function describeOmissions(plan: RecipePlan): readonly string[] {
  return listOmissions(wording, plan);
}

function describeLeftOutNames(from: Recipe['from'], leftOut: LeftOutCounts): readonly string[] {
  const folder = trimFolder(from.folder ?? '');
  const label = getFolderLabel(folder, from.database);
  const place = folder === '' ? l10n.t('Database: {0}', label) : l10n.t('Folder: {0}', label);
  return [place, formatLeftOutLine(leftOut)];
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
  return describePlanObstacle(wording, plan, obstacle);
}

/** Says that a plan was not submitted and why, and if its files are from a listing that is old or incomplete. */
export function describeObstructedRun(plan: RecipePlan, obstacle: PlanObstacle): string {
  const text = l10n.t('Nothing was sent. {0}', describeObstacle(plan, obstacle));
  const listed = describeListingInSentence(plan.listing);
  return listed === undefined ? text : `${text} ${listed}`;
}

const wording = {
  l10n,
  toPlainLine,
  plural,
  formatNumber,
  formatFileCount,
  formatSize,
  formatNames: (names: readonly string[]) => formatNames(names),
  formatDifference: (difference: LockDifference) => formatList(listDifferences(difference)),
  describeReason,
  describeLeftOutNames,
  describeListing,
};

const maxLength = 60;

const problemWording = {
  l10n,
  toPlainLine: (text: string) => toShortLine(text, maxLength),
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
