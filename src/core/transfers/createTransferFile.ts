import { readStatedLicenses } from '../citations/creditText.ts';
import type { FileEntry } from '../model/fileEntry.ts';
import type { TransferFile } from '../model/transferModel.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';

/**
 * Creates the entry for a file in a transfer order. If the file's metadata, `entry`, is known, takes the path, size,
 * hash and licenses from it. Omits a hash of unknown form. Omits the licenses if `entry` is only a summary.
 */
export function createTransferFile(
  { id, name }: Pick<TransferFile, 'id' | 'name'>,
  entry: FileEntry | undefined,
): TransferFile {
  return {
    id,
    name,
    ...(entry?.path !== undefined && entry.path !== id && { path: entry.path }),
    ...(entry?.sizeBytes !== undefined && { sizeBytes: entry.sizeBytes }),
    ...(entry?.hash !== undefined && parseDeclaredHash(entry.hash) && { hash: entry.hash }),
    ...(entry && !entry.isSummary && { licenses: readStatedLicenses(entry.resource) }),
  };
}
