import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/core/util/clock.ts';
import { FolderCatalog } from '../../../src/service/catalog/folderCatalog.ts';
import { FolderReader, type AsyncFolderReader } from '../../../src/service/catalog/folderReader.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { freshFolder, writeFiles } from './folderRig.ts';

/** Simulated duration of a full scan. Long enough that the catalog doesn't scan for every search. */
const longWalkMs = 250;
/** The delay after which the watcher reports changes. */
const batchWindowMs = 300;
const limitMs = 30_000;

type RigOptions = Pick<ConstructorParameters<typeof FolderCatalog>[1], 'getState' | 'maxFolders' | 'openFile'> & {
  readonly walkMs?: number;
};

/** The catalog of a temporary folder, with its reader on this thread and a manual clock. */
export class CatalogRig {
  readonly root = freshFolder();
  readonly clock = new ManualClock();
  readonly log = new MemoryLog();
  /** The folders in which walks started, relative to the served folder. */
  readonly walks: string[] = [];
  readonly catalog: FolderCatalog;
  private readonly walkMs: number;
  private walkedMs = 0;
  private timers = 0;

  private constructor(files: Readonly<Record<string, string>>, { walkMs = longWalkMs, ...options }: RigOptions) {
    this.walkMs = walkMs;
    writeFiles(this.folder, files);
    const clock: Clock = {
      now: () => this.clock.now() + this.walkedMs,
      after: (delayMs, callback) => {
        this.timers += 1;
        return this.clock.after(delayMs, callback);
      },
    };
    const config = { name: 'Soil', folder: this.folder, file: this.file };
    this.catalog = new FolderCatalog(config, { reader: this.reader(), clock, logger: this.log, ...options });
  }

  /** Writes the files (path to content) and scans them. Later changes are found only through notifications. */
  static async start(files: Readonly<Record<string, string>>, options: RigOptions = {}): Promise<CatalogRig> {
    const rig = new CatalogRig(files, options);
    rig.catalog.start();
    await rig.find();
    await rig.catalog.rescan();
    rig.walks.length = 0;
    return rig;
  }

  get folder(): string {
    return `${this.root}/served`;
  }

  /** Path of the catalog file. */
  get file(): string {
    return `${this.root}/data/soil.db`;
  }

  write(files: Readonly<Record<string, string>>): void {
    writeFiles(this.folder, files);
  }

  /** Returns the paths that a search finds. */
  async find(query = ''): Promise<string[]> {
    const search = { search: parseSearch(query), filter: parseSpecific({ sort: 'path' }), offset: 0, limit: 100 };
    return (await this.catalog.search(search)).files.map(({ path }) => path);
  }

  /** Asserts that notifications make the catalog contain exactly the given paths. */
  async assertPaths(...paths: string[]): Promise<void> {
    const last = await this.waitForFiles((found) => found.join('\n') === paths.join('\n'));
    assert.deepEqual(last, paths);
  }

  /** Advances the clock until a condition is true. */
  async waitUntil(condition: () => Promise<boolean>): Promise<void> {
    await eventually(async () => {
      await this.clock.pass(batchWindowMs);
      return (await condition()) ? true : undefined;
    }, limitMs);
  }

  /** Waits until the catalog has received a change notification. */
  async waitForChange(): Promise<void> {
    const before = this.timers;
    await eventually(async () => (this.timers > before ? true : undefined), limitMs);
  }

  /** Advances the clock until a search finds the expected files; returns the last result. */
  private async waitForFiles(isExpected: (found: readonly string[]) => boolean): Promise<string[]> {
    let found: string[] = [];
    const poll = async (): Promise<string[] | undefined> => {
      await this.clock.pass(batchWindowMs);
      found = await this.find();
      return isExpected(found) ? found : undefined;
    };
    return await eventually(poll, limitMs).catch(() => found);
  }

  async stop(): Promise<void> {
    await this.catalog.close();
    rmSync(this.root, { recursive: true });
  }

  private reader(): AsyncFolderReader {
    const reader = new FolderReader();
    return {
      ready: async () => reader.ready(),
      walk: async (folder, under) => {
        this.walks.push(under);
        if (under === '') this.walkedMs += this.walkMs;
        return reader.walk(folder, under);
      },
      next: async (walk) => {
        await setImmediate();
        return reader.next(walk);
      },
      stop: async (walk) => reader.stop(walk),
      inspectPaths: async (folder, paths) => reader.inspectPaths(folder, paths),
    };
  }
}
