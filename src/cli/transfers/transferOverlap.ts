import { findFilesUnderWay } from '../../core/model/filesUnderWay.ts';
import type { Transfer, TransferOrder } from '../../core/model/transferModel.ts';
import { CliError } from '../cliError.ts';
import { getTransferId } from '../text/transferDocument.ts';

/**
 * Throws an error if another transfer is, or may be, copying some of the files to the same destination. Such transfers
 * include those started by a process that was killed.
 */
export function requireNotUnderWay(known: readonly Transfer[], order: TransferOrder): void {
  const { count, transfers } = findFilesUnderWay(known, [order]);
  if (transfers.length === 0) return;
  const ids = transfers.map(getTransferId).join(' ');
  const check = `To check, run with the same connection options: data-transfer status ${ids}`;
  const advice = `${check}. Use --again to transfer them anyway.`;
  throw new CliError(
    `Nothing was sent: ${count} of these files may already be in a running transfer (${ids}). ${advice}`,
  );
}
