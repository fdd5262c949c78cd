import type { Command } from 'commander';
import type { Database } from '../../core/model/databaseModel.ts';
import { wait } from '../../core/util/clock.ts';
import { CliError, createRequestError } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { runAction } from '../runAction.ts';
import { formatCount } from '../text/amounts.ts';
import { toPlainCell } from '../text/plainCell.ts';

interface ScanFlags {
  readonly wait?: boolean;
}

const pollIntervalMs = 1000;

/** Adds `scan`, which makes the local service list the files of a store or folder again. */
export function addScanCommand(program: Command): void {
  program
    .command('scan')
    .description('scan a store or folder of the local service again')
    .argument('<database>', 'the name or ID of the database')
    .option('--wait', 'wait until the scan of a store has ended')
    .action((database: string, flags: ScanFlags, command: Command) =>
      runAction(command, (context) => scanDatabase(context, database, flags)),
    );
}

async function scanDatabase(context: CommandContext, given: string, flags: ScanFlags): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const { client, service } = await session.connect();
    const { id, name } = session.findDatabase(given);
    if (!service.hasFullPages)
      throw new CliError(`This service can't scan ${toPlainCell(name)} again: only a local service can.`);
    const { reason } = await client.scanDatabase(id, context.signal);
    if (reason) throw createRequestError(`Couldn't scan ${toPlainCell(name)}`, reason);
    const database = await loadDatabase(session, id, name, flags.wait ?? false);
    context.output.print({ database }, () => `${describeListing(database)}\n`);
    return database.listing?.state === 'failed' ? exitCode.failed : exitCode.done;
  });
}

/** Requests the database again. If `untilScanned` is true, waits until its scan has ended, and shows the progress. */
async function loadDatabase(session: CliSession, id: string, name: string, untilScanned: boolean): Promise<Database> {
  const { context, explorer } = session;
  for (;;) {
    const reason = await explorer.connectFlow.refreshDatabases();
    if (reason) throw createRequestError(`Couldn't request the state of ${toPlainCell(name)}`, reason);
    const database = session.findDatabase(id);
    if (!untilScanned || database.listing?.state !== 'scanning') return database;
    context.output.showProgress(describeListing(database));
    await wait(context.clock, pollIntervalMs, context.signal);
    if (context.signal.aborted) throw new CliError('Interrupted. The scan continues.', exitCode.interrupted);
  }
}

function describeListing({ name, listing }: Database): string {
  const subject = toPlainCell(name);
  if (!listing) return `${subject}: the scan has been requested`;
  if (listing.state === 'scanning') return `${subject}: scanning, ${formatCount(listing.scanned ?? 0, 'file')} so far`;
  if (listing.state === 'failed')
    return `${subject}: the scan failed: ${toPlainCell(listing.problem ?? 'no reason given')}`;
  return `${subject}: ${formatCount(listing.files, 'file')}`;
}
