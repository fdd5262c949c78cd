import type { Transfer } from '../../core/model/transferModel.ts';
import { findObstacle, toOrder } from '../../core/recipes/planRecipe.ts';
import { writeLock, type RecipeLock } from '../../core/recipes/recipeLock.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { readDestinationFacts } from './destinationFacts.ts';
import { formatPlan, toPlanDocument } from './planDocument.ts';
import { getObstacleCode, planRun, requireRunnable, type PlannedRun } from './plannedRun.ts';
import { readRecipe } from './recipeInput.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import { requireNotUnderWay } from '../transfers/transferOverlap.ts';
import { reportTransfer, requireWaitForTimeout, submitTransfer, type WaitFlags } from '../transfers/transferStart.ts';

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
