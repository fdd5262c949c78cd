import { dirname } from 'node:path';
import { l10n, workspace, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import { hasDifference, type LockDifference } from '../../../core/recipes/compareFiles.ts';
import { withDatabaseNames } from '../../../core/recipes/checkRecipe.ts';
import { parseRecipe } from '../../../core/recipes/parseRecipe.ts';
import { recipeExtension } from '../../../core/recipes/recipeNames.ts';
import type { RecipeLock } from '../../../core/recipes/lockFormat.ts';
import { readLock, type LockReadResult } from '../../../core/recipes/recipeLock.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import { systemClock } from '../../../core/util/clock.ts';
import { Emitter } from '../../../core/util/emitter.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { readRegularFile } from '../../../core/util/regularFile.ts';
import { formatRowDifference } from '../../words/recipeWords.ts';
import type { RecipeStatus } from '../../views/recipeTree.ts';
import type { CommandServices } from '../services.ts';
import { findConnectionId } from './recipeSession.ts';

/** Maximum size of a recipe for which a row shows changes. */
const maxRecipeBytes = 10 * 1024 * 1024;
/** Age at which the status of a recipe is determined again when it is shown. */
const maxAgeMs = 60 * 60_000;

const unknown: RecipeStatus = { description: '', icon: 'beaker' };

interface CheckedStatus {
  readonly status: RecipeStatus;
  readonly checkedAt: number;
  /** True if the recipe or its lock has changed since the check. */
  readonly isOutdated?: boolean;
}

/** Finds what has changed since the last run of recipes, one at a time, and only if a connection is open. */
export class RecipeChanges implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly services: CommandServices;
  private readonly checked = new Map<string, CheckedStatus>();
  private readonly changed = this.lifetime.track(new Emitter<void>());
  private readonly ending = new AbortController();
  private queue: Promise<void> = Promise.resolve();

  readonly onDidChange = this.changed.event;

  constructor(services: CommandServices) {
    this.services = services;
    const files = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer{,.lock}.json'));
    this.lifetime.track(files.onDidChange((uri) => this.forgetFile(uri)));
    this.lifetime.track(files.onDidCreate((uri) => this.forgetFile(uri)));
    this.lifetime.track(services.sessions.onDidChange(() => this.forgetUnknown()));
  }

  /** Returns the last known status. If it is older than an hour, determines it again and fires `onDidChange`. */
  getStatus(uri: Uri): RecipeStatus {
    const known = this.checked.get(uri.toString());
    const now = systemClock.now();
    if (known && now - known.checkedAt < maxAgeMs) return known.status;
    const status = known?.status ?? unknown;
    this.checked.set(uri.toString(), { ...known, status, checkedAt: now });
    this.queue = this.queue.then(() => this.check(uri));
    return status;
  }

  /** Returns true if a recipe had new files when it was last checked, and hasn't been run since. Checks nothing. */
  hasNewFiles(uri: Uri): boolean {
    const known = this.checked.get(uri.toString());
    return known?.status.hasNewFiles === true && !known.isOutdated;
  }

  dispose(): void {
    this.ending.abort();
    this.lifetime.dispose();
  }

  /** Discards the status of a recipe after the recipe or its lock has changed. */
  private forgetFile(uri: Uri): void {
    this.forget(uri.toString().replace(/\.transfer\.lock\.json$/, recipeExtension));
    this.changed.fire();
  }

  /** Discards the status of the recipes whose service was not connected. */
  private forgetUnknown(): void {
    const keys = [...this.checked].filter(([, { status }]) => status === unknown).map(([key]) => key);
    keys.forEach((key) => this.forget(key));
    if (keys.length > 0) this.changed.fire();
  }

  private forget(key: string): void {
    const known = this.checked.get(key);
    if (known) this.checked.set(key, { ...known, checkedAt: -Infinity, isOutdated: true });
  }

  private async check(uri: Uri): Promise<void> {
    if (this.ending.signal.aborted || uri.scheme !== 'file') return;
    const status = await this.findStatus(uri.fsPath).catch(() => unknown);
    const before = this.checked.get(uri.toString());
    if (!before) return;
    const { checkedAt, isOutdated } = before;
    this.checked.set(uri.toString(), { status, checkedAt });
    if (isOutdated || before.status.description !== status.description) this.changed.fire();
  }

  private async findStatus(path: string): Promise<RecipeStatus> {
    const { recipe, problems } = parseRecipe(await readRegularFile(path, maxRecipeBytes));
    const line = problems[0]?.range.line;
    if (!recipe) return { description: l10n.t('problem on line {0}', line ?? 1), icon: 'error' };
    if (!recipe.to) return { description: l10n.t('saved search'), icon: 'beaker' };
    return await this.compare(recipe, path, await readLock(path));
  }

  private async compare(recipe: Recipe, path: string, lock: LockReadResult): Promise<RecipeStatus> {
    if (lock.kind === 'none') return { description: l10n.t('not run yet'), icon: 'beaker' };
    const session = this.findSession(recipe);
    if (!session || !('lock' in lock)) return unknown;
    const difference = await this.findDifference(session, recipe, dirname(path), lock.lock);
    if (!difference) return unknown;
    const icon = hasDifference(difference) ? 'bell-dot' : 'beaker';
    return { description: formatRowDifference(difference), icon, hasNewFiles: difference.added.length > 0 };
  }

  private findSession({ service }: Recipe): OpenConnection | undefined {
    const { sessions } = this.services;
    if (service === undefined) return sessions.active;
    const id = findConnectionId(this.services, service);
    return id === undefined ? undefined : sessions.get(id);
  }

  private async findDifference(
    session: OpenConnection,
    recipe: Recipe,
    folder: string,
    lock: RecipeLock,
  ): Promise<LockDifference | undefined> {
    const { recipeFlow, connectFlow } = this.services;
    const named = withDatabaseNames(recipe, await connectFlow.listDatabases(session.connection.id));
    const options = { signal: this.ending.signal, onProgress: () => undefined };
    const { difference } = await recipeFlow.plan(session, { recipe: named, folder, lock }, options);
    return difference;
  }
}
