import { findDatabase, findRecipeConnection, type ServiceFacts } from '../../../core/recipes/parseRecipe.ts';
import { localLinkService } from '../../../core/model/link.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { CommandServices } from '../services.ts';

type FactSources = Pick<CommandServices, 'settings' | 'connectionStore' | 'parameterFlow' | 'recipeFlow' | 'sessions'>;

/**
 * Returns the facts about a recipe's service. Returns undefined unless the service's connection is active, its
 * databases are listed, and the workspace is trusted. Never opens a connection, and sends no requests in an untrusted
 * workspace.
 */
export async function loadServiceFacts(
  services: FactSources,
  { service, from }: Recipe,
  isTrusted: boolean,
): Promise<ServiceFacts | undefined> {
  if (!isTrusted) return undefined;
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

/** Returns the ID of the connection that a recipe refers to by name or address; undefined if there is none. */
export function findConnectionId({ settings }: Pick<CommandServices, 'settings'>, service: string): string | undefined {
  if (service === localLinkService) return localConnectionId;
  return findRecipeConnection(settings.connections, service)?.id;
}
