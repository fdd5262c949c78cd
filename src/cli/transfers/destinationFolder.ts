import {
  findServedFolder,
  findTransferredFolder,
  type TransferredFolder,
} from '../../core/verification/transferredFolder.ts';
import type { Transfer } from '../../core/model/transferModel.ts';
import { CliError, createUsageError } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { exitCode } from '../exitCode.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { getTransferId } from '../text/transferDocument.ts';
import { connectFor } from './transferLookup.ts';

/**
 * Finds the folder that contains a transfer's files. Searches `folder`, by default the folder that a service on this
 * machine serves as the destination. Throws an error if that folder is unknown, or if the files aren't found in it.
 */
export async function findDestinationFolder(
  session: CliSession,
  transfer: Transfer,
  folder: string | undefined,
): Promise<TransferredFolder> {
  if (transfer.id === undefined) throw new CliError("This transfer has no known ID, so its files can't be found.");
  const { found, searched } = await findTransferredFolder(
    folder ?? (await getServedFolder(session, transfer)),
    transfer.id,
  );
  if (found) return found;
  const places = searched.map(toPlainCell).join(', ');
  throw new CliError(`The files for transfer ${transfer.id} weren't found. Searched: ${places}.`, exitCode.notFound);
}

async function getServedFolder(session: CliSession, transfer: Transfer): Promise<string> {
  const connection = await connectFor(session, transfer);
  const destination = session.explorer.connectionStore.findDatabase(transfer.order.destination);
  const folder = destination && findServedFolder(connection, destination);
  if (folder !== undefined) return folder;
  throw createUsageError(`The folder of transfer ${getTransferId(transfer)} isn't known. Use --folder.`);
}
