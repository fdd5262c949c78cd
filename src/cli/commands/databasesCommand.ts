import type { Command } from 'commander';
import type { Database } from '../../core/model/databaseModel.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import type { Column } from '../output.ts';

const columns: readonly Column<Database>[] = [
  { title: 'NAME', getText: ({ name }) => name },
  { title: 'ID', getText: ({ id }) => id },
  { title: 'ORGANIZATION', getText: ({ organization }) => organization },
  { title: 'ACCESS', getText: ({ readOnly }) => (readOnly ? 'read-only' : '') },
];

/** Adds `databases`, which lists the databases of the service. */
export function addDatabasesCommand(program: Command): void {
  program
    .command('databases')
    .description('list the databases of the service')
    .action((_, command: Command) => runAction(command, listDatabases));
}

async function listDatabases(context: CommandContext): Promise<ExitCode> {
  return await CliSession.runSearch(context, async (session) => {
    await session.connect();
    const { databases } = session.explorer.connectionStore.listing;
    context.output.printTable({ databases }, { columns, rows: databases, emptyNote: 'The service has no databases.' });
    return exitCode.done;
  });
}
