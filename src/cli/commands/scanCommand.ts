import type { Command } from 'commander';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import type { Database, StoreListing } from '../../core/model/databaseModel.ts';
import { wait } from '../../core/util/clock.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { CliError, createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession, type SearchSession } from '../connections/cliSession.ts';
import { optionTexts } from '../options.ts';
import { formatCount, toPlainCell } from '../output.ts';
import { english } from '../text/sentences.ts';

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

const pollIntervalMs = 1000;

/**
 * Makes the local service scan a database again. Resolves to the database; if `untilScanned` is
 * true, after the scan of a store has ended. Throws an error if another service serves the database, or if a request
 * fails.
 */
export async function scanDatabase(
  session: SearchSession,
  { client, service }: OpenConnection,
  { id, name }: Database,
  untilScanned: boolean,
): Promise<Database> {
  if (!service.hasFullPages)
    throw new CliError(`This service can't scan ${toPlainCell(name)} again: only a local service can.`);
  const { reason } = await client.scanDatabase(id, session.context.signal);
  if (reason) throw createRequestError(`Couldn't scan ${toPlainCell(name)}`, reason);
  return await loadDatabase(session, id, name, untilScanned);
}

/** Requests the database again. If `untilScanned` is true, waits until its scan has ended, and shows the progress. */
async function loadDatabase(
  session: SearchSession,
  id: string,
  name: string,
  untilScanned: boolean,
): Promise<Database> {
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
  if (listing.state === 'failed') return `${subject}: the scan failed: ${describeScanProblem(listing)}`;
  const leftOut = listing.leftOut ? `, ${describeLeftOut(english, listing.leftOut, String)}` : '';
  return `${subject}: ${formatCount(listing.files, 'file')}${leftOut}`;
}

/** Describes why a scan failed, as a clause. */
export function describeScanProblem({ problem }: StoreListing): string {
  return toPlainCell(problem ?? 'no reason given');
}
