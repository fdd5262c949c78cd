import type { Uri } from 'vscode';
import type { FileEntry } from '../core/model/fileEntry.ts';

/** Names a file of a database; what commands and pages pass to each other. */
export interface FileRef {
  readonly connectionId: string;
  /** Name of the database. */
  readonly database: string;
  readonly id: string;
  /** What to call it until its metadata is there. */
  readonly name: string;
}

/** Row of the search results that stands for a file. */
export interface FileNode {
  readonly kind: 'file';
  readonly searchKey: string;
  readonly connectionId: string;
  readonly file: FileEntry;
}

/** Row that stands for a search. */
export interface SearchNode {
  readonly kind: 'search';
  readonly key: string;
}

/** Line above the results of a search of all databases that names those it left out. */
export interface LeftOutNode {
  readonly kind: 'leftOut';
}

/** Row that stands for the connection; `id` where another than the active one may be meant. */
export interface ConnectionNode {
  readonly kind: 'connection';
  readonly id?: string;
}

/** Row that stands for a database. */
export interface DatabaseNode {
  readonly kind: 'database';
  /** Name of the database. */
  readonly name: string;
}

/** Row that stands for a transfer. */
export interface TransferNode {
  readonly kind: 'transfer';
  readonly key: string;
}

/** A button of a welcome: it goes away with the welcome once its command has led to something. */
export interface WelcomeButton {
  readonly kind: 'welcome';
}

/**
 * Every command of the manifest with what it takes. An argument is what a row, a page or a link passes;
 * from the palette there is none, and the command asks.
 */
export interface CommandArguments {
  'dataTransfer.connect': WelcomeButton;
  'dataTransfer.disconnect': undefined;
  'dataTransfer.switchConnection': undefined;
  'dataTransfer.forgetConnection': ConnectionNode;
  'dataTransfer.setApiKey': ConnectionNode;
  'dataTransfer.testConnection': ConnectionNode;
  'dataTransfer.setOrcid': undefined;
  'dataTransfer.startLocalService': WelcomeButton;
  'dataTransfer.stopLocalService': undefined;
  'dataTransfer.serveFolder': Uri;
  'dataTransfer.serveThisFolder': Uri;
  'dataTransfer.stopServing': DatabaseNode;
  'dataTransfer.refreshDatabases': ConnectionNode;
  'dataTransfer.searchFiles': DatabaseNode;
  'dataTransfer.searchAllDatabases': LeftOutNode;
  'dataTransfer.findFilesById': DatabaseNode;
  'dataTransfer.refineSearch': SearchNode;
  'dataTransfer.stopSearch': SearchNode;
  'dataTransfer.loadAll': SearchNode;
  'dataTransfer.sortResults': SearchNode;
  'dataTransfer.checkAllFiles': SearchNode;
  'dataTransfer.uncheckAllFiles': SearchNode;
  'dataTransfer.toggleCheck': FileNode;
  'dataTransfer.loadMore': SearchNode;
  'dataTransfer.repeatSearch': SearchNode;
  'dataTransfer.dismissSearch': SearchNode;
  'dataTransfer.clearResults': undefined;
  'dataTransfer.showFileMetadata': FileNode | FileRef;
  'dataTransfer.showMetadataJson': FileNode | FileRef;
  'dataTransfer.copyFileId': FileNode | FileRef;
  'dataTransfer.transferFiles': FileNode | FileRef;
  'dataTransfer.transferCheckedFiles': undefined;
  'dataTransfer.useDescription': undefined;
  'dataTransfer.showTransferProgress': TransferNode;
  'dataTransfer.cancelTransfer': TransferNode;
  'dataTransfer.sendNow': undefined;
  'dataTransfer.copyTransferId': TransferNode;
  'dataTransfer.refreshTransfers': undefined;
  'dataTransfer.revealLandedFiles': TransferNode;
  'dataTransfer.verifyLandedFiles': TransferNode | Uri;
  'dataTransfer.removeFromHistory': TransferNode;
  'dataTransfer.clearFinishedTransfers': undefined;
  'dataTransfer.restoreRemovedTransfers': undefined;
  'dataTransfer.showRunningTransfers': undefined;
  'dataTransfer.submitAgain': TransferNode;
  'dataTransfer.checkTransferById': undefined;
  'dataTransfer.transferDidStart': TransferNode;
  'dataTransfer.transferDidNotStart': TransferNode;
  'dataTransfer.findInHistory': undefined;
  'dataTransfer.exportTransferHistory': undefined;
  'dataTransfer.showLog': undefined;
  'dataTransfer.copyDiagnostics': undefined;
}

