import { resolve } from 'node:path';
import {
  planRun,
  readRecipe,
  submitRun,
  toRunOrder,
  type OpenRecipe,
  type PlannedRun,
} from '../../core/search/recipeRun.ts';
import { findCluster } from '../../core/model/databaseModel.ts';
import { withFollowUp } from '../../core/model/transferModel.ts';
import { findSubmissionFacts } from '../../core/transfers/submissionFacts.ts';
import { findObstacle, hasDifference } from '../../core/recipes/planRecipe.ts';
import { recipeExtension } from '../../core/recipes/recipeNames.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import type { FollowUp } from '../../core/util/followUp.ts';
import { CliError, createRequestError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import {
  readFollowUpOption,
  reportTransfer,
  requireWaitForTimeout,
  type WaitFlags,
} from '../transfers/transferStart.ts';
import {
  brokenLock,
  describeObstacle,
  formatFileDifferences,
  formatPlan,
  getObstacleCode,
  toDifferenceDocument,
  toPlanDocument,
  type DestinationFacts,
} from './planText.ts';
import { checkSubmission } from './submissionCheck.ts';
import { CliRecipeHost, CliRecipeReader } from './recipeHost.ts';

/** The options of `run`. */
export interface RunFlags extends WaitFlags {
  readonly dryRun?: boolean;
  readonly locked?: boolean;
  readonly then?: string;
  readonly again?: boolean;
}

/** Runs a recipe and writes its lock. In a dry run, only prints the files that the recipe would transfer. */
export async function runRecipeFile(context: CommandContext, file: string, flags: RunFlags): Promise<ExitCode> {
  requireWaitForTimeout(flags);
  const opened = await openRecipe(file);
  return await CliSession.run(context, async (session) => {
    const followUp = readFollowUpOption(flags.then);
    const host = new CliRecipeHost(session, file, flags.again, followUp);
    const planned = await planRun<never>(session.explorer.recipeFlow, host, opened, flags.locked);
    if (flags.dryRun) return await printPlan(session, planned, followUp);
    const { transfer, lockError } = await submitRun<never>(host, planned);
    if (lockError !== undefined) {
      const text = "The transfer was started, but the recipe's lock file couldn't be written";
      context.output.note(`${text} (${getErrorCode(lockError)}).`);
    }
    const code = await reportTransfer(session, transfer.key, flags);
    return lockError === undefined ? code : exitCode.failed;
  });
}

const noLock = 'The recipe has no lock to compare with.';
const howToLock = 'Running the recipe writes one.';
const savedSearch = 'It is a saved search: add a destination and run it to write one.';

/**
 * Prints the differences between a recipe's lock and the files that the recipe currently finds. Resolves to exit code 5
 * if there are differences. Throws CliError if there is no readable lock, if the files can't be determined, or if there
 * are too many files.
 */
export async function compareWithLock(context: CommandContext, file: string): Promise<ExitCode> {
  const opened = await openRecipe(file);
  if (opened.lock.kind === 'broken') throw new CliError(brokenLock);
  if (opened.lock.kind === 'none')
    throw new CliError(`${noLock} ${opened.recipe.to ? howToLock : savedSearch}`, exitCode.notFound);
  return await CliSession.run(context, async (session) => {
    const planned = await planRun<never>(session.explorer.recipeFlow, new CliRecipeHost(session, file), opened);
    const { plan } = planned;
    const { failure, difference } = plan;
    if (failure?.kind === 'service') throw createRequestError("Couldn't find the files", failure.reason);
    if (!difference)
      throw new CliError(`Nothing was compared. ${describeObstacle(plan, findObstacle(plan) ?? 'failed')}`);
    context.output.print(toDifferenceDocument(planned), () => formatFileDifferences(planned));
    return hasDifference(difference) ? exitCode.differs : exitCode.done;
  });
}

async function openRecipe(file: string): Promise<OpenRecipe> {
  if (!file.endsWith(recipeExtension))
    throw createUsageError(`The file name of a recipe must end in ${recipeExtension}.`);
  return await readRecipe(new CliRecipeReader(file), resolve(file));
}

async function printPlan(session: CliSession, planned: PlannedRun, followUp?: FollowUp): Promise<ExitCode> {
  const destination = await readDestinationFacts({ session, followUp }, planned);
  const document = toPlanDocument(planned, destination, followUp);
  session.context.output.print(document, () => formatPlan(planned, destination, followUp));
  const obstacle = findObstacle(planned.plan);
  // A recipe without a destination is a saved search.
  if (obstacle && obstacle !== 'noDestination') return getObstacleCode(planned.plan, obstacle);
  return destination.refusals?.length ? exitCode.failed : exitCode.done;
}

interface PlanContext {
  readonly session: CliSession;
  /** Takes the place of the recipe's follow-up. */
  readonly followUp: FollowUp | undefined;
}

/**
 * Returns the known facts about a plan's destination. These are the free space, the numbers of the plan's files
 * that are already there, and that were transferred there earlier, and why the transfer would be refused.
 */
async function readDestinationFacts(run: PlanContext, planned: PlannedRun): Promise<DestinationFacts> {
  const { explorer, context } = run.session;
  const { plan } = planned;
  if (findObstacle(plan) === 'failed' || !plan.recipe.to || plan.files.length === 0) return {};
  // Reads the transfer records, because the files of earlier transfers also count.
  await explorer.transferFlow.resume();
  const order = toRunOrder(planned);
  const [source, destination] = [order.source, order.destination].map((name) =>
    explorer.connectionStore.findDatabase(name),
  );
  const facts = await findSubmissionFacts(explorer, [order], { destination, signal: context.signal });
  const { atDestination, freeBytes, isComplete, received } = facts;
  const isKnown = atDestination.size > 0 || isComplete;
  const transferredBefore = [...received.keys()].filter((file) => !atDestination.has(file)).length;
  const cluster = findCluster(source, destination, order.files);
  return {
    ...(await checkSubmission(run.session, withFollowUp(order, run.followUp), destination)),
    ...(cluster && { cluster }),
    ...(freeBytes !== undefined && { freeBytes }),
    ...(isKnown && { alreadyThere: { files: atDestination.size, atLeast: !isComplete } }),
    ...(transferredBefore > 0 && { transferredBefore }),
  };
}
