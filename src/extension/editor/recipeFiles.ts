import { commands, EventEmitter, FileType, workspace, type TextDocument, type Uri } from 'vscode';
import { isRecipePath } from '../../core/recipes/recipeNames.ts';
import { systemClock } from '../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { mapConcurrently } from '../../core/util/concurrentCalls.ts';
import type { ContextKeys } from './contributions.ts';

const contextKey: keyof ContextKeys = 'dataTransfer.hasRecipes';

/** Maximum number of rows in the Recipes view. Recipes beyond this limit appear only in the Explorer view. */
const maxFiles = 500;

/** Delay in milliseconds before created files and folders are checked together. */
const folderDelayMs = 3000;

/** Maximum number of created files and folders to check. If there are more, a folder is assumed to be among them. */
const maxChecks = 100;

/** Lists the recipes in the workspace, and shows the Recipes view while there are any. */
export class RecipeFiles implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<void>());
  private files: readonly Uri[] = [];
  private refreshes = 0;
  private readonly created: Uri[] = [];
  private check: Disposable | undefined;
  private isDisposed = false;

  readonly onDidChange = this.changed.event;

  constructor() {
    const watcher = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer.json', false, true));
    this.lifetime.track(watcher.onDidCreate(() => this.refresh()));
    this.lifetime.track(watcher.onDidDelete(() => this.refresh()));
    // When a folder is created or deleted, the editor may report only the folder and not the files in it.
    const folders = this.lifetime.track(workspace.createFileSystemWatcher('**', false, true));
    this.lifetime.track(folders.onDidCreate((created) => this.checkLater(created)));
    this.lifetime.track(folders.onDidDelete((folder) => this.removeBelow(folder)));
    this.lifetime.track(workspace.onDidChangeWorkspaceFolders(() => this.refresh()));
    void this.refresh();
  }

  /** Returns the recipes in the workspace, sorted by path. */
  get all(): readonly Uri[] {
    return this.files;
  }

  /** Calls the listener for each open recipe, and whenever another one is opened. */
  onDidOpen(listener: () => void): Disposable {
    const notify = ({ uri }: TextDocument): void => {
      if (isRecipePath(uri.path)) listener();
    };
    workspace.textDocuments.forEach(notify);
    return workspace.onDidOpenTextDocument(notify);
  }

  dispose(): void {
    this.lifetime.dispose();
    this.check?.dispose();
    this.isDisposed = true;
  }

  private checkLater(created: Uri): void {
    if (/\/(node_modules|\.git)(\/|$)/.test(created.path)) return;
    this.created.push(created);
    this.check ??= systemClock.after(folderDelayMs, () => void this.checkCreated());
  }

  /** Looks for recipes if a folder was created, or if more than {@link maxChecks} files and folders were created. */
  private async checkCreated(): Promise<void> {
    const created = this.created.splice(0);
    try {
      const hasFolder = created.length > maxChecks || (await mapConcurrently(created, 8, isFolder)).includes(true);
      if (hasFolder) await this.refresh();
    } finally {
      // Only one check runs at a time, because a search of a large workspace takes long.
      const more = this.isDisposed ? undefined : this.created.pop();
      this.check = undefined;
      if (more) this.checkLater(more);
    }
  }

  private removeBelow(folder: Uri): void {
    if (this.files.some(({ path }) => path.startsWith(`${folder.path}/`))) void this.refresh();
  }

  private async refresh(): Promise<void> {
    const refresh = ++this.refreshes;
    const found = await workspace.findFiles('**/*.transfer.json', '**/node_modules/**', maxFiles);
    // A newer search supersedes this one.
    if (refresh !== this.refreshes) return;
    this.files = found.sort((one, other) => one.path.localeCompare(other.path));
    await commands.executeCommand('setContext', contextKey, found.length > 0);
    this.changed.fire();
  }
}

/** Resolves to true for a folder, and to false if the URI is a file, no longer exists or can't be read. */
async function isFolder(uri: Uri): Promise<boolean> {
  try {
    return ((await workspace.fs.stat(uri)).type & FileType.Directory) !== 0;
  } catch {
    return false;
  }
}
