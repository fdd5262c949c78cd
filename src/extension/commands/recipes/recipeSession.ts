import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import { checkRecipe, withDatabaseNames } from '../../../core/recipes/checkRecipe.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { createConnectStep } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import type { CommandServices } from '../services.ts';
import { createProblemFailure, type OpenRecipe } from './recipeDocument.ts';
import { findConnectionId } from './serviceFacts.ts';

/** A recipe, and the connection to its service. */
export interface ConnectedRecipe extends OpenRecipe {
  readonly session: OpenConnection;
  readonly orcid: string;
}

/**
 * Connects to a recipe's service, and checks that the service has the recipe's databases. Returns undefined if the user
 * cancels.
 */
export async function connectRecipe(
  services: CommandServices,
  opened: OpenRecipe,
): Promise<ConnectedRecipe | undefined> {
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
