import { l10n } from 'vscode';
import type { Transfer, TransferOrder } from '../../../core/model/transferModel.ts';
import {
  findObstacle,
  hasDifference,
  toOrder,
  type LockDifference,
  type PlanObstacle,
} from '../../../core/recipes/planRecipe.ts';
import { sortRecipeFiles, type RecipeFile } from '../../../core/recipes/recipeFile.ts';
import { writeLock, type RecipeLock } from '../../../core/recipes/recipeLock.ts';
import { CommandFailure, CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import {
  describeLock,
  describeObstacle,
  formatPlanSize,
  getCompareTitle,
  getRunLockedTitle,
} from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import { findCopies, type LeaveOutListener } from '../submission/knownCopies.ts';
import { confirmSubmission, sumUpOrders } from '../submission/submissionSummary.ts';
import { submitTransfers } from '../submission/submitter.ts';
import type { RecipeArgument } from './recipeDocument.ts';
import { openAndPlan, type PlannedRecipe } from './recipePlanning.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Runs a recipe: finds its files, asks for confirmation, submits the transfer, and writes the lock. */
export async function runRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, false);
}

/** Runs a recipe with exactly the files in its lock. Fails if a file no longer exists or has changed. */
export async function runLockedRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, true);
}

async function run(services: CommandServices, argument: RecipeArgument | undefined, isLocked: boolean): Promise<void> {
  const title = isLocked ? getRunLockedTitle().replace(/…$/, '') : getDialogTitle('dataTransfer.runRecipe');
  const planned = await openAndPlan(services, argument, title, isLocked);
  if (!planned) return;
  checkPlan(planned);
  const { plan, session, orcid, lock } = planned;
  let orders: readonly TransferOrder[] = [toOrder(plan, { connectionId: session.connection.id, orcid })];
  const notes = describeLock(lock, plan.difference);
  const onLeaveOut: LeaveOutListener = (remaining) => (orders = remaining);
  if ((await confirmSubmission(services, orders, { notes, onLeaveOut })) !== 'next') return;
  const [result] = await submitTransfers(services, orders);
  // If there is no ID, the service has not confirmed the transfer (D12: never resubmit).
  if (result?.transfer?.id !== undefined) await saveLock(services, planned, result.transfer, result.transfer.id);
}

function checkPlan({ plan, uri }: PlannedRecipe): void {
  const obstacle = findObstacle(plan);
  if (!obstacle) return;
  const text = describeObstacle(plan, obstacle);
  if (obstacle === 'noDestination') throw new CommandHint(text);
  const compare = { label: getCompareTitle(), run: () => runCommand('dataTransfer.compareRecipe', uri) };
  throw new CommandFailure(l10n.t('Nothing was sent. {0}', text), ...(obstacle === 'differsFromLock' ? [compare] : []));
}

async function saveLock(
  { notifications }: CommandServices,
  planned: PlannedRecipe,
  { createdAt }: Transfer,
  id: string,
): Promise<void> {
  try {
    await writeLock(planned.uri.fsPath, createLock(planned, { id, submitted: new Date(createdAt).toISOString() }));
  } catch (error) {
    const text = l10n.t(
      "The transfer was submitted, but the recipe's lock file couldn't be written: {0}",
      describeError(error),
    );
    void notifications.warning(text);
  }
}

function createLock({ plan, session, uri }: PlannedRecipe, transfer: RecipeLock['transfer']): RecipeLock {
  const { name, address, version } = session.service;
  return {
    version: 1,
    recipe: uri.path.split('/').at(-1) ?? '',
    service: { name, address, version },
    from: plan.recipe.from.database,
    to: plan.recipe.to?.database ?? '',
    transfer,
    files: [...plan.lockFiles],
  };
}

