import { findObstacle, toOrder } from '../../core/recipes/planRecipe.ts';
import { readFreeBytes } from '../../core/util/freeSpace.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { findServedFolder } from '../../core/verification/servedFolder.ts';
import type { DestinationFacts } from './planText.ts';
import type { PlannedRun } from './plannedRun.ts';

/**
 * Returns the known facts about a plan's destination. These are the free space, and the number of the plan's files that
 * are already there or were transferred there earlier.
 */
export async function readDestinationFacts(session: CliSession, planned: PlannedRun): Promise<DestinationFacts> {
  const { plan, connection } = planned;
  if (findObstacle(plan) === 'failed' || !plan.recipe.to || plan.files.length === 0) return {};
  const destination = session.explorer.connectionStore.findDatabase(plan.recipe.to.database);
  const folder = destination && findServedFolder(connection, destination);
  const freeBytes = folder === undefined ? undefined : await readFreeBytes(folder);
  const alreadyThere = await countCopies(session, planned, connection.connection.id);
  return { ...(freeBytes !== undefined && { freeBytes }), ...(alreadyThere && { alreadyThere }) };
}

async function countCopies(
  session: CliSession,
  { plan }: PlannedRun,
  connectionId: string,
): Promise<DestinationFacts['alreadyThere']> {
  const { explorer, context } = session;
  // Reads the transfer records, because the files of earlier transfers also count.
  await explorer.transferFlow.resume();
  const order = toOrder(plan, { connectionId, orcid: session.getOrcid(connectionId) });
  const readVerified = (): Promise<[]> => Promise.resolve([]);
  const known = await explorer.duplicateFlow.findKnownCopies([order], { signal: context.signal, readVerified });
  const files = new Set([...known.atDestination, ...known.received.keys()]).size;
  return files > 0 || known.isComplete ? { files, atLeast: !known.isComplete } : undefined;
}
