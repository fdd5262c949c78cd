import type { CommandTable } from '../host/commandBoundary.ts';
import { checkTransferById, type CheckByIdParts } from './transfers/checkTransferById.ts';
import { connect, type ConnectParts } from './connections/connect.ts';
import { copyDiagnostics, type DiagnosticsParts } from './copyDiagnostics.ts';
import { exportTransferHistory, type ExportHistoryParts } from './transfers/exportTransferHistory.ts';
import { copyFileId, showFileMetadata, showMetadataJson, type FileRowParts } from './files/fileRows.ts';
import { findFilesById } from './files/findFiles.ts';
import { forgetConnection } from './connections/forgetConnection.ts';
import {
  disconnect,
  refreshDatabases,
  startLocalService,
  stopLocalService,
  switchConnection,
  type ManageParts,
} from './connections/manageConnections.ts';
import { loadAll } from './search/loadAll.ts';
import { transferDidNotStart, transferDidStart, type NotConfirmedParts } from './transfers/notConfirmed.ts';
import { revealLandedFiles, type RevealLandedParts } from './landed/revealLandedFiles.ts';
import { refineSearch, searchAllDatabases, searchFiles, type SearchFilesParts } from './search/searchFiles.ts';
import {
  checkAllFiles,
  clearResults,
  dismissSearch,
  loadMore,
  repeatSearch,
  sortResults,
  stopSearch,
  toggleCheck,
  uncheckAllFiles,
  type SearchRowParts,
} from './search/searchRows.ts';
import { serveFolder, stopServing, type ServeFolderParts } from './connections/serveFolder.ts';
import { setApiKey, type SetApiKeyParts } from './connections/setApiKey.ts';
import { setOrcid, type OrcidParts } from './connections/setOrcid.ts';
import { sendNow, type SendNowParts } from './transfers/sendNow.ts';
import { submitAgain, type SubmitAgainParts } from './submission/submitAgain.ts';
import { testConnection, type TestConnectionParts } from './connections/testConnection.ts';
import { useDescription } from './submission/transferDescription.ts';
import { transferCheckedFiles, transferFiles, type TransferFilesParts } from './submission/transferFiles.ts';
import {
  clearFinishedTransfers,
  findInHistory,
  removeFromHistory,
  type HistoryParts,
} from './transfers/transferHistory.ts';
import { restoreRemovedTransfers } from './transfers/restoreRemovedTransfers.ts';
import { verifyLandedFiles, type VerifyParts } from './landed/verifyLandedFiles.ts';
import {
  cancelTransfer,
  copyTransferId,
  refreshTransfers,
  showRunningTransfers,
  showTransferProgress,
  type WatchTransferParts,
} from './transfers/watchTransfers.ts';

/** What all commands together need; each takes its share. */
export interface CommandParts
  extends
    CheckByIdParts,
    ConnectParts,
    DiagnosticsParts,
    ExportHistoryParts,
    FileRowParts,
    HistoryParts,
    ManageParts,
    NotConfirmedParts,
    OrcidParts,
    SearchFilesParts,
    SearchRowParts,
    SendNowParts,
    ServeFolderParts,
    SetApiKeyParts,
    SubmitAgainParts,
    TestConnectionParts,
    TransferFilesParts,
    RevealLandedParts,
    VerifyParts,
    WatchTransferParts {
  showLog(): void;
}

/** The table of all commands. */
export function commandTable(parts: CommandParts): CommandTable {
  return {
    ...connectionCommands(parts),
    ...fileCommands(parts),
    ...transferCommands(parts),
    'dataTransfer.showLog': () => parts.showLog(),
    'dataTransfer.copyDiagnostics': () => copyDiagnostics(parts),
  };
}

