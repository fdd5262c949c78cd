import type { Command } from 'commander';
import { hasDifference } from '../../core/recipes/compareFiles.ts';
import { CliError, createRequestError } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { formatFileDifferences, toDifferenceDocument } from '../recipes/planDocument.ts';
import { describeObstacle } from '../recipes/planText.ts';
import { planRun } from '../recipes/plannedRun.ts';
import { readRecipe } from '../recipes/recipeInput.ts';
import { runAction } from '../runAction.ts';

/** Adds `compare`, which compares the files that a recipe finds now with its lock. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare the files that a recipe finds now with its lock; exits with 5 if they differ')
    .argument('<recipe>', 'a *.transfer.json file')
    .action((file: string, _, command: Command) => runAction(command, (context) => compareRecipe(context, file)));
}

async function compareRecipe(context: CommandContext, file: string): Promise<ExitCode> {
  const input = await readRecipe(file);
  if (!('lock' in input.lock)) throw new CliError('The recipe has no lock to compare with.', exitCode.notFound);
  return await CliSession.run(context, async (session) => {
    const planned = await planRun(session, input);
    const { failure, difference } = planned.plan;
    if (failure?.kind === 'service') throw createRequestError("Couldn't find the files", failure.reason);
    if (!difference) throw new CliError(describeObstacle(planned.plan, 'failed'));
    context.output.print(toDifferenceDocument(planned), () => formatFileDifferences(planned));
    return hasDifference(difference) ? exitCode.differs : exitCode.done;
  });
}
