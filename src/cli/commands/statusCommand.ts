import type { Command } from 'commander';
import type { FileProgress } from '../../core/model/fileProgress.ts';
import type { Transfer } from '../../core/model/transferModel.ts';
import { describeFileCounts, describeFileProblem, describeFileState } from '../../core/words/fileStateWords.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { findRecordConnection } from '../connections/connectionsFile.ts';
import { CliSession } from '../connections/cliSession.ts';
import { createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { optionTexts, parseCount } from '../options.ts';
import { formatBytes, type Column } from '../output.ts';
import { english } from '../text/sentences.ts';
import { explainTransfers, getTransferId, toTransferDocument, transferColumns } from '../text/transferText.ts';
import { connectFor, findTransfers, loadTransfers } from '../transfers/transferLookup.ts';
import { isNewer, isSettled, requireTransfer, waitUntil } from '../transfers/transferStart.ts';

interface StatusFlags {
  readonly offline?: boolean;
  readonly files?: boolean;
  readonly limit: number;
}

const defaultLimit = 1_000;

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
    .option('--files', 'print the files of one transfer with their states, if its service knows them')
    .option('--limit <count>', 'the maximum number of files to print', parseCount, defaultLimit)
    .action((names: readonly string[], flags: StatusFlags, command: Command) =>
      runAction(command, (context) => printStatus(context, names, flags)),
    );
}

async function printStatus(
  context: CommandContext,
  names: readonly string[],
  { offline, files, limit }: StatusFlags,
): Promise<ExitCode> {
  if (files && (names.length !== 1 || offline))
    throw createUsageError('Give --files with one transfer, and without --offline.');
  return await CliSession.run(context, async (session) => {
    const found = names.length > 0 ? await findTransfers(session, names) : await listUnfinished(session);
    if (!offline) await refresh(session, found);
    const current = found.map(({ key }) => requireTransfer(session.explorer, key));
    if (files) await printFiles(session, current, limit);
    if (files) return exitCode.done;
    const table = { columns: transferColumns, rows: current, emptyNote };
    context.output.printTable({ transfers: current.map(toTransferDocument) }, table);
    context.output.explain(explainTransfers(current));
    return exitCode.done;
  });
}

async function refreshFollowUps(session: CliSession, transfers: readonly Transfer[]): Promise<void> {
  const { context, explorer, file } = session;
  for (const { key, order, addressId } of transfers.filter(({ status }) => status?.followUp?.state === 'started')) {
    const connection = findRecordConnection(context.options, file, order.connectionId, addressId);
    const opened = connection && (await session.open(connection).catch(() => undefined));
    if (opened) await explorer.transferFlow.refreshFollowUp(key);
  }
}

async function printFiles(session: CliSession, [transfer]: readonly Transfer[], limit: number): Promise<void> {
  if (transfer === undefined) return;
  const { context, explorer } = session;
  if (transfer.id !== undefined) await connectFor(session, transfer);
  const { files = [], counts } = (await explorer.fileStateFlow.getOverview(transfer, limit)) ?? {};
  const fileStates = files.map(({ sizeBytes, ...file }) => ({ ...file, bytes: sizeBytes }));
  const document = { ...toTransferDocument(transfer), fileCounts: counts, fileStates: counts && fileStates };
  const emptyNote = counts === undefined ? noFilesNote : `${onlyCountedNote} ${getTransferId(transfer)}`;
  context.output.printTable({ transfers: [document] }, { columns: fileColumns, rows: files, emptyNote });
  const summary = counts && describeFileCounts({ l10n: english, formatNumber: String }, counts);
  context.output.explain([
    ...(summary ? [`${getTransferId(transfer)}: ${summary}.`] : []),
    ...explainTransfers([transfer]),
  ]);
}

const noFilesNote = "The service doesn't list files of this transfer.";
const onlyCountedNote = 'The service only counts files that have arrived. To list them: data-transfer export';

const fileColumns: readonly Column<FileProgress>[] = [
  { title: 'STATE', getText: (file) => describeFileState(english, file) },
  {
    title: 'SIZE',
    isNumber: true,
    getText: ({ sizeBytes }) => (sizeBytes === undefined ? '' : formatBytes(sizeBytes)),
  },
  { title: 'FILE', getText: ({ path }) => path },
  { title: 'PROBLEM', getText: (file) => describeFileProblem({ l10n: english, formatNumber: String }, file) },
];

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
    const connection = findRecordConnection(context.options, file, transfer.order.connectionId, transfer.addressId);
    if (connection) await session.open(connection);
    if (connection) pending.push(transfer);
    else context.output.note(`${getTransferId(transfer)}: not checked, because its service isn't known; ${advice}.`);
  }
  await refreshFollowUps(session, transfers);
  const before = new Map(pending.map(({ key }) => [key, explorer.transferStore.get(key)]));
  explorer.monitor.pollNow();
  await waitUntil(
    session,
    [...before.keys()],
    (one) => isSettled(one) || isNewer(one, before.get(one.key)),
    maxStatusMs,
  );
}
