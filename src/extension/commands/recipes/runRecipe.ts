import { l10n } from 'vscode';
import type { Transfer, TransferOrder } from '../../../core/model/transferModel.ts';
import { findObstacle, toOrder } from '../../../core/recipes/planRecipe.ts';
import { writeLock, type RecipeLock } from '../../../core/recipes/recipeLock.ts';
import { CommandFailure, CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import { describeError } from '../../words/plainText.ts';
import { describeLock, describeObstacle } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import type { LeaveOutListener } from '../submission/knownCopies.ts';
import { confirmSubmission } from '../submission/submissionSummary.ts';
import { submitTransfers } from '../submission/submitter.ts';
import type { RecipeArgument } from './recipeDocument.ts';
import { openAndPlan, type PlannedRecipe } from './recipePlanning.ts';

/** Runs a recipe: finds its files, asks for confirmation, submits the transfer, and writes the lock. */
export async function runRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, false);
}

/** Runs a recipe with exactly the files in its lock. Fails if a file no longer exists or has changed. */
export async function runLockedRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  await run(services, argument, true);
}

async function run(services: CommandServices, argument: RecipeArgument | undefined, isLocked: boolean): Promise<void> {
  const title = isLocked ? l10n.t('Run with Locked Files') : l10n.t('Run Recipe');
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
  const compare = { label: l10n.t('Compare with Lock'), run: () => runCommand('dataTransfer.compareRecipe', uri) };
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
