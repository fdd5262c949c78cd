import type { TransferOrder } from '../model/transferModel.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import { findNestedFiles } from '../util/nestedFiles.ts';
import type { RecipeLock } from './recipeLock.ts';
import {
  completeFiles,
  maxRecipeFiles,
  sortRecipeFiles,
  sumUpFiles,
  toTransferFile,
  type RecipeFile,
  type RecipeSource,
} from './recipeFile.ts';
import type { Recipe, RecipeRange } from './recipeSchema.ts';
import { resolveIds, resolveSearch, resolveTable, type ResolvedFiles } from './resolveFiles.ts';

/** Options for {@link planRecipe}. */
export interface PlanRequest {
  readonly recipe: Recipe;
  /** The recipe's folder. The paths of tables are relative to it. */
  readonly folder: string;
  readonly lock?: RecipeLock | undefined;
  /** True to send exactly the files in the lock, or nothing if any are missing or have changed. */
  readonly isLocked?: boolean;
}

/** The files that a recipe refers to, compared with its lock and its expectations, before a submission. */
export interface RecipePlan extends ResolvedFiles {
  readonly recipe: Recipe;
  readonly isLocked: boolean;
  /** The files for the next lock. A locked run keeps sizes and hashes that the service doesn't currently report. */
  readonly lockFiles: readonly RecipeFile[];
  /**
   * The difference from the lock. Absent if there is no lock, or if some files are unknown because of a failure,
   * because a limit was reached, because the search stalled, or because rows are in doubt.
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
  // Files beyond a limit or of rows in doubt are unknown, so those in the lock may still exist.
  const isComplete = !resolved.failure && !resolved.isCut && !hasRefusedRows({ ...resolved, recipe });
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
  | 'doubts'
  | 'otherDatabases'
  | 'differsFromLock'
  | 'unmet'
  | 'stalled'
  | 'tooMany'
  | 'noFiles'
  | 'nested'
  | 'noDestination';

/** Returns the first reason why a plan can't be carried out; undefined if it can. */
export function findObstacle(plan: RecipePlan): PlanObstacle | undefined {
  const { failure, unmet, isCut, files, recipe } = plan;
  if (failure) return 'failed';
  if (plan.lockedDatabases) return 'otherDatabases';
  if (differsFromLock(plan)) return 'differsFromLock';
  const unmatched = findUnmatched(plan);
  if (unmatched) return unmatched;
  if (unmet.length > 0) return 'unmet';
  if (plan.isStalled) return 'stalled';
  if (isCut || files.length > maxRecipeFiles) return 'tooMany';
  if (files.length === 0) return 'noFiles';
  if (findNestedFiles(files)) return 'nested';
  return recipe.to ? undefined : 'noDestination';
}

function differsFromLock({ isLocked, difference }: RecipePlan): boolean {
  return isLocked && (!difference || difference.gone.length + difference.changed.length > 0);
}

/** Returns the obstacle of IDs or values without a file, or of rows in doubt that the recipe doesn't leave out. */
function findUnmatched(plan: RecipePlan): 'missing' | 'doubts' | undefined {
  if (plan.missing.length > 0) return 'missing';
  return hasRefusedRows(plan) ? 'doubts' : undefined;
}

function hasRefusedRows({ recipe, doubts = [] }: Pick<RecipePlan, 'recipe' | 'doubts'>): boolean {
  return recipe.from.table?.doubts === undefined && doubts.some(({ kind }) => kind !== 'partial');
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
    ...(to?.folder !== undefined && { folder: to.folder }),
  };
}

/** An expectation that the files don't meet. */
export type UnmetExpectation =
  | {
      readonly kind: 'fewFiles' | 'manyFiles' | 'fewBytes' | 'manyBytes';
      readonly limit: number;
      readonly actual: number;
      /** True if more files may exist, or some sizes are unknown, so `actual` may be too small. */
      readonly isAtLeast?: true;
    }
  /** Some file sizes are unknown, so the total size can't be checked. */
  | { readonly kind: 'unknownSizes'; readonly count: number }
  | { readonly kind: 'missingIds'; readonly ids: readonly string[] };

