import { findObstacle, hasDifference } from '../../core/recipes/planRecipe.ts';
import { CliError, createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { formatFileDifferences, planRun, toDifferenceDocument } from './plannedRun.ts';
import { brokenLock, describeObstacle } from './planText.ts';
import { readRecipe } from './recipeInput.ts';

const noLock = 'The recipe has no lock to compare with.';
const howToLock = 'Running the recipe writes one.';
const savedSearch = 'It is a saved search: add a destination and run it to write one.';

/**
 * Prints the differences between a recipe's lock and the files that the recipe currently finds. Resolves to exit code 5
 * if there are differences. Throws CliError if there is no readable lock, if the files can't be determined, or if there
 * are too many files.
 */
export async function compareWithLock(context: CommandContext, file: string): Promise<ExitCode> {
  const input = await readRecipe(file);
  if (input.lock.kind === 'broken') throw new CliError(brokenLock);
  if (!('lock' in input.lock)) {
    throw new CliError(`${noLock} ${input.recipe.to ? howToLock : savedSearch}`, exitCode.notFound);
  }
  return await CliSession.run(context, async (session) => {
    const planned = await planRun(session, input);
    const { plan } = planned;
    const { failure, difference } = plan;
    if (failure?.kind === 'service') throw createRequestError("Couldn't find the files", failure.reason);
    if (!difference)
      throw new CliError(`Nothing was compared. ${describeObstacle(plan, findObstacle(plan) ?? 'failed')}`);
    context.output.print(toDifferenceDocument(planned), () => formatFileDifferences(planned));
    return hasDifference(difference) ? exitCode.differs : exitCode.done;
  });
}
