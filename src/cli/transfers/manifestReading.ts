import type { RecordedFile } from '../../core/model/fileExport.ts';
import { findFolderName, type Transfer } from '../../core/model/transferModel.ts';
import { describeForeignManifest } from '../../core/words/sharedSentences.ts';
import { canMatchTransfer } from '../../core/verification/manifestMatch.ts';
import { ManifestError, readManifest, type TransferManifest } from '../../core/verification/transferManifest.ts';
import {
  findServedFolder,
  findTransferredFolder,
  type TransferredFolder,
} from '../../core/verification/transferredFolder.ts';
import { CliError, createUsageError, exitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { english, unusableFile } from '../text/sentences.ts';
import { toPlainCell } from '../output.ts';
import { explainMissingManifest, getTransferId } from '../text/transferText.ts';
import { connectFor } from './transferLookup.ts';

/**
 * Reads a manifest. Throws an error if the manifest is unusable, or if it can't belong to `transfer`. The exit code is
 * 4 if the manifest doesn't exist, otherwise 1.
 */
export async function loadManifest(
  file: string,
  signal: AbortSignal,
  transfer: Transfer | undefined,
): Promise<TransferManifest> {
  const manifest = await readUsableManifest(file, signal);
  if (!transfer || canMatchTransfer(manifest, transfer)) return manifest;
  throw new CliError(describeForeignManifest(english, toPlainCell(file)));
}

async function readUsableManifest(file: string, signal: AbortSignal): Promise<TransferManifest> {
  try {
    return await readManifest(file, signal);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const code = error.kind === 'missing' ? exitCode.notFound : exitCode.failed;
    throw new CliError(`${toPlainCell(file)} ${texts[error.kind]}${error.code ? ` (${error.code})` : ''}.`, code);
  }
}

const texts: Readonly<Record<ManifestError['kind'], string>> = {
  ...unusableFile,
  notJson: "isn't valid JSON",
  notPackage: "isn't the manifest of a transfer",
};

/** Returns the files that a manifest lists, with paths relative to its folder. */
export function listManifestFiles({ files }: TransferManifest): readonly RecordedFile[] {
  return files.map(({ id, path, places, sizeBytes, hash }) => ({
    ...(id !== undefined && { id }),
    path: places[0] ?? path,
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(hash && { hash: `${hash.algorithm}:${hash.hex}` }),
  }));
}

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
    findFolderName(transfer),
  );
  if (found) return found;
  const places = searched.map(toPlainCell).join(', ');
  const text = `The files for transfer ${transfer.id} weren't found. Searched: ${places}.`;
  throw new CliError(text + explainMissingManifest(transfer), exitCode.notFound);
}

async function getServedFolder(session: CliSession, transfer: Transfer): Promise<string> {
  const connection = await connectFor(session, transfer);
  const destination = session.explorer.connectionStore.findDatabase(transfer.order.destination);
  const folder = destination && findServedFolder(connection, destination);
  if (folder !== undefined) return folder;
  throw createUsageError(`The folder of transfer ${getTransferId(transfer)} isn't known. Use --folder.`);
}
