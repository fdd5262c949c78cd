import type { Transfer, TransferFile, TransferOrder } from '../model/transferModel.ts';
import { getOutcome } from '../model/transferOutcome.ts';
import { getContentKey, type FileContent } from './contentKey.ts';

/** The files that a verification of a transfer found intact. */
export interface VerifiedFiles {
  readonly key: string;
  readonly files: readonly FileContent[];
}

/**
 * Returns the transfers in the state `succeeded` whose connection, destination and user match those of an order.
 * Preserves the order of `transfers`.
 */
export function filterSameDestination(
  transfers: readonly Transfer[],
  { connectionId, destination, orcid }: TransferOrder,
): readonly Transfer[] {
  const isSame = (order: TransferOrder): boolean =>
    order.connectionId === connectionId && order.destination === destination && order.orcid === orcid;
  return transfers.filter(({ state, order }) => state === 'succeeded' && isSame(order));
}

/**
 * Finds the files whose content earlier transfers already delivered to the same destination. Maps each of these files
 * to the time at which the latest such transfer ended, in milliseconds since 1970. For a transfer with an entry in
 * `verified`, only the files in that entry count. For any other completed transfer, all files in its record count if
 * their hash and size are known.
 */
export function findReceivedFiles(
  files: readonly TransferFile[],
  transfers: readonly Transfer[],
  verified: readonly VerifiedFiles[],
): ReadonlyMap<TransferFile, number> {
  const verifiedByKey = new Map(verified.map((entry) => [entry.key, entry.files]));
  const receivedAt = new Map<string, number>();
  for (const transfer of transfers) {
    const received = verifiedByKey.get(transfer.key) ?? (isComplete(transfer) ? transfer.order.files : []);
    addReceived(receivedAt, received, transfer.changes.at(-1)?.at ?? transfer.createdAt);
  }
  return new Map(files.flatMap((file) => toReceived(file, receivedAt)));
}

function isComplete(transfer: Transfer): boolean {
  return getOutcome(transfer) === 'complete';
}

function addReceived(receivedAt: Map<string, number>, files: readonly FileContent[], at: number): void {
  for (const file of files) {
    const key = getContentKey(file);
    if (key !== undefined) receivedAt.set(key, Math.max(at, receivedAt.get(key) ?? at));
  }
}

function toReceived(
  file: TransferFile,
  receivedAt: ReadonlyMap<string, number>,
): readonly (readonly [TransferFile, number])[] {
  const key = getContentKey(file);
  const at = key === undefined ? undefined : receivedAt.get(key);
  return at === undefined ? [] : [[file, at]];
}
