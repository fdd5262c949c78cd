import { setFlagsFromString } from 'node:v8';
import { checkRecipe, withDatabaseNames } from '../../core/recipes/checkRecipe.ts';
import { findObstacle, type PlanObstacle, type RecipePlan } from '../../core/recipes/planRecipe.ts';
import type { OpenConnection } from '../../core/flows/openConnections.ts';
import { CliError, createRequestError, createUsageError, getExitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { formatCount } from '../text/amounts.ts';
import { describeObstacle, describeUnusableLock, describeUnusualLock } from './planText.ts';
import { chooseRecipeConnection, describeOverride, type RecipeInput } from './recipeInput.ts';
import { describeRecipeProblem } from './recipeProblemText.ts';

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
  if (plan.failure?.kind === 'service') throw createRequestError('Nothing was sent', plan.failure.reason);
  throw new CliError(`Nothing was sent. ${describeObstacle(plan, obstacle)}`, getObstacleCode(plan, obstacle));
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