function connectionCommands(parts: CommandParts) {
  return {
    'dataTransfer.connect': (button) => connect(parts, button),
    'dataTransfer.disconnect': () => disconnect(parts),
    'dataTransfer.switchConnection': () => switchConnection(parts),
    'dataTransfer.forgetConnection': (node) => forgetConnection(parts, node),
    'dataTransfer.setApiKey': (node) => setApiKey(parts, node),
    'dataTransfer.testConnection': (node) => testConnection(parts, node),
    'dataTransfer.setOrcid': () => setOrcid(parts),
    'dataTransfer.startLocalService': (button) => startLocalService(parts, button),
    'dataTransfer.stopLocalService': () => stopLocalService(parts),
    'dataTransfer.serveFolder': (folder) => serveFolder(parts, folder),
    'dataTransfer.serveThisFolder': (folder) => serveFolder(parts, folder),
    'dataTransfer.stopServing': (node) => stopServing(parts, node),
    'dataTransfer.refreshDatabases': (node) => refreshDatabases(parts, node),
  } satisfies Partial<CommandTable>;
}

function fileCommands(parts: CommandParts) {
  return {
    'dataTransfer.searchFiles': (node) => searchFiles(parts, node),
    'dataTransfer.searchAllDatabases': (node) => searchAllDatabases(parts, node),
    'dataTransfer.findFilesById': (node) => findFilesById(parts, node),
    'dataTransfer.refineSearch': (node) => refineSearch(parts, node),
    'dataTransfer.stopSearch': (node) => stopSearch(parts, node),
    'dataTransfer.loadAll': (node) => loadAll(parts, node),
    'dataTransfer.sortResults': (node) => sortResults(parts, node),
    'dataTransfer.checkAllFiles': (node) => checkAllFiles(parts, node),
    'dataTransfer.uncheckAllFiles': (node) => uncheckAllFiles(parts, node),
    'dataTransfer.toggleCheck': (file, selection) => toggleCheck(parts, file, selection),
    'dataTransfer.loadMore': (node) => loadMore(parts, node),
    'dataTransfer.repeatSearch': (node) => repeatSearch(parts, node),
    'dataTransfer.dismissSearch': (node, selection) => dismissSearch(parts, node, selection),
    'dataTransfer.clearResults': () => clearResults(parts),
    'dataTransfer.showFileMetadata': showFileMetadata(parts),
    'dataTransfer.showMetadataJson': showMetadataJson(parts),
    'dataTransfer.copyFileId': copyFileId(parts),
  } satisfies Partial<CommandTable>;
}

function transferCommands(parts: CommandParts) {
  return {
    'dataTransfer.transferFiles': (file, selection) => transferFiles(parts, file, selection),
    'dataTransfer.transferCheckedFiles': () => transferCheckedFiles(parts),
    'dataTransfer.useDescription': () => useDescription(parts),
    'dataTransfer.showTransferProgress': (node) => showTransferProgress(parts, node),
    'dataTransfer.cancelTransfer': (node) => cancelTransfer(parts, node),
    'dataTransfer.sendNow': () => sendNow(parts),
    'dataTransfer.copyTransferId': (node) => copyTransferId(parts, node),
    'dataTransfer.refreshTransfers': () => refreshTransfers(parts),
    'dataTransfer.revealLandedFiles': (node) => revealLandedFiles(parts, node),
    'dataTransfer.verifyLandedFiles': (given) => verifyLandedFiles(parts, given),
    'dataTransfer.removeFromHistory': (node) => removeFromHistory(parts, node),
    'dataTransfer.clearFinishedTransfers': () => clearFinishedTransfers(parts),
    'dataTransfer.restoreRemovedTransfers': () => restoreRemovedTransfers(parts),
    'dataTransfer.showRunningTransfers': () => showRunningTransfers(parts),
    'dataTransfer.submitAgain': (node) => submitAgain(parts, node),
    'dataTransfer.checkTransferById': () => checkTransferById(parts),
    'dataTransfer.transferDidStart': (node) => transferDidStart(parts, node),
    'dataTransfer.transferDidNotStart': (node) => transferDidNotStart(parts, node),
    'dataTransfer.findInHistory': () => findInHistory(parts),
    'dataTransfer.exportTransferHistory': () => exportTransferHistory(parts),
  } satisfies Partial<CommandTable>;
}
