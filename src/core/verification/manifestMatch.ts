import type { Transfer, TransferFile, TransferOrder } from '../model/transferModel.ts';
import { getOutcome, getProgress } from '../model/transferOutcome.ts';
import { readManifest, type TransferManifest } from './transferManifest.ts';
import type { TransferredFolder } from './transferredFolder.ts';
import type { VerificationReport } from './verification.ts';

type KnownTransfer = Pick<Transfer, 'id'> & { readonly order: Pick<TransferOrder, 'files'> };

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns true if a manifest can belong to a transfer. Compares the IDs if both are known; otherwise, the files. */
export function canMatchTransfer({ id, files }: TransferManifest, transfer: KnownTransfer): boolean {
  if (id !== undefined && uuid.test(id) && transfer.id !== undefined) {
    return id.toLowerCase() === transfer.id.toLowerCase();
  }
  const listed = new Set(files.map((file) => file.id));
  const { files: requested } = transfer.order;
  if (listed.has(undefined) || listed.size === 0 || requested.length === 0) return true;
  return requested.some((file) => listed.has(file.id));
}

/** Returns the requested files that the manifest does not list; an empty list if the manifest contains no IDs. */
export function findUnlistedFiles(
  manifest: TransferManifest,
  requested: readonly TransferFile[],
): readonly TransferFile[] {
  const ids = [...manifest.files, ...manifest.problems].flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (ids.length === 0) return [];
  const listed = new Set(ids);
  return requested.filter(({ id }) => !listed.has(id));
}

/** Returns the requested files that are missing, have a different size or hash, or are absent from the manifest. */
export function findFilesToResend(
  report: VerificationReport,
  requested: readonly TransferFile[],
): readonly TransferFile[] {
  const damagedIds = new Set(
    report.findings.flatMap(({ file, outcome }) =>
      damagedKinds.has(outcome.kind) && file.id !== undefined ? [file.id] : [],
    ),
  );
  for (const { id } of findUnlistedFiles(report.manifest, requested)) damagedIds.add(id);
  return requested.filter(({ id }) => damagedIds.has(id));
}

const damagedKinds: ReadonlySet<string> = new Set(['missing', 'size', 'hash']);

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
