import { command } from '../../editor/contributions.ts';
import { checkTransferById, markTransferNotStarted, markTransferStarted } from './checkTransferById.ts';
import {
  clearFinishedTransfers,
  exportTransferHistory,
  findInHistory,
  removeFromHistory,
  restoreRemovedTransfers,
} from './transferHistory.ts';
import {
  cancelTransfer,
  copyTransferId,
  deleteFocusedTransfer,
  refreshTransfers,
  sendNow,
  showRunningTransfers,
  showTransferProgress,
} from './transferRows.ts';

/** The commands of transfers. */
export const transferCommands = {
  'dataTransfer.showTransferProgress': command(showTransferProgress, { takes: ['transfer'], icon: 'graph-line' }),
  'dataTransfer.cancelTransfer': command(cancelTransfer, { takes: ['transfer'], icon: 'circle-slash' }),
  'dataTransfer.sendNow': command(sendNow),
  'dataTransfer.copyTransferId': command(copyTransferId, { takes: ['transfer'] }),
  'dataTransfer.refreshTransfers': command(refreshTransfers, { icon: 'refresh' }),
  'dataTransfer.removeFromHistory': command(removeFromHistory, { takes: ['transfer'] }),
  'dataTransfer.deleteFocusedTransfer': command(deleteFocusedTransfer, { takes: ['transfer'] }),
  'dataTransfer.clearFinishedTransfers': command(clearFinishedTransfers, { icon: 'clear-all' }),
  'dataTransfer.restoreRemovedTransfers': command(restoreRemovedTransfers, { icon: 'discard' }),
  'dataTransfer.showRunningTransfers': command(showRunningTransfers),
  'dataTransfer.checkTransferById': command(checkTransferById),
  'dataTransfer.transferDidStart': command(markTransferStarted, { takes: ['transfer'], icon: 'pass' }),
  'dataTransfer.transferDidNotStart': command(markTransferNotStarted, { takes: ['transfer'], icon: 'redo' }),
  'dataTransfer.findInHistory': command(findInHistory, { icon: 'search' }),
  'dataTransfer.exportTransferHistory': command(exportTransferHistory),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly transfers: typeof transferCommands;
  }
}
