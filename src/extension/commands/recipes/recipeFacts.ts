import type { ServiceFacts } from '../../../core/recipes/checkRecipe.ts';
import { findDatabase } from '../../../core/recipes/checkRecipe.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { RecipeDiagnostics } from '../../editor/recipeDiagnostics.ts';
import type { CommandServices } from '../services.ts';
import { findConnectionId } from './recipeSession.ts';

/** Creates the diagnostics for recipes. They check recipes against the active connection's service. */
export function createRecipeDiagnostics(services: CommandServices): RecipeDiagnostics {
  return new RecipeDiagnostics({
    getFacts: (recipe) => getFacts(services, recipe),
    onDidChangeFacts: (listener) => onDidChangeFacts(services, listener),
  });
}

function onDidChangeFacts({ connectionStore, recipeFlow }: CommandServices, listener: () => void): Disposable {
  const subscriptions = new Lifetime();
  subscriptions.track(connectionStore.onDidChange(listener));
  subscriptions.track(recipeFlow.missingIds.onDidChange(listener));
  return subscriptions;
}

/**
 * Returns the facts about a recipe's service if its connection is active and its databases are listed. Never opens a
 * connection.
 */
async function getFacts(services: CommandServices, { service, from }: Recipe): Promise<ServiceFacts | undefined> {
  const { connectionStore, parameterFlow, recipeFlow, sessions } = services;
  const id = service === undefined ? sessions.active?.connection.id : findConnectionId(services, service);
  const { databases, isLoading } = connectionStore.listing;
  if (id === undefined || sessions.active?.connection.id !== id || isLoading || databases.length === 0)
    return undefined;
  const database = findDatabase(databases, from.database);
  const isNeeded = database !== undefined && from.search?.specific !== undefined;
  const listing = isNeeded ? await parameterFlow.load(database.name) : undefined;
  const missingIds = recipeFlow.missingIds.get(id, database?.name ?? '');
  return { databases, missingIds, ...(listing && !listing.reason && { parameters: Object.keys(listing.parameters) }) };
}
