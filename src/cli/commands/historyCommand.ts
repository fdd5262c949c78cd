import type { Command } from 'commander';
import { getLedgerFolder, runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import { parseCount } from '../options.ts';
import { toPlainCell } from '../output.ts';
import { toTransferDocument, transferColumns } from '../text/transferText.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';

interface HistoryFlags {
  readonly limit: number;
}

const defaultLimit = 50;

/** Adds `history`, which lists the recorded transfers. */
export function addHistoryCommand(program: Command): void {
  program
    .command('history')
    .description('list the recorded transfers, newest first, without contacting a service')
    .option('--limit <count>', 'the maximum number of transfers', parseCount, defaultLimit)
    .action((flags: HistoryFlags, command: Command) => runAction(command, (context) => printHistory(context, flags)));
}

async function printHistory(context: CommandContext, { limit }: HistoryFlags): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const transfers = (await loadTransfers(session)).slice(0, limit);
    const emptyNote = `No transfers are recorded in ${toPlainCell(getLedgerFolder(context))}.`;
    const table = { columns: transferColumns, rows: transfers, emptyNote };
    context.output.printTable({ transfers: transfers.map(toTransferDocument) }, table);
    return exitCode.done;
  });
}
