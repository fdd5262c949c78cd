import type { Command } from 'commander';
import { runAction } from '../runAction.ts';

/** Adds `compare`, which compares the files that a recipe currently finds with those in its lock. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare the files that a recipe finds now with its lock; exits with 5 if they differ')
    .argument('<recipe>', 'a *.transfer.json file')
    .action((file: string, _, command: Command) =>
      runAction(command, async (context) => {
        const { compareWithLock } = await import('../recipes/recipeComparison.ts');
        return await compareWithLock(context, file);
      }),
    );
}
