import { l10n } from 'vscode';
import type { RecipePlan } from '../../../core/recipes/planRecipe.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { withProgress } from '../../editor/notifications.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeLock } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import { openRecipe, type RecipeArgument } from './recipeDocument.ts';
import { connectRecipe, type ConnectedRecipe } from './recipeSession.ts';

/** Time in milliseconds after which a progress notification with a Cancel button appears. */
const quickMs = 500;

/** A recipe, and the files that it currently finds. */
export interface PlannedRecipe extends ConnectedRecipe {
  readonly plan: RecipePlan;
}

/** Opens a recipe, connects to its service, and determines its files. Returns undefined if the user cancels. */
export async function openAndPlan(
  services: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
  isLocked = false,
): Promise<PlannedRecipe | undefined> {
  const opened = await openRecipe(argument, title);
  if (!opened) return undefined;
  const { lock } = opened;
  // Never replace a lock that belongs to another recipe, or that a later version of the extension has written.
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
  const cancellation = new AbortController();
  let show: (message: string) => void = () => undefined;
  const onProgress = (count: number): void => show(formatFileCount(count));
  const planning = recipeFlow.plan(session, request, { signal: cancellation.signal, onProgress });
  if (await settlesWithin(systemClock, quickMs, planning)) return await planning;
  return await withProgress(l10n.t('Finding the files for {0}', name), async (signal, report) => {
    show = report;
    signal.addEventListener('abort', () => cancellation.abort());
    return await planning.catch((error: unknown) => ignoreCancellation(error, cancellation.signal));
  });
}

function ignoreCancellation(error: unknown, { aborted }: AbortSignal): undefined {
  if (!aborted) throw error;
}
