import type { Uri } from 'vscode';
import type { FileEntry } from '../../core/model/fileEntry.ts';

/** A reference to a file in a database, passed between commands and webviews. */
export interface FileRef {
  readonly connectionId: string;
  /** Name of the database. */
  readonly database: string;
  readonly id: string;
  /** Name to show until the metadata is loaded. */
  readonly name: string;
}

/** A file's row in the search results. */
export interface FileNode {
  readonly kind: 'file';
  readonly searchKey: string;
  readonly connectionId: string;
  readonly file: FileEntry;
}

/** A search's row. */
export interface SearchNode {
  readonly kind: 'search';
  readonly key: string;
}

/** The row that lists the databases skipped by a search of all databases. Shown above the search's results. */
export interface LeftOutNode {
  readonly kind: 'leftOut';
}

/** A connection's row. Without `id`, the active connection's row. */
export interface ConnectionNode {
  readonly kind: 'connection';
  readonly id?: string;
}

/** A database's row. */
export interface DatabaseNode {
  readonly kind: 'database';
  /** Name of the database. */
  readonly name: string;
}

/** The row that groups those searches in a batch that found nothing. */
export interface EmptySearchesNode {
  readonly kind: 'emptySearches';
  readonly batchId: string;
}

/** A transfer's row. */
export interface TransferNode {
  readonly kind: 'transfer';
  readonly key: string;
}

/** The row of a transfer proposed by an agent. */
export interface PlanNode {
  readonly kind: 'plan';
  readonly id: string;
}

/** A recipe's row. */
export interface RecipeNode {
  readonly kind: 'recipe';
  readonly uri: Uri;
}

/** A button in a welcome view. It disappears once its command takes effect. */
export interface WelcomeButton {
  readonly kind: 'welcome';
}

/** The types of arguments that rows, pages, links, code lenses and the Explorer view pass to commands. */
interface ArgumentTypes {
  readonly connection: ConnectionNode;
  readonly database: DatabaseNode;
  readonly search: SearchNode;
  readonly leftOut: LeftOutNode;
  readonly emptySearches: EmptySearchesNode;
  readonly file: FileNode;
  /** A file passed by a page. It has no row. */
  readonly fileRef: FileRef;
  readonly transfer: TransferNode;
  readonly plan: PlanNode;
  readonly recipe: RecipeNode;
  /** A folder in the Explorer view. */
  readonly folder: Uri;
  /** A file in the Explorer view, or a document with a code lens. */
  readonly document: Uri;
  readonly welcome: WelcomeButton;
}

/** The kinds of arguments that commands accept. */
type ArgumentKind = keyof ArgumentTypes;

/** The declaration of a command. The command's title is in `package.nls.json`. */
interface CommandDeclaration {
  /** The kinds of arguments that the command accepts. The editor may pass rows of other kinds, which are ignored. */
  readonly takes?: readonly ArgumentKind[];
  /** Name of the product icon. */
  readonly icon?: string;
  readonly enablement?: keyof ContextKeys;
}

/**
 * The declarations of all commands. `npm run manifest` writes them to `package.json`, and a test checks that the two
 * match. If a command needs an argument but receives none, it uses the current selection or prompts the user.
 */
