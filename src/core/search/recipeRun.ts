import { basename, dirname, join } from 'node:path';
import type { Database } from '../model/databaseModel.ts';
import { withFollowUp, type Transfer, type TransferOrder } from '../model/transferModel.ts';
import { checkRecipe, maxRecipeBytes, parseRecipe, withDatabaseNames } from '../recipes/parseRecipe.ts';
import { findObstacle, toOrder, type PlanObstacle, type RecipePlan } from '../recipes/planRecipe.ts';
import { readLock, writeLock, type LockReadResult, type RecipeLock } from '../recipes/recipeLock.ts';
import type { RecipeProblem, RecipeText } from '../recipes/recipeText.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import { readFollowUp } from '../util/followUp.ts';
import { readRegularFile } from '../util/durableFiles.ts';
import type { OpenConnection } from '../connections/openConnections.ts';
import type { PlanOptions, RecipeFlow } from './recipeFlow.ts';

/** A valid recipe and its lock, as read from their files. */
export interface OpenRecipe {
  readonly path: string;
  /** The name of the recipe's file. */
  readonly name: string;
  readonly folder: string;
  readonly recipe: Recipe;
  readonly text: RecipeText;
  readonly lock: LockReadResult;
}

/** The service of a recipe, its databases, and the user for whom the transfer runs. */
export interface RecipeService {
  readonly session: OpenConnection;
  readonly orcid: string;
  readonly databases: readonly Database[];
}

/** A recipe with the files that it currently finds. The recipe refers to its databases by name. */
export interface PlannedRun extends OpenRecipe, Omit<RecipeService, 'databases'> {
  readonly plan: RecipePlan;
}

/** Reports in the words of a program why a recipe can't be read. */
export interface RecipeReader {
  failToRead(error: unknown, part: 'recipe' | 'lock'): never;
  failInvalid(problems: readonly RecipeProblem[]): never;
}

/**
 * Takes part in a run for a program, which has its own words, questions and progress. The `fail…` methods throw. The
 * others may throw, and resolve to `Canceled` if the user cancels.
 */
interface RecipeHost<Canceled extends undefined = undefined> extends RecipeReader {
  failLocked(lock: LockReadResult): never;
  /** Opens the connection to the recipe's service. */
  connect(opened: OpenRecipe): Promise<RecipeService | Canceled>;
  /** Starts the planning, shows its progress, and lets the user cancel it. */
  showPlanning(start: (options: PlanOptions) => Promise<RecipePlan>): Promise<RecipePlan | Canceled>;
}

/** Takes part in a run that submits a transfer. */
export interface SubmittingHost<Canceled extends undefined = undefined> extends RecipeHost<Canceled> {
  failObstructed(planned: PlannedRun, obstacle: PlanObstacle): never;
  /** Resolves to the order to submit, from which the user may have left out files. */
  confirm(planned: PlannedRun, order: TransferOrder): Promise<TransferOrder | Canceled>;
  /** Submits the order once (D12: never resubmit). Resolves to `Canceled` unless the service has accepted it. */
  submit(order: TransferOrder): Promise<AcceptedTransfer | Canceled>;
}

/** A transfer to which the service has given an ID. */
export type AcceptedTransfer = Transfer & { readonly id: string };

/** An accepted transfer of a recipe. `lockError` is the file system's error if the lock couldn't be written. */
interface RunResult {
  readonly transfer: AcceptedTransfer;
  readonly lockError?: unknown;
}

/** Reads a recipe and its lock. */
export async function readRecipe(reader: RecipeReader, path: string): Promise<OpenRecipe> {
  const reading = readRegularFile(path, maxRecipeBytes);
  const { recipe, problems, text } = parseRecipe(
    await reading.catch((error: unknown) => reader.failToRead(error, 'recipe')),
  );
  if (!recipe) return reader.failInvalid(problems);
  const lock = await readLock(path).catch((error: unknown) => reader.failToRead(error, 'lock'));
  return { path, name: basename(path), folder: dirname(path), recipe, text, lock };
}

/** Connects to a recipe's service and finds its files, or those in its lock if `isLocked`. Submits nothing. */
export async function planRun<Canceled extends undefined>(
  recipeFlow: RecipeFlow,
  host: RecipeHost<Canceled>,
  opened: OpenRecipe,
  isLocked = false,
): Promise<PlannedRun | Canceled> {
  const { folder, lock, recipe, text } = opened;
  // A run must not replace the lock of another recipe or of a later version.
  const isForeign = lock.kind === 'foreign' || lock.kind === 'newer';
  if (isForeign || (isLocked && lock.kind !== 'valid')) return host.failLocked(lock);
  const service = await host.connect(opened);
  if (!service) return service;
  const { session, orcid, databases } = service;
  // If the databases couldn't be listed, the errors of later requests show what is wrong.
  const [problem] = databases.length === 0 ? [] : checkRecipe(text, recipe, { databases });
  if (problem) return host.failInvalid([problem]);
  const named = withDatabaseNames(recipe, databases);
  const request = { recipe: named, folder, isLocked, ...('lock' in lock && { lock: lock.lock }) };
  const plan = await host.showPlanning((options) => recipeFlow.plan(session, request, options));
  return plan && { ...opened, recipe: named, session, orcid, plan };
}

/** Submits the transfer of a planned run, and writes the recipe's lock if the service has accepted the transfer. */
export async function submitRun<Canceled extends undefined>(
  host: SubmittingHost<Canceled>,
  planned: PlannedRun,
): Promise<RunResult | Canceled> {
  const obstacle = findObstacle(planned.plan);
  if (obstacle) return host.failObstructed(planned, obstacle);
  const order = await host.confirm(planned, toRunOrder(planned));
  const transfer = order && (await host.submit(order));
  if (!transfer) return transfer;
  const submission = { id: transfer.id, submitted: new Date(transfer.createdAt).toISOString() };
  try {
    await writeLock(planned.path, createLock(planned, submission));
    return { transfer };
  } catch (lockError) {
    return { transfer, lockError };
  }
}

/** Returns the order for a planned run. The recipe must have a destination. */
export function toRunOrder({ plan, folder, session, orcid }: PlannedRun): TransferOrder {
  const order = toOrder(plan, { connectionId: session.connection.id, orcid });
  const followUp = readFollowUp(plan.recipe.then);
  return withFollowUp(order, followUp && { ...followUp, path: join(folder, followUp.path) });
}

function createLock({ name, plan, session }: PlannedRun, transfer: RecipeLock['transfer']): RecipeLock {
  const { name: serviceName, address, version } = session.service;
  const { from, to } = plan.recipe;
  return {
    version: 1,
    recipe: name,
    service: { name: serviceName, address, version },
    from: from.database,
    to: to?.database ?? '',
    transfer,
    files: [...plan.lockFiles],
  };
}
