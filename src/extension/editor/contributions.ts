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
  /** Path in the database; absent if it is unknown. */
  readonly path?: string;
}

/** A file's row in the search results. */
export interface FileNode {
  readonly kind: 'file';
  readonly searchKey: string;
  readonly connectionId: string;
  readonly file: FileEntry;
  /** The part of its folder that distinguishes it from other rows with the same name; absent if there are none. */
  readonly folder?: string;
  /** Number of characters to which the row shortens its name; absent for the usual one. */
  readonly nameLength?: number;
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
export type ArgumentKind = keyof ArgumentTypes;

/** An argument of one of these kinds. */
export type CommandArgument<Kind extends ArgumentKind> = ArgumentTypes[Kind];

/** A command's entry in the manifest. Its title is in `package.nls.json`. */
interface Declaration<Kind extends ArgumentKind> {
  /** The kinds of arguments that the command accepts. The editor may pass rows of other kinds, which are ignored. */
  readonly takes?: readonly Kind[];
  /** Name of the product icon. */
  readonly icon?: string;
  readonly enablement?: keyof ContextKeys;
}

/**
 * Handles a command. If the command needs an argument but receives none, it uses the current selection or prompts the
 * user. If it was invoked from a tree, `selection` contains the selected rows that it accepts.
 */
type Handler<Services, Kind extends ArgumentKind> = (
  services: Services,
  argument: ArgumentTypes[Kind] | undefined,
  selection: readonly ArgumentTypes[Kind][] | undefined,
) => unknown;

/** A command: its handler, and its appearance, which `npm run manifest` writes to `package.json`. */
export interface Command<Services, Kind extends ArgumentKind> extends Declaration<Kind> {
  readonly run: Handler<Services, Kind>;
}

/** Returns a command for the table of a feature. */
export function command<Services, Kind extends ArgumentKind = never>(
  run: Handler<Services, Kind>,
  declaration: Declaration<Kind> = {},
): Command<Services, Kind> {
  return { run, ...declaration };
}

/** The commands of the editor's services. */
export const editorCommands = {
  'dataTransfer.undoRemoval': command(
    ({ removals }: { readonly removals: { undoLast(): unknown } }) => removals.undoLast(),
    { enablement: 'dataTransfer.canUndo' },
  ),
  'dataTransfer.showLog': command(({ showLog }: { showLog(): void }) => showLog()),
};

/** The tables of commands. Each feature adds its own, by a declaration in its `…Feature.ts`. */
export interface CommandTables {
  readonly editor: typeof editorCommands;
}

/** The ID of a command. */
export type CommandId = { readonly [F in keyof CommandTables]: keyof CommandTables[F] }[keyof CommandTables];

type CommandOf<I extends CommandId> = {
  readonly [F in keyof CommandTables]: I extends keyof CommandTables[F] ? CommandTables[F][I] : never;
}[keyof CommandTables];

/** The argument type of each command. */
export type CommandArguments = {
  readonly [I in CommandId]: CommandOf<I> extends Command<never, infer Kind> ? ArgumentTypes[Kind] : never;
};

/** The IDs of the views. */
export const viewIds = {
  databases: 'dataTransfer.databases',
  searchResults: 'dataTransfer.searchResults',
  transfers: 'dataTransfer.transfers',
  recipes: 'dataTransfer.recipes',
} as const;

/** The webview panel types that the editor uses to restore pages after a reload. */
export const panelTypes = {
  match: 'dataTransfer.match',
  metadata: 'dataTransfer.metadata',
  table: 'dataTransfer.table',
  transfer: 'dataTransfer.transfer',
  verification: 'dataTransfer.verification',
} as const;

/** The context keys used in the manifest's `when` clauses. */
export interface ContextKeys {
  'dataTransfer.connected': boolean;
  /** True if a connection is shown, whether connected, connecting, failed or stopped. */
  'dataTransfer.hasConnection': boolean;
  'dataTransfer.localServiceRunning': boolean;
  /** True if files of the active connection can be opened without a transfer. */
  'dataTransfer.canOpenFiles': boolean;
  'dataTransfer.hasSearches': boolean;
  'dataTransfer.hasChecked': boolean;
  'dataTransfer.hasTransfers': boolean;
  'dataTransfer.hasRunning': boolean;
  /** True while a notification shows a request that waits for its turn. */
  'dataTransfer.hasWaiting': boolean;
  'dataTransfer.hasFinished': boolean;
  /** URIs of the documents in which the user is writing a description; false if there are none. */
  'dataTransfer.descriptionDrafts': readonly string[] | false;
  /** True while a removal in this window can be undone. */
  'dataTransfer.canUndo': boolean;
  'dataTransfer.hasRecipes': boolean;
  'dataTransfer.rcloneMissing': boolean;
}
