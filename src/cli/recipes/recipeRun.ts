import type { Transfer } from '../../core/model/transferModel.ts';
import { findObstacle, toOrder } from '../../core/recipes/planRecipe.ts';
import { writeLock, type RecipeLock } from '../../core/recipes/recipeLock.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { readFreeBytes } from '../../core/util/freeSpace.ts';
import { findServedFolder } from '../../core/verification/transferredFolder.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import {
  reportTransfer,
  requireNotUnderWay,
  requireWaitForTimeout,
  submitTransfer,
  type WaitFlags,
} from '../transfers/transferStart.ts';
import type { DestinationFacts } from './planText.ts';
import {
  formatPlan,
  getObstacleCode,
  planRun,
  requireRunnable,
  toPlanDocument,
  type PlannedRun,
} from './plannedRun.ts';
import { readRecipe } from './recipeInput.ts';

/** The options of `run`. */
export interface RunFlags extends WaitFlags {
  readonly dryRun?: boolean;
  readonly locked?: boolean;
  readonly again?: boolean;
}

/** Runs a recipe and writes its lock. In a dry run, only prints the files that the recipe would transfer. */
export async function runRecipeFile(context: CommandContext, file: string, flags: RunFlags): Promise<ExitCode> {
  requireWaitForTimeout(flags);
  const input = await readRecipe(file);
  return await CliSession.run(context, async (session) => {
    const planned = await planRun(session, input, flags.locked);
    return flags.dryRun ? await printPlan(session, planned) : await start(session, planned, flags);
  });
}

async function printPlan(session: CliSession, planned: PlannedRun): Promise<ExitCode> {
  const destination = await readDestinationFacts(session, planned);
  session.context.output.print(toPlanDocument(planned, destination), () => formatPlan(planned, destination));
  const obstacle = findObstacle(planned.plan);
  // A recipe without a destination is a saved search.
  return !obstacle || obstacle === 'noDestination' ? exitCode.done : getObstacleCode(planned.plan, obstacle);
}

async function start(session: CliSession, planned: PlannedRun, flags: RunFlags): Promise<ExitCode> {
  requireRunnable(planned);
  const { id: connectionId } = planned.connection.connection;
  const order = toOrder(planned.plan, { connectionId, orcid: session.getOrcid(connectionId) });
  const known = await loadTransfers(session);
  if (!flags.again) requireNotUnderWay(known, order);
  const transfer = await submitTransfer(session, order);
  const hasLock = await saveLock(session, planned, transfer);
  const code = await reportTransfer(session, transfer.key, flags);
  return hasLock ? code : exitCode.failed;
}

/** Writes a recipe's lock after its transfer has started. If writing fails, prints the reason and resolves to false. */
async function saveLock(
  { context }: CliSession,
  planned: PlannedRun,
  { id = '', createdAt }: Transfer,
): Promise<boolean> {
  try {
    const lock = createLock(planned, { id, submitted: new Date(createdAt).toISOString() });
    await writeLock(planned.path, lock);
    return true;
  } catch (error) {
    context.output.note(
      `The transfer was started, but the recipe's lock file couldn't be written (${getErrorCode(error)}).`,
    );
    return false;
  }
}

function createLock({ plan, connection, name }: PlannedRun, transfer: RecipeLock['transfer']): RecipeLock {
  const { name: serviceName, address, version } = connection.service;
  const { from, to } = plan.recipe;
  return {
    version: 1,
    recipe: name,
    service: { name: serviceName, address, version },
    from: from.database,
    to: to?.database ?? '',
    transfer,
    files: [...plan.lockFiles],
  };
}

/**
 * Returns the known facts about a plan's destination. These are the free space, and the numbers of the plan's files that
 * are already there, and that were transferred there earlier.
 */
async function readDestinationFacts(session: CliSession, planned: PlannedRun): Promise<DestinationFacts> {
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
