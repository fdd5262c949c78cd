import type { Transfer, TransferFile } from '../model/transferModel.ts';
import { getOutcome, getProgress } from '../model/transferOutcome.ts';
import { findUnlistedFiles } from './manifestMatch.ts';
import type { TransferredFolder } from './transferredFolderSearch.ts';
import { readManifest } from './transferManifest.ts';

/**
 * Finds the requested files that a partially successful transfer left out, according to its manifest. A status contains
 * only their number. Resolves to an empty list for any other transfer, or if the manifest is unknown or contradicts
 * that number. Never rejects.
 */
export async function findUntransferredFiles(
  transfer: Transfer,
  folder: TransferredFolder | undefined,
): Promise<readonly TransferFile[]> {
  if (getOutcome(transfer) !== 'partial' || folder?.manifest === undefined) return [];
  const manifest = await readManifest(folder.manifest).catch(() => undefined);
  const unlisted = manifest ? findUnlistedFiles(manifest, transfer.order.files) : [];
  const { moved = 0, total = 0 } = getProgress(transfer);
  return unlisted.length === total - moved ? unlisted : [];
}