/**
 * Returns the expectations of a recipe that the files don't meet. Nothing may be sent unless the result is empty. If
 * files were left out, ignores lower limits and expected IDs, because the omitted files may meet them.
 */
function checkExpectations(
  expect: Recipe['expect'],
  { files, isCut }: Pick<ResolvedFiles, 'files' | 'isCut'>,
): readonly UnmetExpectation[] {
  const { bytes, unknownCount } = sumUpFiles(files);
  const found = new Set(files.map(({ id }) => id));
  const missing = isCut ? [] : (expect?.ids?.filter((id) => !found.has(id)) ?? []);
  return [
    ...checkRange(expect?.files, { actual: files.length, isAtLeast: isCut }, 'fewFiles', 'manyFiles'),
    ...checkRange(expect?.bytes, { actual: bytes, isAtLeast: isCut || unknownCount > 0 }, 'fewBytes', 'manyBytes'),
    ...(expect?.bytes && unknownCount > 0 ? [{ kind: 'unknownSizes', count: unknownCount } as const] : []),
    ...(missing.length > 0 ? [{ kind: 'missingIds', ids: missing } as const] : []),
  ];
}

function checkRange(
  { least = 0, most = Infinity }: RecipeRange = {},
  { actual, isAtLeast }: { readonly actual: number; readonly isAtLeast: boolean },
  few: 'fewFiles' | 'fewBytes',
  many: 'manyFiles' | 'manyBytes',
): readonly UnmetExpectation[] {
  // A minimum may reach the lower limit after all.
  if (actual < least && !isAtLeast) return [{ kind: few, limit: least, actual }];
  return actual > most ? [{ kind: many, limit: most, actual, ...(isAtLeast && { isAtLeast }) }] : [];
}

/** A file whose path, size or hash has changed. */
interface ChangedFile {
  readonly before: RecipeFile;
  readonly after: RecipeFile;
}

/** The difference between the files in a lock and the files that were found. */
export interface LockDifference {
  readonly added: readonly RecipeFile[];
  readonly gone: readonly RecipeFile[];
  readonly changed: readonly ChangedFile[];
  readonly sameCount: number;
}

/**
 * Compares files by ID. A file has changed if its path, size or hash differs. Ignores a size or hash that is known on
 * only one side, because a service may compute hashes later (D22: staged means hashed).
 */
export function compareFiles(before: readonly RecipeFile[], after: readonly RecipeFile[]): LockDifference {
  const earlier = new Map(before.map((file) => [file.id, file]));
  const later = new Set(after.map(({ id }) => id));
  const added = after.filter(({ id }) => !earlier.has(id));
  // Creates pairs only for changed files, because nearly all files are unchanged.
  const changed = after.flatMap((file) => {
    const one = earlier.get(file.id);
    return one && hasChanged({ before: one, after: file }) ? [{ before: one, after: file }] : [];
  });
  const gone = before.filter(({ id }) => !later.has(id));
  return { added, gone, changed, sameCount: after.length - added.length - changed.length };
}

/** Returns true if files were added, removed or changed. */
export function hasDifference({ added, gone, changed }: LockDifference): boolean {
  return added.length + gone.length + changed.length > 0;
}

function hasChanged({ before, after }: ChangedFile): boolean {
  return before.path !== after.path || differs(before.bytes, after.bytes) || hasOtherHash(before.hash, after.hash);
}

/** Returns true if both hashes are known, comparable and differ. */
function hasOtherHash(before: string | undefined, after: string | undefined): boolean {
  const [one, other] = [parseDeclaredHash(before), parseDeclaredHash(after)];
  if (one && other) return one.algorithm === other.algorithm && one.hex !== other.hex;
  return !one && !other && differs(before, after);
}

function differs<T>(before: T | undefined, after: T | undefined): boolean {
  return before !== undefined && after !== undefined && before !== after;
}
