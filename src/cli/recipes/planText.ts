import type { PlannedRun } from '../../core/search/recipeRun.ts';
import {
  findObstacle,
  hasDifference,
  type LockDifference,
  type PlanObstacle,
  type RecipePlan,
} from '../../core/recipes/planRecipe.ts';
import { sumUpFiles, type RecipeFile } from '../../core/recipes/recipeFile.ts';
import type { ClusterPlace } from '../../core/model/databaseModel.ts';
import type { LockReadResult } from '../../core/recipes/recipeLock.ts';
import type { Recipe } from '../../core/recipes/recipeSchema.ts';
import { readFollowUp, thenField, toThenValue, type FollowUp } from '../../core/util/followUp.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import {
  describeEditedLock,
  describeExpectation,
  describeForeignLock,
  describeObstacle as describePlanObstacle,
  listOmissions,
} from '../../core/words/recipeSentences.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { describePlannedFollowUp } from '../../core/words/followUpWords.ts';
import { describeNeverRun } from '../../core/words/sharedSentences.ts';
import { exitCode, getExitCode, type ExitCode } from '../cliError.ts';
import { formatBytes, formatCount, toPlainCell } from '../output.ts';
import { describeCluster, describeListing, describeReason, english, plural, tableWording } from '../text/sentences.ts';

/** The facts about a destination that are known before files are sent there. Absent fields are unknown. */
export interface DestinationFacts {
  /** Free bytes, as the service reports, or in the folder that a service on this machine serves. */
  readonly freeBytes?: number;
  /**
   * The number of files that the destination has now, under the same paths (D60: same content). If `atLeast` is true,
   * there may be more such files.
   */
  readonly alreadyThere?: { readonly files: number; readonly atLeast: boolean };
  /**
   * The number of further files that earlier transfers wrote to the destination. They aren't there any more if
   * `alreadyThere` is complete; otherwise, this is unknown.
   */
  readonly transferredBefore?: number;
  /** The cluster on which the transfer would run. */
  readonly cluster?: ClusterPlace;
  /** Why the service would refuse the transfer, and what isn't known of that, as clauses. */
  readonly refusals?: readonly string[];
  readonly unchecked?: readonly string[];
}

const maxNames = 10;

/** Describes a lock that can't be read. */
export const brokenLock = "The lock isn't valid. Running the recipe without --locked will replace it.";

/** Formats the counts of new, changed, gone and unchanged files, omitting zeros: `1 new, 11 unchanged`. */
function formatDifference({ added, gone, changed, sameCount }: LockDifference): string {
  const counts = { new: added.length, gone: gone.length, changed: changed.length, unchanged: sameCount };
  const texts = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []));
  return texts.join(', ') || 'no files';
}

/** Formats the number of files that a recipe finds, and the total of their known sizes: `12 files, 3.0 MB`. */
function formatPlanSize({ files }: RecipePlan): string {
  const { bytes, unknownCount } = sumUpFiles(files);
  const count = formatCount(files.length, 'file');
  return unknownCount === files.length ? count : `${count}, ${formatBytes(bytes)}`;
}

/** Describes what a plan omits or may omit ({@link listOmissions}). */
export function describeOmissions(plan: RecipePlan): readonly string[] {
  return listOmissions(wording, plan);
}

function describeLeftOutNames({ folder }: Recipe['from'], leftOut: LeftOutCounts): readonly string[] {
  const text = describeLeftOut(english, leftOut, String);
  return [folder === undefined ? text : `${toPlainCell(folder)}: ${text}`];
}

function getFollowUp({ recipe }: PlannedRun, given?: FollowUp): FollowUp | undefined {
  return given ?? readFollowUp(recipe.then);
}

function formatFollowUp(followUp: FollowUp | undefined): readonly string[] {
  return followUp ? [`afterwards: ${describePlannedFollowUp(wording, followUp)}`] : [];
}

function formatDestination(
  { recipe: { to }, files }: RecipePlan,
  { freeBytes, alreadyThere, transferredBefore = 0, cluster }: DestinationFacts,
): readonly string[] {
  const name = toPlainCell(to?.database ?? '');
  const isShort = freeBytes !== undefined && sumUpFiles(files).bytes > freeBytes;
  const space = `${isShort ? 'not enough ' : ''}free space in ${name}: ${formatBytes(freeBytes ?? 0)}`;
  const count = formatCount(alreadyThere?.files ?? 0, 'file');
  return [
    ...(to?.folder === undefined ? [] : [`new folder in ${name}: ${toPlainCell(to.folder)}`]),
    ...(freeBytes === undefined ? [] : [space]),
    ...(alreadyThere?.files ? [`already in ${name}: ${alreadyThere.atLeast ? 'at least ' : ''}${count}`] : []),
    ...(transferredBefore > 0
      ? [`transferred to ${name} before, may not be there now: ${formatCount(transferredBefore, 'file')}`]
      : []),
    ...(cluster ? [describeCluster(cluster)] : []),
  ];
}

/** Describes the problem with a lock; undefined if the lock is valid or doesn't exist. */
export function describeUnusualLock(lock: LockReadResult): string | undefined {
  const texts: Partial<Record<LockReadResult['kind'], string>> = {
    edited: describeEditedLock(wording),
    broken: brokenLock,
    newer: 'The lock requires a later version of data-transfer.',
    foreign: describeForeignLock(wording, 'recipe' in lock ? lock.recipe : ''),
  };
  return texts[lock.kind];
}

