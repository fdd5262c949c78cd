import { isUnderWay } from '../../../core/model/transferModel.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import type { CommandServices } from '../services.ts';
import { removeFromHistory } from './transferHistory.ts';
import { cancelTransfer } from './transferRows.ts';

/** Handles the Delete key in the list of transfers: cancels a running transfer, and removes any other. */
export async function deleteFocusedTransfer(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = node && services.transferStore.get(node.key);
  if (transfer) await (isUnderWay(transfer) ? cancelTransfer : removeFromHistory)(services, node);
}