const commandTable = {
  'dataTransfer.connect': { takes: ['welcome'], icon: 'plug' },
  'dataTransfer.disconnect': { icon: 'debug-disconnect', enablement: 'dataTransfer.hasConnection' },
  'dataTransfer.switchConnection': { takes: ['connection'], icon: 'arrow-swap' },
  'dataTransfer.forgetConnection': { takes: ['connection'] },
  'dataTransfer.setApiKey': { takes: ['connection'], icon: 'key' },
  'dataTransfer.testConnection': { takes: ['connection'], icon: 'pulse' },
  'dataTransfer.setOrcid': {},
  'dataTransfer.startLocalService': { takes: ['welcome'], icon: 'play' },
  'dataTransfer.copyLocalAccess': {},
  'dataTransfer.stopLocalService': { icon: 'debug-stop', enablement: 'dataTransfer.localServiceRunning' },
  'dataTransfer.serveFolder': { takes: ['folder'], icon: 'add' },
  'dataTransfer.serveThisFolder': { takes: ['folder'] },
  'dataTransfer.serveStore': { icon: 'cloud' },
  'dataTransfer.addStore': {},
  'dataTransfer.scanStore': { takes: ['database'], icon: 'refresh' },
  'dataTransfer.stopServing': { takes: ['database'] },
  'dataTransfer.refreshDatabases': { takes: ['connection'], icon: 'refresh' },
  'dataTransfer.searchFiles': { takes: ['database'], icon: 'search' },
  'dataTransfer.searchWithFilters': { takes: ['database'], icon: 'filter' },
  'dataTransfer.openDatabase': { takes: ['database'] },
  'dataTransfer.listFiles': { takes: ['database'], icon: 'list-unordered' },
  'dataTransfer.searchAllDatabases': { takes: ['leftOut'], icon: 'search-fuzzy' },
  'dataTransfer.findFilesById': { takes: ['database'], icon: 'list-selection' },
  'dataTransfer.matchTable': { takes: ['document'], icon: 'table' },
  'dataTransfer.saveMatchedTable': { takes: ['document'], icon: 'save' },
  'dataTransfer.refineSearch': { takes: ['search'], icon: 'edit' },
  'dataTransfer.stopSearch': { takes: ['search'], icon: 'debug-stop' },
  'dataTransfer.loadAll': { takes: ['search'] },
  'dataTransfer.sortResults': { takes: ['search'], icon: 'sort-precedence' },
  'dataTransfer.checkAllFiles': { takes: ['search'], icon: 'check-all' },
  'dataTransfer.uncheckAllFiles': { takes: ['search'] },
  'dataTransfer.toggleCheck': { takes: ['file'] },
  'dataTransfer.toggleFocusedRow': { takes: ['file'] },
  'dataTransfer.extendSelectionDown': {},
  'dataTransfer.extendSelectionUp': {},
  'dataTransfer.loadMore': { takes: ['search'] },
  'dataTransfer.repeatSearch': { takes: ['search'], icon: 'refresh' },
  'dataTransfer.dismissSearch': { takes: ['search', 'emptySearches'], icon: 'close' },
  'dataTransfer.clearResults': { icon: 'clear-all' },
  'dataTransfer.undoRemoval': { enablement: 'dataTransfer.canUndo' },
  'dataTransfer.showFileMetadata': { takes: ['file', 'fileRef'], icon: 'info' },
  'dataTransfer.showMetadataJson': { takes: ['file', 'fileRef'], icon: 'json' },
  'dataTransfer.copyFileId': { takes: ['file', 'fileRef'] },
  'dataTransfer.cite': { takes: ['file', 'fileRef', 'search', 'transfer', 'document'], icon: 'quote' },
  'dataTransfer.copyAvailabilityStatement': { takes: ['file', 'fileRef', 'search', 'transfer', 'document'] },
  'dataTransfer.transferFiles': { takes: ['file', 'fileRef'], icon: 'cloud-upload' },
  'dataTransfer.transferCheckedFiles': { icon: 'cloud-upload', enablement: 'dataTransfer.hasSearches' },
  'dataTransfer.transferToLastDestination': { takes: ['file', 'fileRef'] },
  'dataTransfer.useDescription': { icon: 'check', enablement: 'dataTransfer.descriptionDrafts' },
  'dataTransfer.showTransferProgress': { takes: ['transfer'], icon: 'graph-line' },
  'dataTransfer.cancelTransfer': { takes: ['transfer'], icon: 'circle-slash' },
  'dataTransfer.sendNow': {},
  'dataTransfer.copyTransferId': { takes: ['transfer'] },
  'dataTransfer.refreshTransfers': { icon: 'refresh' },
  'dataTransfer.revealLandedFiles': { takes: ['transfer'], icon: 'folder-opened' },
  'dataTransfer.verifyLandedFiles': { takes: ['transfer', 'document'], icon: 'verified' },
  'dataTransfer.showVerificationReport': { takes: ['transfer'], icon: 'output' },
  'dataTransfer.resendFiles': { takes: ['transfer', 'document'], icon: 'redo' },
  'dataTransfer.removeFromHistory': { takes: ['transfer'] },
  'dataTransfer.deleteFocusedTransfer': { takes: ['transfer'] },
  'dataTransfer.clearFinishedTransfers': { icon: 'clear-all' },
  'dataTransfer.restoreRemovedTransfers': { icon: 'discard' },
  'dataTransfer.showRunningTransfers': {},
  'dataTransfer.submitAgain': { takes: ['transfer'], icon: 'redo' },
  'dataTransfer.checkTransferById': {},
  'dataTransfer.transferDidStart': { takes: ['transfer'], icon: 'pass' },
  'dataTransfer.transferDidNotStart': { takes: ['transfer'], icon: 'redo' },
  'dataTransfer.findInHistory': { icon: 'search' },
  'dataTransfer.exportTransferHistory': {},
  'dataTransfer.exportRecords': { takes: ['search', 'file', 'transfer'], icon: 'export' },
  'dataTransfer.copyAsCode': { takes: ['search', 'file', 'fileRef', 'transfer'] },
  'dataTransfer.copyOpeningCode': { takes: ['transfer'] },
  'dataTransfer.saveAsRecipe': { takes: ['search', 'file', 'transfer'], icon: 'add' },
  'dataTransfer.dryRunRecipe': { takes: ['recipe', 'document'], icon: 'beaker' },
  'dataTransfer.runRecipe': { takes: ['recipe', 'document'], icon: 'play' },
  'dataTransfer.runLockedRecipe': { takes: ['recipe', 'document'] },
  'dataTransfer.compareRecipe': { takes: ['recipe', 'document'], icon: 'diff' },
  'dataTransfer.verifyRecipe': { takes: ['recipe', 'document'] },
  'dataTransfer.citeRecipe': { takes: ['recipe', 'document'] },
  'dataTransfer.copyLink': { takes: ['search', 'file', 'fileRef', 'transfer'] },
  'dataTransfer.confirmPlan': { takes: ['plan'], icon: 'check' },
  'dataTransfer.declinePlan': { takes: ['plan'], icon: 'close' },
  'dataTransfer.copyMcpConfiguration': {},
  'dataTransfer.showLog': {},
  'dataTransfer.copyDiagnostics': {},
} as const satisfies Readonly<Record<`dataTransfer.${string}`, CommandDeclaration>>;

