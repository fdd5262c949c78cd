import type { CommandRegistry } from '../host/commandRegistry.ts';
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
  uncheckAllFiles,
  type SearchRowParts,
} from './search/searchRows.ts';
import { serveFolder, stopServing, type ServeFolderParts } from './connections/serveFolder.ts';
import { setApiKey, type SetApiKeyParts } from './connections/setApiKey.ts';
import { setOrcid, type OrcidParts } from './connections/setOrcid.ts';
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
export function registerCommands(registry: CommandRegistry, parts: CommandParts): void {
  registerConnections(registry, parts);
  registerFiles(registry, parts);
  registerTransfers(registry, parts);
  registry.register('dataTransfer.showLog', () => parts.showLog());
  registry.register('dataTransfer.copyDiagnostics', () => copyDiagnostics(parts));
}

function registerConnections(registry: CommandRegistry, parts: CommandParts): void {
  registry.register('dataTransfer.connect', () => connect(parts));
  registry.register('dataTransfer.disconnect', () => disconnect(parts));
  registry.register('dataTransfer.switchConnection', () => switchConnection(parts));
  registry.register('dataTransfer.forgetConnection', (node) => forgetConnection(parts, node));
  registry.register('dataTransfer.setApiKey', (node) => setApiKey(parts, node));
  registry.register('dataTransfer.testConnection', (node) => testConnection(parts, node));
  registry.register('dataTransfer.setOrcid', () => setOrcid(parts));
  registry.register('dataTransfer.startLocalService', () => startLocalService(parts));
  registry.register('dataTransfer.stopLocalService', () => stopLocalService(parts));
  registry.register('dataTransfer.serveFolder', (folder) => serveFolder(parts, folder));
  registry.register('dataTransfer.serveThisFolder', (folder) => serveFolder(parts, folder));
  registry.register('dataTransfer.stopServing', (node) => stopServing(parts, node));
  registry.register('dataTransfer.refreshDatabases', (node) => refreshDatabases(parts, node));
}

function registerFiles(registry: CommandRegistry, parts: CommandParts): void {
  registry.register('dataTransfer.searchFiles', (node) => searchFiles(parts, node));
  registry.register('dataTransfer.searchAllDatabases', () => searchAllDatabases(parts));
  registry.register('dataTransfer.findFilesById', (node) => findFilesById(parts, node));
  registry.register('dataTransfer.refineSearch', (node) => refineSearch(parts, node));
  registry.register('dataTransfer.stopSearch', (node) => stopSearch(parts, node));
  registry.register('dataTransfer.loadAll', (node) => loadAll(parts, node));
  registry.register('dataTransfer.sortResults', (node) => sortResults(parts, node));
  registry.register('dataTransfer.checkAllFiles', (node) => checkAllFiles(parts, node));
  registry.register('dataTransfer.uncheckAllFiles', (node) => uncheckAllFiles(parts, node));
  registry.register('dataTransfer.loadMore', (node) => loadMore(parts, node));
  registry.register('dataTransfer.repeatSearch', (node) => repeatSearch(parts, node));
  registry.register('dataTransfer.dismissSearch', (node, selection) => dismissSearch(parts, node, selection));
  registry.register('dataTransfer.clearResults', () => clearResults(parts));
  registry.register('dataTransfer.showFileMetadata', showFileMetadata(parts));
  registry.register('dataTransfer.showMetadataJson', showMetadataJson(parts));
  registry.register('dataTransfer.copyFileId', copyFileId(parts));
}

function registerTransfers(registry: CommandRegistry, parts: CommandParts): void {
  registry.register('dataTransfer.transferFiles', (file, selection) => transferFiles(parts, file, selection));
  registry.register('dataTransfer.transferCheckedFiles', () => transferCheckedFiles(parts));
  registry.register('dataTransfer.useDescription', () => useDescription(parts));
  registry.register('dataTransfer.showTransferProgress', (node) => showTransferProgress(parts, node));
  registry.register('dataTransfer.cancelTransfer', (node) => cancelTransfer(parts, node));
  registry.register('dataTransfer.copyTransferId', (node) => copyTransferId(parts, node));
  registry.register('dataTransfer.refreshTransfers', () => refreshTransfers(parts));
  registry.register('dataTransfer.revealLandedFiles', (node) => revealLandedFiles(parts, node));
  registry.register('dataTransfer.verifyLandedFiles', (given) => verifyLandedFiles(parts, given));
  registry.register('dataTransfer.removeFromHistory', (node) => removeFromHistory(parts, node));
  registry.register('dataTransfer.clearFinishedTransfers', () => clearFinishedTransfers(parts));
  registry.register('dataTransfer.showRunningTransfers', () => showRunningTransfers(parts));
  registry.register('dataTransfer.submitAgain', (node) => submitAgain(parts, node));
  registry.register('dataTransfer.checkTransferById', () => checkTransferById(parts));
  registry.register('dataTransfer.transferDidStart', (node) => transferDidStart(parts, node));
  registry.register('dataTransfer.transferDidNotStart', (node) => transferDidNotStart(parts, node));
  registry.register('dataTransfer.findInHistory', () => findInHistory(parts));
  registry.register('dataTransfer.exportTransferHistory', () => exportTransferHistory(parts));
}
