import type { Command } from 'commander';
import { optionTexts, parseCount } from '../options.ts';
import type { RunFlags } from '../recipes/runRecipeFile.ts';
import { runAction } from '../commandContext.ts';

/** Adds `run`, which runs a recipe. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('find the files of a recipe, transfer them, and write its lock')
    .argument('<recipe>', 'a *.transfer.json file')
    .option('--dry-run', 'print what would be transferred, and send nothing')
    .option('--locked', 'transfer exactly the files of the lock; exits with 5 if one is gone or has changed')
    .option('--then <file>', optionTexts.then)
    .option('--again', optionTexts.again)
    .option('--wait', optionTexts.wait)
    .option('--timeout <seconds>', optionTexts.timeout, parseCount)
    .action((file: string, flags: RunFlags, command: Command) =>
      runAction(command, async (context) => {
        const { runRecipeFile } = await import('../recipes/runRecipeFile.ts');
        return await runRecipeFile(context, file, flags);
      }),
    );
}

/** Adds `compare`, which compares the files that a recipe finds with those in its lock. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare the files that a recipe finds now with its lock; exits with 5 if they differ')
    .argument('<recipe>', 'a *.transfer.json file')
    .action((file: string, _, command: Command) =>
      runAction(command, async (context) => {
        const { compareWithLock } = await import('../recipes/runRecipeFile.ts');
        return await compareWithLock(context, file);
      }),
    );
}
