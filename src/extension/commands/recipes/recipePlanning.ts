import { l10n } from 'vscode';
import type { RecipePlan } from '../../../core/recipes/planRecipe.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { withProgress } from '../../editor/progress.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeLock } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import { openRecipe, type RecipeArgument } from './recipeDocument.ts';
import { connectRecipe, type ConnectedRecipe } from './recipeSession.ts';

/** A recipe with the files that it names now. */
export interface PlannedRecipe extends ConnectedRecipe {
  readonly plan: RecipePlan;
}

/** Opens a recipe, connects to its service, and determines its files. Undefined if the user cancels. */
export async function openAndPlan(
  services: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
  isLocked = false,
): Promise<PlannedRecipe | undefined> {
  const opened = await openRecipe(argument, title);
  if (!opened) return undefined;
  const { lock } = opened;
  // A lock that another recipe or a later version wrote must not be replaced.
  const isForeign = lock.kind === 'foreign' || lock.kind === 'newer';
  if (isForeign || (isLocked && lock.kind !== 'valid'))
    throw new CommandFailure(describeLock(lock, undefined).join(' '));
  const connected = await connectRecipe(services, opened);
  const plan = connected && (await planFiles(services, connected, isLocked));
  return plan && { ...connected, plan };
}

async function planFiles(
  { recipeFlow }: CommandServices,
  { session, recipe, folder, name, lock }: ConnectedRecipe,
  isLocked: boolean,
): Promise<RecipePlan | undefined> {
  const request = { recipe, folder, isLocked, ...('lock' in lock && { lock: lock.lock }) };
  return await withProgress(l10n.t('Finding the files of {0}', name), async (signal, report) => {
    const onProgress = (count: number): void => report(formatFileCount(count));
    try {
      return await recipeFlow.plan(session, request, { signal, onProgress });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}
