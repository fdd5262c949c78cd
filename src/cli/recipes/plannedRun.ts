import { setFlagsFromString } from 'node:v8';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import { checkRecipe, withDatabaseNames } from '../../core/recipes/parseRecipe.ts';
import { findObstacle, hasDifference, type PlanObstacle, type RecipePlan } from '../../core/recipes/planRecipe.ts';
import { sumUpFiles, type RecipeFile } from '../../core/recipes/recipeFile.ts';
import { describeNeverRun } from '../../core/words/sharedSentences.ts';
import { CliError, createRequestError, createUsageError, exitCode, getExitCode, type ExitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { english } from '../text/sentences.ts';
import { formatCount, toPlainCell } from '../text/terminalText.ts';
import {
  describeExpectation,
  describeObstacle,
  describeUnusableLock,
  describeUnusualLock,
  formatDestination,
  formatDifference,
  formatPlanSize,
  type DestinationFacts,
} from './planText.ts';
import { nothingSent } from '../transfers/transferStart.ts';
import { chooseRecipeConnection, describeOverride, describeRecipeProblem, type RecipeInput } from './recipeInput.ts';

/** A recipe with the files that it currently finds. */
export interface PlannedRun extends RecipeInput {
  readonly connection: OpenConnection;
  readonly plan: RecipePlan;
}

/**
 * Connects to a recipe's service and finds the recipe's files, without submitting a transfer. Prints a note if there is
 * a problem with the lock, or if an option overrides the recipe's service. Throws an error if connecting fails, if the
 * recipe isn't valid for the service's databases, or if a locked run has no valid lock.
 */
export async function planRun(session: CliSession, input: RecipeInput, isLocked = false): Promise<PlannedRun> {
  // Makes V8 collect garbage earlier: the result pages of 100,000 files would otherwise use half a gigabyte of memory.
  setFlagsFromString('--optimize-for-size');
  const { recipe, folder, lock, file } = input;
  if (isLocked && lock.kind !== 'valid') throw new CliError(describeUnusableLock(lock), exitCode.differs);
  const unusual = describeUnusualLock(lock);
  if (unusual !== undefined) session.context.output.note(unusual);
  const connection = await openService(session, input);
  const { databases } = session.explorer.connectionStore.listing;
  const [problem] = checkRecipe(input.text, recipe, { databases });
  if (problem) throw createUsageError(describeRecipeProblem(file, problem));
  const named = withDatabaseNames(recipe, databases);
  const request = { recipe: named, folder, isLocked, ...('lock' in lock && { lock: lock.lock }) };
  const { signal, output } = session.context;
  const onProgress = (count: number): void => output.showProgress(`Finding files: ${formatCount(count, 'file')}`);
  const plan = await session.explorer.recipeFlow.plan(connection, request, { signal, onProgress });
  return { ...input, recipe: named, connection, plan };
}

async function openService(session: CliSession, { recipe }: RecipeInput): Promise<OpenConnection> {
  const { context, file } = session;
  const connection = chooseRecipeConnection(context.options, recipe, file);
  const override = describeOverride(recipe, connection);
  if (override !== undefined) context.output.note(override);
  return await session.open(connection);
}

/** Throws an error if a plan can't be carried out. The exit code depends on the obstacle. */
export function requireRunnable({ plan }: PlannedRun): void {
  const obstacle = findObstacle(plan);
  if (!obstacle) return;
  if (plan.failure?.kind === 'service') throw createRequestError(nothingSent, plan.failure.reason);
  throw new CliError(`${nothingSent}. ${describeObstacle(plan, obstacle)}`, getObstacleCode(plan, obstacle));
}

/** Returns the exit code for an obstacle to a plan. After a failed request, the code depends on the reason. */
export function getObstacleCode({ failure }: RecipePlan, obstacle: PlanObstacle): ExitCode {
  return failure?.kind === 'service' ? getExitCode(failure.reason) : obstacleCodes[obstacle];
}

const obstacleCodes: Readonly<Record<PlanObstacle, ExitCode>> = {
  failed: exitCode.failed,
  missing: exitCode.notFound,
  differsFromLock: exitCode.differs,
  otherDatabases: exitCode.differs,
  unmet: exitCode.failed,
  stalled: exitCode.failed,
  tooMany: exitCode.failed,
  noFiles: exitCode.failed,
  noDestination: exitCode.usage,
};

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
    ...(lock.kind === 'none' ? [describeNeverRun(english)] : []),
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