/** Describes why a locked run can't use its lock. */
export function describeUnusableLock({ kind }: LockReadResult): string {
  if (kind === 'none') return 'Nothing was sent. The recipe has no lock. Run it once without --locked.';
  const problem = kind === 'edited' ? 'The lock was changed after the last run.' : "The lock isn't valid.";
  return `Nothing was sent. ${problem} Restore it, or run the recipe once without --locked.`;
}

/** Returns a description of the obstacle that prevents a plan from being carried out, in one or more sentences. */
export function describeObstacle(plan: RecipePlan, obstacle: PlanObstacle): string {
  return withPeriod(describePlanObstacle(wording, plan, obstacle));
}

function withPeriod(text: string): string {
  return text.replace(/(?<=[^.])$/u, '.');
}

const wording = {
  ...tableWording,
  plural,
  formatFileCount: (count: number) => formatCount(count, 'file'),
  formatNames,
  formatDifference,
  describeReason,
  describeLeftOutNames,
  describeListing,
};

function formatNames(names: readonly string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : '';
  return names.slice(0, maxNames).map(toPlainCell).join(', ') + more;
}

/** Returns the exit code for an obstacle to a plan. After a failed request, the code depends on the reason. */
export function getObstacleCode({ failure }: RecipePlan, obstacle: PlanObstacle): ExitCode {
  return failure?.kind === 'service' ? getExitCode(failure.reason) : obstacleCodes[obstacle];
}

const obstacleCodes: Readonly<Record<PlanObstacle, ExitCode>> = {
  failed: exitCode.failed,
  missing: exitCode.notFound,
  doubts: exitCode.failed,
  differsFromLock: exitCode.differs,
  otherDatabases: exitCode.differs,
  unmet: exitCode.failed,
  stalled: exitCode.failed,
  tooMany: exitCode.failed,
  noFiles: exitCode.failed,
  nested: exitCode.failed,
  noDestination: exitCode.usage,
};

/** Returns the JSON output of a dry run (docs/command-line.md). `given` takes the place of the recipe's follow-up. */
export function toPlanDocument(planned: PlannedRun, destination: DestinationFacts, given?: FollowUp): object {
  const { name, plan, recipe } = planned;
  const followUp = getFollowUp(planned, given);
  const { files, missing, doubts = [], unmet, difference, leftOut, listing } = plan;
  const obstacle = findObstacle(plan);
  const { bytes, unknownCount } = sumUpFiles(files);
  return {
    recipe: name,
    source: recipe.from.database,
    destination: recipe.to?.database,
    folder: recipe.to?.folder,
    [thenField]: followUp && toThenValue(followUp),
    files: files.length,
    bytes,
    filesWithoutSize: unknownCount,
    leftOut,
    listing,
    ...destination,
    obstacle,
    problem: obstacle && describeObstacle(plan, obstacle),
    missing,
    doubts: doubts.map(({ kind, line, value }) => ({ kind, row: line, value })),
    unmet: unmet.map((one) => withPeriod(describeExpectation(wording, one))),
    difference: difference && toCounts(difference),
  };
}

/** Returns the JSON output of a comparison with a lock (docs/command-line.md). */
export function toDifferenceDocument({ name, plan: { difference } }: PlannedRun): object {
  const { added = [], gone = [], changed = [], sameCount = 0 } = difference ?? {};
  return {
    recipe: name,
    isSame: !difference || !hasDifference(difference),
    added: added.map(toFileDocument),
    gone: gone.map(toFileDocument),
    same: sameCount,
    changed: changed.map(({ before, after }) => ({ before: toFileDocument(before), after: toFileDocument(after) })),
  };
}

/** Formats the result of a dry run as text. `given` takes the place of the recipe's follow-up. */
export function formatPlan(planned: PlannedRun, destination: DestinationFacts, given?: FollowUp): string {
  const { plan, lock } = planned;
  const { difference } = plan;
  const obstacle = findObstacle(plan);
  const files = [
    formatPlanSize(plan),
    ...(difference ? [`since the last run: ${formatDifference(difference)}`] : []),
    ...(lock.kind === 'none' ? [describeNeverRun(english)] : []),
    ...describeOmissions(plan),
    ...formatDestination(plan, destination),
    ...formatFollowUp(getFollowUp(planned, given)),
    ...(destination.unchecked ?? []).map((text) => `not checked: ${text}`),
    ...(destination.refusals ?? []).map((text) => `would be refused: ${text}`),
  ];
  const lines = [...(plan.failure ? [] : files), ...(obstacle ? [describeObstacle(plan, obstacle)] : [])];
  return lines.map((line) => `${line}\n`).join('');
}

/** Lists the differences from a lock, one file per line: `+` new, `-` gone, `~` changed. Says so if there are none. */
export function formatFileDifferences({ plan: { difference } }: PlannedRun): string {
  const { added = [], gone = [], changed = [] } = difference ?? {};
  const format = (sign: string, { path, id }: RecipeFile): string =>
    `${sign} ${toPlainCell(path)}${path === id ? '' : ` (${toPlainCell(id)})`}\n`;
  const lines = [
    ...gone.map((file) => format('-', file)),
    ...added.map((file) => format('+', file)),
    ...changed.map(({ after }) => format('~', after)),
  ];
  return lines.join('') || 'The files match the lock.\n';
}

function toFileDocument({ id, path, bytes, hash }: RecipeFile): object {
  return { id, path, bytes, hash };
}

function toCounts({ added, gone, changed, sameCount }: NonNullable<RecipePlan['difference']>): object {
  return { added: added.length, gone: gone.length, changed: changed.length, same: sameCount };
}
