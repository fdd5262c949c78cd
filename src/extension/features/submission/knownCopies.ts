import { l10n } from 'vscode';
import { findRepeatedFiles, omitFiles, type VerifiedFiles } from '../../../core/duplicates/equalFiles.ts';
import type { KnownCopies } from '../../../core/transfers/duplicateFlow.ts';
import type { Transfer, TransferOrder } from '../../../core/model/transferModel.ts';
import { canMatchTransfer } from '../../../core/verification/manifestMatch.ts';
import { getPastResult, type PastVerification } from '../../../core/verification/pastVerification.ts';
import { readManifest, type TransferManifest } from '../../../core/verification/transferManifest.ts';
import { withLateProgress } from '../../editor/notifications.ts';
import { countFiles, createCopyLines, formatLeaveOutLabel } from '../../words/summaryWords.ts';
import { toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { locateTransferredFiles } from '../verification/transferredFolders.ts';

/** Called with the orders, reduced to the files that still need to be sent. */
export type LeaveOutListener = (orders: readonly TransferOrder[]) => unknown;

/** The files that don't need to be sent, as described to the user. */
interface SpareFiles {
  /** One sentence for each reason. */
  readonly lines: readonly string[];
  /**
   * Label of the button that leaves these files out. Undefined if there is no such button, for example because no other
   * files would remain.
   */
  readonly label: string | undefined;
  leaveOut(): 'next';
}

/**
 * Finds the files that don't need to be sent (D60: same content). If `onLeaveOut` is given, the result lets the user
 * leave them out.
 */
export async function findCopies(
  services: CommandServices,
  orders: readonly TransferOrder[],
  onLeaveOut: LeaveOutListener | undefined,
): Promise<SpareFiles> {
  const known = await findKnownCopies(services, orders);
  const repeated = findRepeatedFiles(orders);
  const spare = new Set([...known.atDestination, ...known.received.keys(), ...repeated]);
  const [fileCount, destination] = [countFiles(orders), orders[0]?.destination ?? ''];
  const isOffered = onLeaveOut !== undefined && spare.size > 0 && spare.size < fileCount;
  return {
    lines: createCopyLines({ ...known, fileCount, destination, repeatedCount: repeated.size }),
    label: isOffered ? formatLeaveOutLabel(spare.size) : undefined,
    leaveOut: () => (onLeaveOut?.(omitFiles(orders, spare)), 'next'),
  };
}

async function findKnownCopies(services: CommandServices, orders: readonly TransferOrder[]): Promise<KnownCopies> {
  const title = l10n.t('Checking which files {0} already has', toPlainLine(orders[0]?.destination ?? ''));
  return await withLateProgress(title, (signal) =>
    services.duplicateFlow.findKnownCopies(orders, {
      signal,
      readVerified: (transfers, aborted) => readVerified(services, transfers, aborted),
    }),
  );
}

async function readVerified(
  services: CommandServices,
  transfers: readonly Transfer[],
  signal: AbortSignal,
): Promise<readonly VerifiedFiles[]> {
  const verified: VerifiedFiles[] = [];
  for (const transfer of transfers) {
    const past = signal.aborted ? undefined : await services.verificationHistory.get(transfer.key);
    const files = past && (await readIntactFiles(services, transfer, past, signal));
    if (files) verified.push({ key: transfer.key, files });
  }
  return verified;
}

/**
 * Returns the files in a transfer's manifest that were intact when last verified. Without a readable manifest that
 * matches the transfer, returns an empty list or, if all files were intact, undefined. In the latter case, the caller
 * uses the files in the transfer's record.
 */
async function readIntactFiles(
  services: CommandServices,
  transfer: Transfer,
  past: PastVerification,
  signal: AbortSignal,
): Promise<VerifiedFiles['files'] | undefined> {
  const located = await locateTransferredFiles(services, transfer);
  const manifest = located?.manifest && (await readManifest(located.manifest, signal).catch(() => undefined));
  if (manifest && canMatchTransfer(manifest, transfer)) return listIntactFiles(manifest, past);
  return past.intactCount > 0 && past.intactCount === past.fileCount ? undefined : [];
}

function listIntactFiles({ files }: TransferManifest, past: PastVerification): VerifiedFiles['files'] {
  return files
    .filter(({ path }) => getPastResult(past, path) === 'intact')
    .map(({ sizeBytes, hash }) => ({
      ...(sizeBytes !== undefined && { sizeBytes }),
      ...(hash && { hash: `${hash.algorithm}:${hash.hex}` }),
    }));
}
