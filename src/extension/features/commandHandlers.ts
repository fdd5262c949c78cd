import type { CommandHandlers } from '../editor/commandBoundary.ts';
import { copyMcpConfiguration } from './agents/copyMcpConfiguration.ts';
import { confirmPlan, declinePlan } from './agents/planReview.ts';
import { copyAsCode } from './sharing/copyAsCode.ts';
import { copyOpeningCode } from './sharing/copyOpeningCode.ts';
import { cite, copyAvailabilityStatement } from './citations/cite.ts';
import { connect } from './connections/connect.ts';
import {
  disconnect,
  forgetConnection,
  refreshDatabases,
  setApiKey,
  switchConnection,
  testConnection,
} from './connections/manageConnections.ts';
import { copyLocalAccess, startAndConnect, stopLocalService } from './connections/localServiceCommands.ts';
import { scanStore } from './connections/scanStore.ts';
import { serveFolder, stopServing } from './connections/serveFolder.ts';
import { addStore, serveStore } from './connections/serveStore.ts';
import { setOrcid } from './connections/setOrcid.ts';
import { copyDiagnostics } from './connections/copyDiagnostics.ts';
import { copyFileId, showFileMetadata, showMetadataJson } from './files/fileRows.ts';
import { findFilesById } from './search/findFiles.ts';
import { exportRecords } from './sharing/exportRecords.ts';
import { copyLink } from './sharing/linkCommands.ts';
import {
  checkAllFiles,
  clearResults,
  dismissSearch,
  extendSelectionDown,
  extendSelectionUp,
  loadAll,
  loadMore,
  repeatSearch,
  sortResults,
  stopSearch,
  toggleCheck,
  toggleFocusedRow,
  uncheckAllFiles,
} from './search/searchRows.ts';
import {
  listFiles,
  openDatabase,
  refineSearch,
  searchAllDatabases,
  searchFiles,
  searchWithFilters,
} from './search/searchFiles.ts';
import type { CommandServices } from './services.ts';
import { submitAgain } from './submission/resubmission.ts';
import { useDescription } from './submission/transferInstructions.ts';
import { transferCheckedFiles, transferFiles, transferToLastDestination } from './submission/transferFiles.ts';
import { matchTable, saveMatchedTable } from './search/matchTable.ts';
import { checkTransferById, markTransferNotStarted, markTransferStarted } from './transfers/checkTransferById.ts';
import {
  clearFinishedTransfers,
  exportTransferHistory,
  findInHistory,
  removeFromHistory,
  restoreRemovedTransfers,
} from './transfers/transferHistory.ts';
import {
  cancelTransfer,
  copyTransferId,
  deleteFocusedTransfer,
  refreshTransfers,
  sendNow,
  showRunningTransfers,
  showTransferProgress,
} from './transfers/transferRows.ts';
import { openTransferredFiles } from './verification/openTransferredFiles.ts';
import { resendFiles, showVerificationReport, verifyTransferredFiles } from './verification/verifyTransferredFiles.ts';

