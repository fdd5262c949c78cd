import type { Command } from 'commander';
import type { Transfer } from '../../core/model/transferModel.ts';
import { findObstacle, toOrder } from '../../core/recipes/planRecipe.ts';
import type { RecipeLock } from '../../core/recipes/lockFormat.ts';
import { writeLock } from '../../core/recipes/recipeLock.ts';
import { getErrorCode } from '../../core/util/errorCode.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { parseCount } from '../optionValues.ts';
import { readDestinationFacts } from '../recipes/destinationFacts.ts';
import { formatPlan, toPlanDocument } from '../recipes/planDocument.ts';
import { getObstacleCode, planRun, requireRunnable, type PlannedRun } from '../recipes/plannedRun.ts';
import { readRecipe } from '../recipes/recipeInput.ts';
import { runAction } from '../runAction.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import { requireNotUnderWay } from '../transfers/transferOverlap.ts';
import { reportTransfer, submitTransfer, type WaitFlags } from '../transfers/transferStart.ts';

interface RunFlags extends WaitFlags {
  readonly dryRun?: boolean;
  readonly locked?: boolean;
  readonly again?: boolean;
}

/** Adds `run`, which carries out a recipe. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('find the files of a recipe, transfer them, and write its lock')
    .argument('<recipe>', 'a *.transfer.json file')
    .option('--dry-run', 'print what would be transferred, and send nothing')
    .option('--locked', 'transfer exactly the files of the lock; exits with 5 if one is gone or has changed')
    .option('--again', 'transfer files that another transfer is copying to the same destination')
    .option('--wait', 'wait until the transfer has ended')
    .option('--timeout <seconds>', 'the maximum time to wait', parseCount)
    .action((file: string, flags: RunFlags, command: Command) =>
      runAction(command, (context) => runRecipe(context, file, flags)),
    );
}

async function runRecipe(context: CommandContext, file: string, flags: RunFlags): Promise<ExitCode> {
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
  return obstacle === 'noDestination' ? exitCode.done : getObstacleCode(obstacle);
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

/** Writes the lock. Prints the reason and returns false if that fails; the transfer was started anyway. */
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
    context.output.note(`The transfer was started, but its lock couldn't be written (${getErrorCode(error)}).`);
    return false;
  }
}

function createLock({ plan, connection, name }: PlannedRun, transfer: RecipeLock['transfer']): RecipeLock {
  const { name: serviceName, address, version } = connection.service;
  const { from, to } = plan.recipe;
  return {
    ...{ version: 1, recipe: name, service: { name: serviceName, address, version } },
    ...{ from: from.database, to: to?.database ?? '', transfer, files: [...plan.files] },
  };
}
