import { dirname } from 'node:path';
import { l10n, workspace, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import { parseRecipe, withDatabaseNames } from '../../../core/recipes/parseRecipe.ts';
import { compareFiles, hasDifference, type RecipePlan } from '../../../core/recipes/planRecipe.ts';
import { readLock, type LockReadResult, type RecipeLock } from '../../../core/recipes/recipeLock.ts';
import { recipeExtension } from '../../../core/recipes/recipeNames.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { systemClock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { readRegularFile } from '../../../core/util/durableFiles.ts';
import { RecipeDiagnostics, RecipeLenses } from '../../editor/recipeEditor.ts';
import type { RecipeStatus } from './recipeTree.ts';
import { describeNeverRun, describeRowDifference } from '../../words/recipeWords.ts';
import type { CommandServices } from '../services.ts';
import { findConnectionId, getLockToCheck, loadServiceFacts, RecipeChecks, unknownStatus } from './recipeChecks.ts';

/** Maximum size, in bytes, of a recipe that is checked for changes. */
const maxCheckedBytes = 10 * 1024 * 1024;

/**
 * Determines what has changed since the last run of each recipe. Checks one recipe at a time. Compares a recipe's files
 * with its lock only if the recipe's service is connected, the workspace is trusted and the lock is valid.
 */
class RecipeChanges implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly services: CommandServices;
  private readonly checks = this.lifetime.track(new RecipeChecks(systemClock));
  private readonly ending = new AbortController();

  readonly onDidChange = this.checks.onDidChange;

  constructor(services: CommandServices) {
    this.services = services;
    const files = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer{,.lock}.json'));
    this.lifetime.track(files.onDidChange((uri) => this.forgetFile(uri)));
    this.lifetime.track(files.onDidCreate((uri) => this.forgetFile(uri)));
    this.lifetime.track(files.onDidDelete((uri) => this.forgetFile(uri)));
    this.lifetime.track(services.sessions.onDidChange(() => this.checks.forgetUnknown()));
    this.lifetime.track(workspace.onDidGrantWorkspaceTrust(() => this.checks.forgetUnknown()));
  }

  /**
   * Returns a recipe's last known status. If this status is missing or too old, determines the current one in the
   * background. Fires `onDidChange` if the status may have changed.
   */
  getStatus(uri: Uri): RecipeStatus {
    const find = async (): Promise<RecipeStatus> =>
      uri.scheme === 'file' ? await this.findStatus(uri.fsPath) : unknownStatus;
    return this.checks.get(uri.toString(), find);
  }

  /** Returns true if the last check found new files, and recipe and lock are unchanged since. Doesn't start a check. */
  hasNewFiles(uri: Uri): boolean {
    return this.checks.getCurrent(uri.toString())?.hasNewFiles === true;
  }

  dispose(): void {
    this.ending.abort();
    this.lifetime.dispose();
  }

  private forgetFile(uri: Uri): void {
    this.checks.forget(uri.toString().replace(/\.transfer\.lock\.json$/, recipeExtension));
  }

  private async findStatus(path: string): Promise<RecipeStatus> {
    const { recipe, problems } = parseRecipe(await readRegularFile(path, maxCheckedBytes));
    const line = problems[0]?.range.line;
    if (!recipe) return { description: l10n.t('problem on line {0}', line ?? 1), icon: 'error' };
    if (!recipe.to) return { description: l10n.t('saved search'), icon: 'beaker' };
    return await this.compare(recipe, path, await readLock(path));
  }

  private async compare(recipe: Recipe, path: string, read: LockReadResult): Promise<RecipeStatus> {
    if (read.kind === 'none') return { description: describeNeverRun(), icon: 'beaker' };
    const session = this.findSession(recipe);
    const lock = getLockToCheck(read, workspace.isTrusted);
    if (!session || !lock) return unknownStatus;
    const { difference, isCut, isStalled, files } = await this.findFiles(session, recipe, dirname(path), lock);
    if (isCut) {
      const hasNewFiles = compareFiles(lock.files, files).added.length > 0;
      return {
        description: isStalled ? l10n.t('search incomplete') : l10n.t('too many files'),
        icon: 'error',
        hasNewFiles,
      };
    }
    if (!difference) return unknownStatus;
    const icon = hasDifference(difference) ? 'bell-dot' : 'beaker';
    const description = describeRowDifference(difference, lock.transfer.submitted, systemClock.now());
    return { description, icon, hasNewFiles: difference.added.length > 0 };
  }

  private findSession({ service }: Recipe): OpenConnection | undefined {
    const { sessions } = this.services;
    if (service === undefined) return sessions.active;
    const id = findConnectionId(this.services, service);
    return id === undefined ? undefined : sessions.get(id);
  }

  private async findFiles(
    session: OpenConnection,
    recipe: Recipe,
    folder: string,
    lock: RecipeLock,
  ): Promise<RecipePlan> {
    const { recipeFlow, connectFlow } = this.services;
    const named = withDatabaseNames(recipe, await connectFlow.listDatabases(session.connection.id));
    const options = { signal: this.ending.signal, onProgress: () => undefined };
    return await recipeFlow.plan(session, { recipe: named, folder, lock }, options);
  }
}

/** Provides the diagnostics, code lenses and status of recipes. Loaded when a recipe is first shown or opened. */
export class RecipeFeatures implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changes: RecipeChanges;

  constructor(services: CommandServices, onDidChangeStatus: () => void) {
    this.lifetime.track(new RecipeLenses());
    this.lifetime.track(createRecipeDiagnostics(services));
    this.changes = this.lifetime.track(new RecipeChanges(services));
    this.lifetime.track(this.changes.onDidChange(onDidChangeStatus));
  }

  getStatus(uri: Uri): RecipeStatus {
    return this.changes.getStatus(uri);
  }

  hasNewFiles(uri: Uri): boolean {
    return this.changes.hasNewFiles(uri);
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

function createRecipeDiagnostics(services: CommandServices): RecipeDiagnostics {
  return new RecipeDiagnostics({
    getFacts: (recipe) => loadServiceFacts(services, recipe, workspace.isTrusted),
    onDidChangeFacts: (listener) => onDidChangeFacts(services, listener),
  });
}

function onDidChangeFacts({ connectionStore, recipeFlow }: CommandServices, listener: () => void): Disposable {
  const subscriptions = new Lifetime();
  subscriptions.track(connectionStore.onDidChange(listener));
  subscriptions.track(workspace.onDidGrantWorkspaceTrust(listener));
  subscriptions.track(recipeFlow.missingIds.onDidChange(listener));
  return subscriptions;
}
