import { findObstacle, hasDifference } from '../../core/recipes/planRecipe.ts';
import { sumUpFiles, type RecipeFile } from '../../core/recipes/recipeFile.ts';
import { toPlainCell } from '../text/plainCell.ts';
import {
  describeExpectation,
  describeObstacle,
  formatDestination,
  formatDifference,
  formatPlanSize,
  type DestinationFacts,
} from './planText.ts';
import type { PlannedRun } from './plannedRun.ts';

/** Returns the JSON output of a dry run (docs/command-line.md). */
export function toPlanDocument({ name, plan, recipe }: PlannedRun, destination: DestinationFacts): object {
  const { files, missing, unmet, difference } = plan;
  const obstacle = findObstacle(plan);
  const { bytes, unknownCount } = sumUpFiles(files);
  return {
    recipe: name,
    source: recipe.from.database,
    destination: recipe.to?.database,
    files: files.length,
    bytes,
    filesWithoutSize: unknownCount,
    ...destination,
    obstacle,
    problem: obstacle && describeObstacle(plan, obstacle),
    missing,
    unmet: unmet.map(describeExpectation),
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

/** Formats the result of a dry run as text. */
export function formatPlan({ plan, lock }: PlannedRun, destination: DestinationFacts): string {
  const { difference } = plan;
  const obstacle = findObstacle(plan);
  const files = [
    formatPlanSize(plan),
    ...(difference ? [`since the last run: ${formatDifference(difference)}`] : []),
    ...(lock.kind === 'none' ? ['not run yet'] : []),
    ...formatDestination(plan, destination),
  ];
  const lines = [...(plan.failure ? [] : files), ...(obstacle ? [describeObstacle(plan, obstacle)] : [])];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Lists the differences from a lock, one file per line: `+` new, `-` gone, `~` changed. Says so if there are no
 * differences.
 */
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

function toCounts({ added, gone, changed, sameCount }: NonNullable<PlannedRun['plan']['difference']>): object {
  return { added: added.length, gone: gone.length, changed: changed.length, same: sameCount };
}