/** The ID of a command. */
export type CommandId = keyof typeof commandTable;

type ArgumentOf<D> = D extends { readonly takes: readonly (infer K extends ArgumentKind)[] }
  ? ArgumentTypes[K]
  : undefined;

/** The argument type of each command. */
export type CommandArguments = { readonly [I in CommandId]: ArgumentOf<(typeof commandTable)[I]> };

/** The IDs of all commands. */
export const commandIds = Object.keys(commandTable) as readonly CommandId[];

/** Returns a command's declaration. */
export function getCommandDeclaration(id: CommandId): CommandDeclaration {
  return commandTable[id];
}

/** The IDs of the views. */
export const viewIds = {
  databases: 'dataTransfer.databases',
  searchResults: 'dataTransfer.searchResults',
  transfers: 'dataTransfer.transfers',
  recipes: 'dataTransfer.recipes',
} as const;

/** The webview panel types that the editor uses to restore pages after a reload. */
export const panelTypes = { metadata: 'dataTransfer.metadata', transfer: 'dataTransfer.transfer' } as const;

/** The context keys used in the manifest's `when` clauses. */
export interface ContextKeys {
  'dataTransfer.connected': boolean;
  /** True if a connection is shown, whether connected, connecting, failed or stopped. */
  'dataTransfer.hasConnection': boolean;
  'dataTransfer.localServiceRunning': boolean;
  'dataTransfer.hasSearches': boolean;
  'dataTransfer.hasChecked': boolean;
  'dataTransfer.hasTransfers': boolean;
  'dataTransfer.hasFinished': boolean;
  /** URIs of the documents in which the user is writing a description; false if there are none. */
  'dataTransfer.descriptionDrafts': readonly string[] | false;
  /** True while a removal in this window can be undone. */
  'dataTransfer.canUndo': boolean;
  'dataTransfer.hasRecipes': boolean;
  'dataTransfer.rcloneMissing': boolean;
}