type RowKind =
  'connection' | 'file' | 'search' | 'leftOut' | 'database' | 'transfer' | 'folder' | 'document' | 'welcome';

/**
 * The rows that a command can be about; a `folder` or a `document` is one of the editor's own explorer. The editor also
 * passes the row that has the focus to buttons above a view, and rows of all kinds where several are selected. A
 * `welcome` is no row, but a button that stands where rows will be.
 */
export const rowKinds: Readonly<Record<CommandId, RowKind | readonly RowKind[]>> = {
  'dataTransfer.refreshDatabases': 'connection',
  'dataTransfer.setApiKey': 'connection',
  'dataTransfer.testConnection': 'connection',
  'dataTransfer.forgetConnection': 'connection',
  'dataTransfer.serveFolder': 'folder',
  'dataTransfer.serveThisFolder': 'folder',
  'dataTransfer.stopServing': 'database',
  'dataTransfer.searchFiles': 'database',
  'dataTransfer.searchAllDatabases': 'leftOut',
  'dataTransfer.findFilesById': 'database',
  'dataTransfer.refineSearch': 'search',
  'dataTransfer.stopSearch': 'search',
  'dataTransfer.loadAll': 'search',
  'dataTransfer.sortResults': 'search',
  'dataTransfer.checkAllFiles': 'search',
  'dataTransfer.uncheckAllFiles': 'search',
  'dataTransfer.toggleCheck': 'file',
  'dataTransfer.loadMore': 'search',
  'dataTransfer.repeatSearch': 'search',
  'dataTransfer.dismissSearch': 'search',
  'dataTransfer.showFileMetadata': 'file',
  'dataTransfer.showMetadataJson': 'file',
  'dataTransfer.copyFileId': 'file',
  'dataTransfer.transferFiles': 'file',
  'dataTransfer.showTransferProgress': 'transfer',
  'dataTransfer.cancelTransfer': 'transfer',
  'dataTransfer.copyTransferId': 'transfer',
  'dataTransfer.revealLandedFiles': 'transfer',
  'dataTransfer.verifyLandedFiles': ['transfer', 'document'],
  'dataTransfer.removeFromHistory': 'transfer',
  'dataTransfer.submitAgain': 'transfer',
  'dataTransfer.transferDidStart': 'transfer',
  'dataTransfer.transferDidNotStart': 'transfer',
  'dataTransfer.connect': 'welcome',
  'dataTransfer.startLocalService': 'welcome',
  'dataTransfer.disconnect': [],
  'dataTransfer.sendNow': [],
  'dataTransfer.switchConnection': [],
  'dataTransfer.setOrcid': [],
  'dataTransfer.stopLocalService': [],
  'dataTransfer.clearResults': [],
  'dataTransfer.transferCheckedFiles': [],
  'dataTransfer.useDescription': [],
  'dataTransfer.refreshTransfers': [],
  'dataTransfer.clearFinishedTransfers': [],
  'dataTransfer.restoreRemovedTransfers': [],
  'dataTransfer.showRunningTransfers': [],
  'dataTransfer.checkTransferById': [],
  'dataTransfer.findInHistory': [],
  'dataTransfer.exportTransferHistory': [],
  'dataTransfer.showLog': [],
  'dataTransfer.copyDiagnostics': [],
};

/** Id of a command. */
export type CommandId = keyof CommandArguments;

/** The ids of all commands. */
export const commandIds = Object.keys(rowKinds) as readonly CommandId[];

/** Ids of the views. */
export const viewIds = {
  databases: 'dataTransfer.databases',
  searchResults: 'dataTransfer.searchResults',
  transfers: 'dataTransfer.transfers',
} as const;

/** Types of the pages, as the editor keeps them over a reload. */
export const panelTypes = { metadata: 'dataTransfer.metadata', transfer: 'dataTransfer.transfer' } as const;

/** Context keys that the manifest's when-clauses read, with their types. */
export interface ContextKeys {
  'dataTransfer.connected': boolean;
  'dataTransfer.localServiceRunning': boolean;
  'dataTransfer.hasSearches': boolean;
  'dataTransfer.hasChecked': boolean;
  'dataTransfer.hasTransfers': boolean;
  'dataTransfer.hasFinished': boolean;
  'dataTransfer.writingDescription': boolean;
}
