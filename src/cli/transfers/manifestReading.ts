import type { RecordedFile } from '../../core/model/fileExport.ts';
import type { Transfer } from '../../core/model/transferModel.ts';
import { canMatchTransfer } from '../../core/verification/manifestMatch.ts';
import { ManifestError, readManifest, type TransferManifest } from '../../core/verification/transferManifest.ts';
import { CliError } from '../cliError.ts';
import { exitCode } from '../exitCode.ts';
import { toPlainCell } from '../text/plainCell.ts';

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
  throw new CliError(`${toPlainCell(file)} is the manifest of a different transfer.`);
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
  missing: "doesn't exist",
  unreadable: "can't be read",
  tooLarge: 'is too large',
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
