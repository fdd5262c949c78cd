import type { Command } from 'commander';
import type { Transfer } from '../../core/model/transferModel.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { findRecordConnection } from '../connections/connectionsFile.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import { optionTexts } from '../options.ts';
import { explainTransfers, getTransferId, toTransferDocument, transferColumns } from '../text/transferText.ts';
import { findTransfers, loadTransfers } from '../transfers/transferLookup.ts';
import { isNewer, isSettled, requireTransfer, waitUntil } from '../transfers/transferStart.ts';

interface StatusFlags {
  readonly offline?: boolean;
}

const advice = 'use --connections, or --server with its address';

/** Maximum time to wait for a status, in milliseconds. */
const maxStatusMs = 30_000;

/** Adds `status`, which prints the status of transfers. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('print the status of transfers; without an ID, of those that have not ended')
    .argument('[transfer...]', optionTexts.transferIds)
    .option('--offline', 'print the recorded status, without contacting the service')
    .action((names: readonly string[], flags: StatusFlags, command: Command) =>
      runAction(command, (context) => printStatus(context, names, flags)),
    );
}

async function printStatus(
  context: CommandContext,
  names: readonly string[],
  { offline }: StatusFlags,
): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const found = names.length > 0 ? await findTransfers(session, names) : await listUnfinished(session);
    if (!offline) await refresh(session, found);
    const current = found.map(({ key }) => requireTransfer(session.explorer, key));
    const table = { columns: transferColumns, rows: current, emptyNote };
    context.output.printTable({ transfers: current.map(toTransferDocument) }, table);
    context.output.explain(explainTransfers(current));
    return exitCode.done;
  });
}

const emptyNote = 'No transfer is in progress. List those that have ended with: data-transfer history';

async function listUnfinished(session: CliSession): Promise<readonly Transfer[]> {
  await loadTransfers(session);
  const { transferStore } = session.explorer;
  return [...transferStore.getNotConfirmed(), ...transferStore.getRunning()];
}

/**
 * Requests the status of transfers that are not settled. Prints a note for each transfer whose service is unknown.
 * Throws an error if connecting to a service fails.
 */
async function refresh(session: CliSession, transfers: readonly Transfer[]): Promise<void> {
  const { context, explorer, file } = session;
  const pending: Transfer[] = [];
  for (const transfer of transfers.filter((one) => !isSettled(one))) {
    const connection = findRecordConnection(context.options, file, transfer.order.connectionId);
    if (connection) await session.open(connection);
    if (connection) pending.push(transfer);
    else context.output.note(`${getTransferId(transfer)}: not checked, because its service isn't known; ${advice}.`);
  }
  const before = new Map(pending.map(({ key }) => [key, explorer.transferStore.get(key)]));
  explorer.monitor.pollNow();
  await waitUntil(
    session,
    [...before.keys()],
    (one) => isSettled(one) || isNewer(one, before.get(one.key)),
    maxStatusMs,
  );
}
