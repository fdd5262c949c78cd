import { fileURLToPath } from 'node:url';
import { isLoopback } from '../../core/model/loopback.ts';
import type { Transfer, TransferOrder } from '../../core/model/transferModel.ts';
import { findTransferredFolder, type TransferredFolder } from '../../core/verification/transferredFolderSearch.ts';
import { CliError, createUsageError } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { exitCode } from '../exitCode.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { getTransferId } from '../text/transferDocument.ts';
import { connectFor } from './transferLookup.ts';

/**
 * Finds the folder with the files of a transfer, in `folder` or in the folder that a service on this machine serves as
 * the destination. Throws an error that lists the searched folders if it isn't found.
 */
export async function findDestinationFolder(
  session: CliSession,
  transfer: Transfer,
  folder: string | undefined,
): Promise<TransferredFolder> {
  if (transfer.id === undefined) throw new CliError('The service assigned no ID to this transfer.');
  const { found, searched } = await findTransferredFolder(
    folder ?? (await getServedFolder(session, transfer)),
    transfer.id,
  );
  if (found) return found;
  const places = searched.map(toPlainCell).join(', ');
  throw new CliError(`The files of transfer ${transfer.id} weren't found. Searched: ${places}.`, exitCode.notFound);
}

async function getServedFolder(session: CliSession, transfer: Transfer): Promise<string> {
  await connectFor(session, transfer);
  const folder = findServedFolder(session, transfer.order);
  if (folder !== undefined) return folder;
  throw createUsageError(`The folder of transfer ${getTransferId(transfer)} isn't known. Use --folder.`);
}

/**
 * Returns the folder that a service on this machine serves as the destination; undefined if the destination isn't such
 * a folder. The connection must be active.
 */
export function findServedFolder(
  { explorer: { sessions, connectionStore } }: CliSession,
  { connectionId, destination }: Pick<TransferOrder, 'connectionId' | 'destination'>,
): string | undefined {
  const address = sessions.get(connectionId)?.service.address ?? '';
  const url = connectionStore.listing.databases.find(({ name }) => name === destination)?.url ?? '';
  const isHere = URL.canParse(address) && isLoopback(new URL(address).hostname);
  return isHere && url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
