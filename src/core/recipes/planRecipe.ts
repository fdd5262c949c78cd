import type { TransferOrder } from '../model/transferModel.ts';
import { checkExpectations, type UnmetExpectation } from './checkExpectations.ts';
import { compareFiles, type LockDifference } from './compareFiles.ts';
import { completeFiles, maxRecipeFiles, sortRecipeFiles, toTransferFile, type RecipeFile } from './recipeFile.ts';
import type { RecipeLock } from './lockFormat.ts';
import type { Recipe } from './recipeSchema.ts';
import type { RecipeSource } from './recipeSource.ts';
import { resolveIds } from './resolveIds.ts';
import { resolveSearch } from './resolveSearch.ts';
import { resolveTable } from './resolveTable.ts';
import type { ResolvedFiles } from './resolvedFiles.ts';

/** Options for {@link planRecipe}. */
export interface PlanRequest {
  readonly recipe: Recipe;
  /** The recipe's folder. The paths of tables are relative to it. */
  readonly folder: string;
  readonly lock?: RecipeLock | undefined;
  /** True to send exactly the files in the lock, or nothing if any are missing or have changed. */
  readonly isLocked?: boolean;
}

/**
 * The files that a recipe currently refers to, compared with its lock and its expectations. Nothing has been submitted
 * yet.
 */
export interface RecipePlan extends ResolvedFiles {
  readonly recipe: Recipe;
  readonly isLocked: boolean;
  /** The files for the next lock. A locked run keeps sizes and hashes that the service doesn't currently report. */
  readonly lockFiles: readonly RecipeFile[];
  /**
   * The difference from the lock. Absent if there is no lock, or if some files are unknown because of a failure,
   * because a limit was reached, or because the search stalled.
   */
  readonly difference?: LockDifference;
  readonly unmet: readonly UnmetExpectation[];
  /** The databases in the lock. Absent unless the run is locked and the recipe names different databases. */
  readonly lockedDatabases?: LockedDatabases;
}

/** Names of the databases in the last run. */
type LockedDatabases = Pick<RecipeLock, 'from' | 'to'>;

/**
 * Resolves to a plan with the recipe's current files. Sends only read-only requests. If `isLocked` is true, looks up
 * the files that the lock lists. Without a lock, such a plan can't be carried out.
 */
export async function planRecipe(source: RecipeSource, request: PlanRequest): Promise<RecipePlan> {
  const { recipe, lock, isLocked = false } = request;
  const resolved = await resolve(source, request);
  const files = sortRecipeFiles(resolved.files);
  // Files beyond a limit are unknown, so those in the lock may still exist.
  const isComplete = !resolved.failure && !resolved.isCut;
  const difference = lock && isComplete ? compareFiles(lock.files, files) : undefined;
  const unmet = resolved.failure ? [] : checkExpectations(recipe.expect, { ...resolved, files });
  const lockedDatabases = isLocked && lock && namesOthers(recipe, lock) ? { from: lock.from, to: lock.to } : undefined;
  const comparison = { ...(difference && { difference }), ...(lockedDatabases && { lockedDatabases }) };
  const lockFiles = isLocked && lock ? completeFiles(files, lock.files) : files;
  return { ...resolved, files, lockFiles, recipe, isLocked, unmet, ...comparison };
}

function namesOthers({ from, to }: Recipe, lock: RecipeLock): boolean {
  return from.database !== lock.from || (to !== undefined && to.database !== lock.to);
}

async function resolve(source: RecipeSource, request: PlanRequest): Promise<ResolvedFiles> {
  const { recipe, folder, lock, isLocked } = request;
  const { from, expect } = recipe;
  if (isLocked && lock) {
    const known = lock.files;
    const locked = await resolveIds(source, { database: from.database, ids: known.map(({ id }) => id), known });
    // Missing files are part of the difference from the lock.
    return { ...locked, missing: [] };
  }
  if (from.table) return await resolveTable(source, from, from.table, folder);
  if (from.ids) return await resolveIds(source, { ...from, ids: from.ids });
  // Requests one file more than the recipe's `most`, to detect that there are too many.
  const limit = Math.min((expect?.files?.most ?? maxRecipeFiles) + 1, maxRecipeFiles);
  return await resolveSearch(source, from, limit);
}

/** The reason why a plan can't be carried out. */
export type PlanObstacle =
  | 'failed'
  | 'missing'
  | 'otherDatabases'
  | 'differsFromLock'
  | 'unmet'
  | 'stalled'
  | 'tooMany'
  | 'noFiles'
  | 'noDestination';

/** Returns the first reason why a plan can't be carried out; undefined if it can. */
export function findObstacle(plan: RecipePlan): PlanObstacle | undefined {
  const { failure, missing, unmet, isCut, files, recipe, isLocked, difference } = plan;
  if (failure) return 'failed';
  if (plan.lockedDatabases) return 'otherDatabases';
  if (isLocked && (!difference || difference.gone.length + difference.changed.length > 0)) return 'differsFromLock';
  if (missing.length > 0) return 'missing';
  if (unmet.length > 0) return 'unmet';
  if (plan.isStalled) return 'stalled';
  if (isCut || files.length > maxRecipeFiles) return 'tooMany';
  if (files.length === 0) return 'noFiles';
  return recipe.to ? undefined : 'noDestination';
}

/** Returns the order for a plan's transfer. The recipe must have a destination. */
export function toOrder(
  { recipe, files }: RecipePlan,
  user: Pick<TransferOrder, 'connectionId' | 'orcid'>,
): TransferOrder {
  const { from, to, description, instructions } = recipe;
  return {
    ...user,
    source: from.database,
    destination: to?.database ?? '',
    files: files.map(toTransferFile),
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
}
