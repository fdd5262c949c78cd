import { l10n } from 'vscode';
import type { Transfer } from '../../../core/model/transferModel.ts';
import {
  findObstacle,
  hasDifference,
  type LockDifference,
  type PlanObstacle,
  type RecipePlan,
} from '../../../core/recipes/planRecipe.ts';
import { sortRecipeFiles, type RecipeFile } from '../../../core/recipes/recipeFile.ts';
import { submitRun, toRunOrder, type OpenRecipe, type PlannedRun } from '../../../core/search/recipeRun.ts';
import { CommandFailure, CommandHint, createCommandAction, runCommand } from '../../editor/commandBoundary.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import {
  describeLock,
  describeOmissions,
  describeObstacle,
  formatPlanSize,
  getCompareTitle,
  getRunLockedTitle,
} from '../../words/recipeWords.ts';
import { cite } from '../citations/cite.ts';
import type { CommandServices } from '../services.ts';
import { sumUpOrders } from '../submission/submissionSummary.ts';
import { verifyTransferredFiles } from '../verification/verifyTransferredFiles.ts';
import { openAndPlan, openRecipe, type EditorRecipeHost, type RecipeArgument } from './recipeDocument.ts';

/** Runs a recipe: finds its files, asks for confirmation, submits the transfer, and writes the lock. */
export async function runRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, getDialogTitle('dataTransfer.runRecipe'), false);
}

/** Runs a recipe with exactly the files in its lock. Fails if a file no longer exists or has changed. */
export async function runLockedRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, getRunLockedTitle().replace(/…$/, ''), true);
}

async function run(
  services: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
  isLocked: boolean,
): Promise<void> {
  const opened = await openAndPlan(services, argument, title, isLocked);
  const { lockError } = (opened && (await submitRun(opened.host, opened.planned))) ?? {};
  if (lockError === undefined) return;
  const text = l10n.t(
    "The transfer was submitted, but the recipe's lock file couldn't be written: {0}",
    describeError(lockError),
  );
  void services.notifications.warning(text);
}

/** Shows what running a recipe would do now. Doesn't submit a transfer. */
export async function dryRunRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const opened = await openAndPlan(services, argument, l10n.t('Dry Run'));
  if (!opened) return;
  const { host, planned } = opened;
  const { plan } = planned;
  const found = findObstacle(plan);
  const obstacle = found === 'noDestination' ? undefined : found;
  const lines = await describePlan(services, planned, obstacle);
  const size = plan.recipe.to ? formatFileCount(plan.files.length) : formatPlanSize(plan);
  const title = l10n.t('Dry run of {0}: {1}', host.name, size);
  await services.notifications.report(
    obstacle ? 'warning' : 'info',
    title,
    lines.join('\n'),
    ...createActions(host, plan, found),
  );
}

async function describePlan(
  services: CommandServices,
  planned: PlannedRun,
  obstacle: PlanObstacle | undefined,
): Promise<readonly string[]> {
  const { plan, lock } = planned;
  if (obstacle === 'failed') return [describeObstacle(plan, obstacle)];
  const effect = obstacle
    ? [`\n${l10n.t("Running the recipe wouldn't send anything. {0}", describeObstacle(plan, obstacle))}`]
    : [];
  const facts = [...describeLock(lock, plan.difference), ...describeOmissions(plan)];
  return [...(await describeOrder(services, planned, facts)), ...effect];
}

async function describeOrder(
  services: CommandServices,
  planned: PlannedRun,
  notes: readonly string[],
): Promise<readonly string[]> {
  const { recipe, files } = planned.plan;
  if (!recipe.to || files.length === 0) return [...notes, l10n.t('From: {0}', toPlainLine(recipe.from.database))];
  return await sumUpOrders(services, [toRunOrder(planned)], notes);
}

function createActions(
  host: EditorRecipeHost,
  { difference }: RecipePlan,
  obstacle: PlanObstacle | undefined,
): readonly NotificationAction[] {
  const run = { label: l10n.t('Run…'), run: () => runCommand('dataTransfer.runRecipe', host.uri) };
  return [...(obstacle ? [] : [run]), ...(difference ? [host.createCompareAction()] : [])];
}

/** Opens a diff editor that compares the files in a recipe's lock with those that the recipe finds now. */
export async function compareRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const opened = await openAndPlan(services, argument, getCompareTitle());
  if (!opened) return;
  const { plan, lock } = opened.planned;
  const { name } = opened.host;
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

/** Verifies the files that a recipe's last run transferred. */
export async function verifyRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const transfer = await findLastRun(services, argument, getDialogTitle('dataTransfer.verifyLandedFiles'));
  if (transfer) await verifyTransferredFiles(services, { kind: 'transfer', key: transfer.key });
}

/** Cites the files that a recipe's last run transferred. */
export async function citeRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const transfer = await findLastRun(services, argument, getDialogTitle('dataTransfer.cite'));
  if (transfer) await cite(services, { kind: 'transfer', key: transfer.key }, undefined);
}

/**
 * Returns the transfer that a recipe's lock refers to. Throws a {@link CommandHint} if there is no usable lock, or if
 * the transfer is unknown. Returns undefined if the user cancels.
 */
async function findLastRun(
  { transferFlow, transferStore }: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
): Promise<Transfer | undefined> {
  const opened = await openRecipe(argument, title);
  if (!opened) return undefined;
  const id = getTransferId(opened);
  await transferFlow.loadFinished();
  const transfer = transferStore.getAll().find((one) => one.id === id);
  if (transfer) return transfer;
  const track = createCommandAction('dataTransfer.checkTransferById');
  throw new CommandHint(
    l10n.t("The last run's transfer ({0}) isn't in this machine's history.", toPlainLine(id)),
    track,
  );
}

function getTransferId({ lock }: OpenRecipe): string {
  if (!('lock' in lock)) throw new CommandHint(describeLock(lock, undefined).join(' '));
  return lock.lock.transfer.id;
}