/** The handlers for all commands. */
export const commandHandlers: CommandHandlers<CommandServices> = {
  'dataTransfer.connect': connect,
  'dataTransfer.disconnect': disconnect,
  'dataTransfer.switchConnection': switchConnection,
  'dataTransfer.forgetConnection': forgetConnection,
  'dataTransfer.setApiKey': setApiKey,
  'dataTransfer.testConnection': testConnection,
  'dataTransfer.setOrcid': setOrcid,
  'dataTransfer.startLocalService': startAndConnect,
  'dataTransfer.copyLocalAccess': copyLocalAccess,
  'dataTransfer.stopLocalService': stopLocalService,
  'dataTransfer.serveFolder': serveFolder,
  'dataTransfer.serveThisFolder': serveFolder,
  'dataTransfer.serveStore': serveStore,
  'dataTransfer.addStore': addStore,
  'dataTransfer.scanStore': scanStore,
  'dataTransfer.stopServing': stopServing,
  'dataTransfer.refreshDatabases': refreshDatabases,
  'dataTransfer.searchFiles': searchFiles,
  'dataTransfer.searchWithFilters': searchWithFilters,
  'dataTransfer.openDatabase': openDatabase,
  'dataTransfer.listFiles': listFiles,
  'dataTransfer.searchAllDatabases': searchAllDatabases,
  'dataTransfer.findFilesById': findFilesById,
  'dataTransfer.matchTable': matchTable,
  'dataTransfer.saveMatchedTable': saveMatchedTable,
  'dataTransfer.refineSearch': refineSearch,
  'dataTransfer.stopSearch': stopSearch,
  'dataTransfer.loadAll': loadAll,
  'dataTransfer.sortResults': sortResults,
  'dataTransfer.checkAllFiles': checkAllFiles,
  'dataTransfer.uncheckAllFiles': uncheckAllFiles,
  'dataTransfer.toggleCheck': toggleCheck,
  'dataTransfer.toggleFocusedRow': toggleFocusedRow,
  'dataTransfer.extendSelectionDown': extendSelectionDown,
  'dataTransfer.extendSelectionUp': extendSelectionUp,
  'dataTransfer.loadMore': loadMore,
  'dataTransfer.repeatSearch': repeatSearch,
  'dataTransfer.dismissSearch': dismissSearch,
  'dataTransfer.clearResults': clearResults,
  'dataTransfer.undoRemoval': ({ removals }) => removals.undoLast(),
  'dataTransfer.showFileMetadata': showFileMetadata,
  'dataTransfer.showMetadataJson': showMetadataJson,
  'dataTransfer.copyFileId': copyFileId,
  'dataTransfer.cite': cite,
  'dataTransfer.copyAvailabilityStatement': copyAvailabilityStatement,
  'dataTransfer.transferFiles': transferFiles,
  'dataTransfer.transferCheckedFiles': transferCheckedFiles,
  'dataTransfer.transferToLastDestination': transferToLastDestination,
  'dataTransfer.useDescription': useDescription,
  'dataTransfer.showTransferProgress': showTransferProgress,
  'dataTransfer.cancelTransfer': cancelTransfer,
  'dataTransfer.sendNow': sendNow,
  'dataTransfer.copyTransferId': copyTransferId,
  'dataTransfer.refreshTransfers': refreshTransfers,
  'dataTransfer.revealLandedFiles': openTransferredFiles,
  'dataTransfer.verifyLandedFiles': verifyTransferredFiles,
  'dataTransfer.showVerificationReport': showVerificationReport,
  'dataTransfer.resendFiles': resendFiles,
  'dataTransfer.removeFromHistory': removeFromHistory,
  'dataTransfer.deleteFocusedTransfer': deleteFocusedTransfer,
  'dataTransfer.clearFinishedTransfers': clearFinishedTransfers,
  'dataTransfer.restoreRemovedTransfers': restoreRemovedTransfers,
  'dataTransfer.showRunningTransfers': showRunningTransfers,
  'dataTransfer.submitAgain': submitAgain,
  'dataTransfer.checkTransferById': checkTransferById,
  'dataTransfer.transferDidStart': markTransferStarted,
  'dataTransfer.transferDidNotStart': markTransferNotStarted,
  'dataTransfer.findInHistory': findInHistory,
  'dataTransfer.exportTransferHistory': exportTransferHistory,
  'dataTransfer.copyAsCode': copyAsCode,
  'dataTransfer.copyOpeningCode': copyOpeningCode,
  'dataTransfer.saveAsRecipe': async (...given) => (await import('./recipes/saveAsRecipe.ts')).saveAsRecipe(...given),
  'dataTransfer.dryRunRecipe': async (services, row) =>
    (await import('./recipes/runRecipe.ts')).dryRunRecipe(services, row),
  'dataTransfer.runRecipe': async (services, row) => (await import('./recipes/runRecipe.ts')).runRecipe(services, row),
  'dataTransfer.runLockedRecipe': async (services, row) =>
    (await import('./recipes/runRecipe.ts')).runLockedRecipe(services, row),
  'dataTransfer.compareRecipe': async (services, row) =>
    (await import('./recipes/runRecipe.ts')).compareRecipe(services, row),
  'dataTransfer.verifyRecipe': async (services, row) =>
    (await import('./recipes/lastRun.ts')).verifyRecipe(services, row),
  'dataTransfer.citeRecipe': async (services, row) => (await import('./recipes/lastRun.ts')).citeRecipe(services, row),
  'dataTransfer.copyLink': copyLink,
  'dataTransfer.confirmPlan': confirmPlan,
  'dataTransfer.declinePlan': declinePlan,
  'dataTransfer.copyMcpConfiguration': copyMcpConfiguration,
  'dataTransfer.copyDiagnostics': copyDiagnostics,
  'dataTransfer.exportRecords': exportRecords,
  'dataTransfer.showLog': ({ showLog }) => showLog(),
};
