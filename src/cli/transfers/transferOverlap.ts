import { findFilesUnderWay } from '../../core/model/filesUnderWay.ts';
import type { Transfer, TransferOrder } from '../../core/model/transferModel.ts';
import { CliError } from '../cliError.ts';
import { getTransferId } from '../text/transferDocument.ts';

/**
 * Throws an error if another transfer is, or may be, copying some of the files to the same destination. That includes
 * transfers that a killed process started.
 */
export function requireNotUnderWay(known: readonly Transfer[], order: TransferOrder): void {
  const { count, transfers } = findFilesUnderWay(known, [order]);
  const [first] = transfers;
  if (!first) return;
  const id = getTransferId(first);
  const advice = `Check it with: data-transfer status ${id}. Use --again to transfer them anyway.`;
  throw new CliError(`Nothing was sent: transfer ${id} already has ${count} of these files. ${advice}`);
}
