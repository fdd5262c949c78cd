import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import { checkRecipe, withDatabaseNames } from '../../../core/recipes/parseRecipe.ts';
import type { RecipePlan } from '../../../core/recipes/planRecipe.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { withProgress } from '../../editor/notifications.ts';
import { createConnectStep } from '../../editor/nextSteps.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeLock } from '../../words/recipeWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import type { CommandServices } from '../services.ts';
import { createProblemFailure, openRecipe, type OpenRecipe, type RecipeArgument } from './recipeDocument.ts';
import { findConnectionId } from './serviceFacts.ts';

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

/** A recipe, and the connection to its service. */
interface ConnectedRecipe extends OpenRecipe {
  readonly session: OpenConnection;
  readonly orcid: string;
}

/**
 * Connects to a recipe's service, and checks that the service has the recipe's databases. Returns undefined if the user
 * cancels.
 */
async function connectRecipe(services: CommandServices, opened: OpenRecipe): Promise<ConnectedRecipe | undefined> {
  const session = await openSession(services, opened.recipe.service);
  const orcid = session && (await requireOrcid(services, session.connection.id));
  if (!session || orcid === undefined) return undefined;
  const recipe = await checkDatabases(services, session, opened);
  return { ...opened, recipe, session, orcid };
}

async function openSession(
  services: CommandServices,
  service: string | undefined,
): Promise<OpenConnection | undefined> {
  if (service === undefined) return await requireSession(services);
  const id = findConnectionId(services, service);
  if (id !== undefined) return await getOrOpenConnection(services, id);
  const text = l10n.t("The recipe's service ({0}) isn't among your connections.", toPlainLine(service));
  throw new CommandHint(text, createConnectStep());
}

async function checkDatabases(
  { connectFlow }: CommandServices,
  session: OpenConnection,
  { recipe, text, uri, name }: OpenRecipe,
): Promise<Recipe> {
  const databases = await connectFlow.listDatabases(session.connection.id);
  // If the databases can't be listed, the errors of later requests show what is wrong.
  const [problem] = databases.length === 0 ? [] : checkRecipe(text, recipe, { databases });
  if (problem) throw createProblemFailure(uri, name, problem);
  return withDatabaseNames(recipe, databases);
}
