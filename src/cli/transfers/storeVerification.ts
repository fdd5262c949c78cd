import { isStore } from '../../core/model/databaseModel.ts';
import type { Transfer } from '../../core/model/transferModel.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { compareStoredFiles } from '../../core/verification/storedFiles.ts';
import type { VerificationReport } from '../../core/verification/verification.ts';
import { CliError, exitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { loadFiles } from '../connections/databaseFiles.ts';
import { describeScanProblem, scanDatabase } from '../connections/databaseScan.ts';
import { toPlainCell } from '../text/terminalText.ts';
import { connectFor } from './transferLookup.ts';

/**
 * Compares a transfer's files with a new listing of the store to which the local service transferred them. Resolves to
 * undefined if the destination isn't a store, or if the transfer has no ID. Throws an error if the store can't be listed,
 * or if the transfer's manifest isn't in it.
 */
export async function verifyInStore(session: CliSession, transfer: Transfer): Promise<VerificationReport | undefined> {
  const { id, order } = transfer;
  if (id === undefined) return undefined;
  const connection = await connectFor(session, transfer);
  const database = session.explorer.connectionStore.findDatabase(order.destination);
  if (!database || !isStore(database)) return undefined;
  const { listing } = await scanDatabase(session, connection, database, true);
  const name = toPlainCell(database.name);
  if (listing?.state === 'failed') throw new CliError(`Couldn't scan ${name}: ${describeScanProblem(listing)}.`);
  const query = `path:${getTransferFolderName(id)}`;
  const { files } = await loadFiles(session, connection, { database: database.name, query }, Infinity);
  const report = compareStoredFiles(id, order.files, files);
  if (report) return report;
  const advice = `To check whether it has ended: data-transfer status ${id}`;
  throw new CliError(`${name} has no manifest of transfer ${id}. ${advice}`, exitCode.notFound);
}
