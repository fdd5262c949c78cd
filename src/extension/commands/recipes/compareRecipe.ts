import { l10n } from 'vscode';
import { findObstacle, hasDifference, type LockDifference } from '../../../core/recipes/planRecipe.ts';
import { sortRecipeFiles, type RecipeFile } from '../../../core/recipes/recipeFile.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { describeLock, describeObstacle } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import type { RecipeArgument } from './recipeDocument.ts';
import { openAndPlan } from './recipePlanning.ts';

/** Opens a diff editor that compares the files in a recipe's lock with those that the recipe finds now. */
export async function compareRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const planned = await openAndPlan(services, argument, l10n.t('Compare with Lock'));
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
