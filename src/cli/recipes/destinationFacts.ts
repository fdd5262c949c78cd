import { findObstacle, toOrder } from '../../core/recipes/planRecipe.ts';
import { readFreeBytes } from '../../core/util/freeSpace.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { findServedFolder } from '../../core/verification/transferredFolder.ts';
import type { DestinationFacts } from './planText.ts';
import type { PlannedRun } from './plannedRun.ts';

/**
 * Returns the known facts about a plan's destination. These are the free space, and the numbers of the plan's files that
 * are already there, and that were transferred there earlier.
 */
export async function readDestinationFacts(session: CliSession, planned: PlannedRun): Promise<DestinationFacts> {
  const { plan, connection } = planned;
  if (findObstacle(plan) === 'failed' || !plan.recipe.to || plan.files.length === 0) return {};
  const destination = session.explorer.connectionStore.findDatabase(plan.recipe.to.database);
  const folder = destination && findServedFolder(connection, destination);
  const freeBytes = folder === undefined ? undefined : await readFreeBytes(folder);
  const copies = await countCopies(session, planned, connection.connection.id);
  return { ...(freeBytes !== undefined && { freeBytes }), ...copies };
}

async function countCopies(
  session: CliSession,
  { plan }: PlannedRun,
  connectionId: string,
): Promise<Pick<DestinationFacts, 'alreadyThere' | 'transferredBefore'>> {
  const { explorer, context } = session;
  // Reads the transfer records, because the files of earlier transfers also count.
  await explorer.transferFlow.resume();
  const order = toOrder(plan, { connectionId, orcid: session.getOrcid(connectionId) });
  const readVerified = (): Promise<[]> => Promise.resolve([]);
  const known = await explorer.duplicateFlow.findKnownCopies([order], { signal: context.signal, readVerified });
  const { atDestination, isComplete, received } = known;
  const isKnown = atDestination.size > 0 || isComplete;
  const transferredBefore = [...received.keys()].filter((file) => !atDestination.has(file)).length;
  return {
    ...(isKnown && { alreadyThere: { files: atDestination.size, atLeast: !isComplete } }),
    ...(transferredBefore > 0 && { transferredBefore }),
  };
}
