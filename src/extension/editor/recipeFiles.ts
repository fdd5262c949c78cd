import { commands, EventEmitter, workspace, type TextDocument, type Uri } from 'vscode';
import { isRecipePath } from '../../core/recipes/recipeNames.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { ContextKeys } from './contributions.ts';

const contextKey: keyof ContextKeys = 'dataTransfer.hasRecipes';

/** Maximum number of rows. Recipes beyond this limit appear only in the Explorer view. */
const maxFiles = 500;

/** Lists the recipes in the workspace, and shows the Recipes view while there are any. */
export class RecipeFiles implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<void>());
  private files: readonly Uri[] = [];
  private refreshes = 0;

  readonly onDidChange = this.changed.event;

  constructor() {
    const watcher = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer.json', false, true));
    this.lifetime.track(watcher.onDidCreate(() => this.refresh()));
    this.lifetime.track(watcher.onDidDelete(() => this.refresh()));
    // When a folder is deleted, the editor reports only the folder and not the files in it.
    const folders = this.lifetime.track(workspace.createFileSystemWatcher('**', true, true));
    this.lifetime.track(folders.onDidDelete((folder) => this.removeBelow(folder)));
    this.lifetime.track(workspace.onDidChangeWorkspaceFolders(() => this.refresh()));
    void this.refresh();
  }

  /** The recipes, sorted by path. */
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