/** Shows what running a recipe would do now. Doesn't submit a transfer. */
export async function dryRunRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const planned = await openAndPlan(services, argument, l10n.t('Dry Run'));
  if (!planned) return;
  const { plan, name } = planned;
  const found = findObstacle(plan);
  const obstacle = found === 'noDestination' ? undefined : found;
  const lines = await describePlan(services, planned, obstacle);
  const size = plan.recipe.to ? formatFileCount(plan.files.length) : formatPlanSize(plan);
  const title = l10n.t('Dry run of {0}: {1}', name, size);
  await services.notifications.report(
    obstacle ? 'warning' : 'info',
    title,
    lines.join('\n'),
    ...createActions(planned, found),
  );
}

async function describePlan(
  services: CommandServices,
  planned: PlannedRecipe,
  obstacle: PlanObstacle | undefined,
): Promise<readonly string[]> {
  const { plan, lock } = planned;
  if (obstacle === 'failed') return [describeObstacle(plan, obstacle)];
  const effect = obstacle
    ? [`\n${l10n.t("Running the recipe wouldn't send anything. {0}", describeObstacle(plan, obstacle))}`]
    : [];
  return [...describeLock(lock, plan.difference), ...(await describeOrder(services, planned)), ...effect];
}

async function describeOrder(
  services: CommandServices,
  { plan, session, orcid }: PlannedRecipe,
): Promise<readonly string[]> {
  const { recipe, files } = plan;
  if (!recipe.to || files.length === 0) return [l10n.t('From: {0}', toPlainLine(recipe.from.database))];
  const orders = [toOrder(plan, { connectionId: session.connection.id, orcid })];
  const [{ lines }, copies] = await Promise.all([
    sumUpOrders(services, orders),
    findCopies(services, orders, undefined),
  ]);
  return [...lines, ...copies.lines.map((line) => `\n${line}`)];
}

function createActions(
  { uri, plan }: PlannedRecipe,
  obstacle: PlanObstacle | undefined,
): readonly NotificationAction[] {
  const run = { label: l10n.t('Run…'), run: () => runCommand('dataTransfer.runRecipe', uri) };
  const compare = { label: getCompareTitle(), run: () => runCommand('dataTransfer.compareRecipe', uri) };
  return [...(obstacle ? [] : [run]), ...(plan.difference ? [compare] : [])];
}

/** Opens a diff editor that compares the files in a recipe's lock with those that the recipe finds now. */
export async function compareRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const planned = await openAndPlan(services, argument, getCompareTitle());
  if (!planned) return;
  const { plan, lock, name } = planned;
  if (plan.failure) throw new CommandFailure(describeObstacle(plan, 'failed'));
  if (!('lock' in lock)) throw new CommandHint(describeLock(lock, undefined).join(' '));
  if (!plan.difference) {
    const obstacle = plan.isStalled ? 'stalled' : (findObstacle(plan) ?? 'tooMany');
    throw new CommandFailure(l10n.t('Nothing was compared. {0}', describeObstacle(plan, obstacle)));
  }
  if (!hasDifference(plan.difference))
    services.notifications.showStatusMessage(l10n.t('Nothing has changed since the last run.'));
  await services.documents.compare(l10n.t('{0}: lock ↔ current files', name), name.replace(/\.json$/, '.txt'), {
    before: formatFiles(updateUnchangedFiles(lock.lock.files, plan.files, plan.difference)),
    after: formatFiles(plan.files),
  });
}

/** Returns the locked files, with current data for unchanged ones. A newly known hash is thus not shown as a change. */
function updateUnchangedFiles(
  before: readonly RecipeFile[],
  after: readonly RecipeFile[],
  { changed }: LockDifference,
): readonly RecipeFile[] {
  const later = new Map(after.map((file) => [file.id, file]));
  for (const one of changed) later.delete(one.before.id);
  return before.map((file) => later.get(file.id) ?? file);
}

/** Formats one line per file: path, size, hash and ID. */
function formatFiles(files: readonly RecipeFile[]): string {
  const lines = sortRecipeFiles(files).map(({ id, path, bytes, hash }) =>
    [path, bytes ?? '', hash ?? '', id].map((value) => String(value).replace(/\s+/g, ' ')).join('\t'),
  );
  return `${lines.join('\n')}\n`;
}
