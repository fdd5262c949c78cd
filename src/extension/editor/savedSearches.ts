import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatSavedSearch, parseSavedSearch } from '../../core/model/savedSearch.ts';
import { filterMissingIds } from '../../core/model/idList.ts';
import { getResultTime, type Search, type SearchStore } from '../../core/search/searchStore.ts';
import { wait, type Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { isMissing } from '../../core/util/errorFacts.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';

interface SavedSearchesDependencies {
  /** The folder for the saved searches of this workspace. */
  readonly folder: string;
  readonly store: SearchStore;
  readonly clock: Clock;
  readonly log: Logger;
}

type StoredSearch = NonNullable<ReturnType<typeof parseSavedSearch>>;

const maxSearches = 20;
/** Maximum number of saved searches. Those beyond {@link maxSearches} are saved only if they have checked files. */
const maxSearchesWithChecks = 100;
const maxFileBytes = 64 * 1024 * 1024;
/** Divisor for the maximum share of time spent writing: 5 means one fifth. */
const writeShare = 5;

/**
 * Saves each search of a workspace to a file, and restores the searches in the next window (D59: saved searches). No
 * method rejects: a search that can't be saved is lost when the window closes.
 */
export class SavedSearches implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: SavedSearchesDependencies;
  private readonly changed = new Set<string>();
  private readonly openedAt = new Map<string, number>();
  private readonly onDisk = new Set<string>();
  private lastOpenedAt = 0;
  private writing: Promise<void> | undefined;
  /** Aborted by {@link flush}, after which writes are no longer delayed. */
  private readonly hurry = new AbortController();
  private hasReported = false;

  constructor(dependencies: SavedSearchesDependencies) {
    this.dependencies = dependencies;
    const { store } = dependencies;
    for (const event of [store.onDidChange, store.onDidChangeChecks])
      this.lifetime.track(event((keys) => this.saveLater(keys)));
    this.lifetime.track(store.onDidCollapse((key) => this.saveLater([key])));
  }

  /** Adds the saved searches to the store. Deletes the files of searches that exceed the limits. */
  async restore(): Promise<void> {
    const found = await this.readAll();
    found.sort((one, other) => other.openedAt - one.openedAt);
    const kept = found.filter((search, position) => isKept(position, search.checked.length));
    for (const { key, openedAt } of kept) this.openedAt.set(key, openedAt);
    for (const { key } of found) this.onDisk.add(key);
    this.lastOpenedAt = Math.max(this.lastOpenedAt, ...kept.map(({ openedAt }) => openedAt));
    const pending = [...this.changed];
    if (kept.length > 0) this.dependencies.store.restoreSaved(kept);
    // The restored searches are already on disk.
    this.changed.clear();
    for (const key of pending) this.changed.add(key);
    for (const search of found) if (!kept.includes(search)) await this.remove(search.key);
  }

  /** Writes all changes without further delay, for example when the window closes. Resolves when they are on disk. */
  async flush(): Promise<void> {
    this.hurry.abort();
    while (this.writing) await this.writing;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private saveLater(keys: readonly string[]): void {
    for (const key of keys) {
      this.changed.add(key);
      this.assignOpenedAt(key);
    }
    if (this.changed.size > 0) this.writing ??= this.writeChanged();
  }

  private async writeChanged(): Promise<void> {
    // Wait, so that all changes in one turn of the event loop are written together.
    await Promise.resolve();
    const { clock } = this.dependencies;
    for (const key of this.takeChanged()) {
      const startedAt = clock.now();
      await this.save(key);
      const tookMs = clock.now() - startedAt;
      if (tookMs > 0) await wait(clock, tookMs * (writeShare - 1), this.hurry.signal);
    }
    this.writing = this.changed.size > 0 ? this.writeChanged() : undefined;
  }

  private takeChanged(): readonly string[] {
    const keys = [...this.changed];
    this.changed.clear();
    return keys;
  }

  private async save(key: string): Promise<void> {
    const { store, folder } = this.dependencies;
    const position = store.getAll().findIndex((search) => search.key === key);
    const search = store.get(key);
    try {
      if (search && isKept(position, store.getCheckedCount(key))) {
        this.onDisk.add(key);
        await createFolder(folder, 0o700);
        await writeFileAtomically(join(folder, toFileName(key)), this.format(search));
      } else await this.remove(key);
      await this.removeOldest();
    } catch (error) {
      this.report('saved', error);
    }
  }

  private format(search: Search): string {
    const { key, connectionId, query, order, isCollapsed, mayHaveMore, batchId, files } = search;
    const loadedAt = getResultTime(search);
    const unknownIds = filterMissingIds(search, true).map(({ id }) => id);
    const saved = { key, connectionId, query, order, isCollapsed, mayHaveMore, files, unknownIds };
    const checked = this.dependencies.store.getChecked(key);
    return formatSavedSearch(
      { ...saved, checked, ...(loadedAt !== undefined && { loadedAt }), ...(batchId !== undefined && { batchId }) },
      this.openedAt.get(key) ?? 0,
    );
  }

  /**
   * Records when a search was opened. Saved searches are sorted by this time, so it is unique even for searches opened
   * in the same millisecond.
   */
  private assignOpenedAt(key: string): void {
    if (this.openedAt.has(key)) return;
    this.lastOpenedAt = Math.max(this.dependencies.clock.now(), this.lastOpenedAt + 1);
    this.openedAt.set(key, this.lastOpenedAt);
  }

  private async removeOldest(): Promise<void> {
    const { store } = this.dependencies;
    for (const [position, { key }] of store.getAll().entries())
      if (!isKept(position, store.getCheckedCount(key))) await this.remove(key);
  }

  private async remove(key: string): Promise<void> {
    if (!this.onDisk.delete(key)) return;
    try {
      await rm(join(this.dependencies.folder, toFileName(key)), { force: true });
    } catch (error) {
      this.report('removed', error);
    }
  }

  private async readAll(): Promise<StoredSearch[]> {
    try {
      const names = (await readdir(this.dependencies.folder)).filter((name) => name.endsWith('.json'));
      const searches = await Promise.all(names.map((name) => this.readOne(name)));
      return searches.filter((search) => search !== undefined);
    } catch (error) {
      if (!isMissing(error)) this.report('read', error);
      return [];
    }
  }

  /** Reads a saved search. Returns undefined if that fails. Renames a damaged or foreign file. */
  private async readOne(name: string): Promise<StoredSearch | undefined> {
    const path = join(this.dependencies.folder, name);
    try {
      const text = (await stat(path)).size > maxFileBytes ? '' : await readFile(path, 'utf8');
      const search = parseSavedSearch(text);
      if (search && toFileName(search.key) === name) return search;
      await rename(path, `${path}.damaged`);
      this.report('read', new Error(`${name} is damaged`));
    } catch (error) {
      if (!isMissing(error)) this.report('read', error);
    }
    return undefined;
  }

  private report(operation: 'read' | 'saved' | 'removed', error: unknown): void {
    if (this.hasReported) return;
    this.hasReported = true;
    this.dependencies.log.warn(`A search could not be ${operation}: ${String(error)}`);
  }
}

function isKept(position: number, checkedCount: number): boolean {
  return position < maxSearches || (checkedCount > 0 && position < maxSearchesWithChecks);
}

/** Returns the file name for a key. Strips characters that would let a manipulated key point to another folder. */
function toFileName(key: string): string {
  return `${key.replaceAll(/[^\w-]/g, '')}.json`;
}
