import { l10n } from 'vscode';
import { findObstacle, toOrder, type PlanObstacle } from '../../../core/recipes/planRecipe.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeLock, describeObstacle, formatPlanSize } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import { findCopies } from '../submission/knownCopies.ts';
import { sumUpOrders } from '../submission/submissionSummary.ts';
import type { RecipeArgument } from './recipeDocument.ts';
import { openAndPlan, type PlannedRecipe } from './recipePlanning.ts';

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
  const compare = { label: l10n.t('Compare with Lock'), run: () => runCommand('dataTransfer.compareRecipe', uri) };
  return [...(obstacle ? [] : [run]), ...(plan.difference ? [compare] : [])];
}
