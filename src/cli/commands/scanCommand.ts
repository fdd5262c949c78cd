import type { Command } from 'commander';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { describeListing, scanDatabase } from '../connections/databaseFiles.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import { optionTexts } from '../optionTexts.ts';
import { runAction } from '../runAction.ts';

interface ScanFlags {
  readonly wait?: boolean;
}

/** Adds `scan`, which makes the local service list the files of a store or folder again. */
export function addScanCommand(program: Command): void {
  program
    .command('scan')
    .description('scan a store or folder of the local service again')
    .argument('<database>', optionTexts.database)
    .option('--wait', 'wait until the scan of a store has ended')
    .action((database: string, flags: ScanFlags, command: Command) =>
      runAction(command, (context) => scan(context, database, flags)),
    );
}

async function scan(context: CommandContext, given: string, flags: ScanFlags): Promise<ExitCode> {
  return await CliSession.runSearch(context, async (session) => {
    const connection = await session.connect();
    const database = await scanDatabase(session, connection, session.findDatabase(given), flags.wait ?? false);
    context.output.print({ database }, () => `${describeListing(database)}\n`);
    return database.listing?.state === 'failed' ? exitCode.failed : exitCode.done;
  });
}
