import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/core/util/clock.ts';
import { FolderCatalog, type FolderCatalogParts } from '../../../src/service/catalog/folderCatalog.ts';
import { FolderReader, type AskedReader } from '../../../src/service/catalog/folderReader.ts';
import { parseSearch } from '../../../src/service/catalog/searchLanguage.ts';
import { parseSpecific } from '../../../src/service/catalog/specificParameters.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { freshFolder, writeFiles } from './folderRig.ts';

/** What a walk through everything seems to take: too long to be made at every search. */
const walkMs = 250;
/** As long as changes are gathered. */
const gatherMs = 300;
const limitMs = 4_000;

type Parts = Pick<FolderCatalogParts, 'stateOf' | 'mostFolders' | 'openFile'>;

/** The catalogue of a fresh folder, with its reader in this thread and a clock that is moved by hand. */
export class CatalogRig {
  readonly root = freshFolder();
  readonly clock = new ManualClock();
  readonly log = new MemoryLog();
  /** The folders that walks began at. */
  readonly walks: string[] = [];
  readonly catalog: FolderCatalog;
  private walkedMs = 0;
  private timers = 0;

  private constructor(files: Readonly<Record<string, string>>, parts: Parts) {
    writeFiles(this.folder, files);
    const clock: Clock = {
      now: () => this.clock.now() + this.walkedMs,
      after: (delayMs, callback) => {
        this.timers += 1;
        return this.clock.after(delayMs, callback);
      },
    };
    const plan = { name: 'Soil', folder: this.folder, file: this.file };
    this.catalog = new FolderCatalog(plan, { reader: this.reader(), clock, logger: this.log, ...parts });
  }

  /** Writes the files (path to content) and has them found; what comes later can only be told. */
  static async start(files: Readonly<Record<string, string>>, parts: Parts = {}): Promise<CatalogRig> {
    const rig = new CatalogRig(files, parts);
    rig.catalog.start();
    await rig.find();
    await rig.catalog.rescan();
    rig.walks.length = 0;
    return rig;
  }

  get folder(): string {
    return `${this.root}/served`;
  }

  /** The file of the catalogue. */
  get file(): string {
    return `${this.root}/data/soil.db`;
  }

  write(files: Readonly<Record<string, string>>): void {
    writeFiles(this.folder, files);
  }

  /** The paths that a search finds. */
  async find(query = ''): Promise<string[]> {
    const wanted = { search: parseSearch(query), filter: parseSpecific({ sort: 'path' }), offset: 0, limit: 100 };
    return (await this.catalog.search(wanted)).files.map(({ path }) => path);
  }

  /** Waits until the catalogue holds exactly these paths, because it was told of what happened. */
  async follows(...paths: string[]): Promise<void> {
    const last = await this.until((found) => found.join('\n') === paths.join('\n'));
    assert.deepEqual(last, paths);
  }

  /** Lets time pass until something is so. */
  async comesTrue(isSo: () => Promise<boolean>): Promise<void> {
    await eventually(async () => {
      await this.clock.pass(gatherMs);
      return (await isSo()) ? true : undefined;
    }, limitMs);
  }

  /** Waits until the catalogue was told of a change, which it then gathers others with. */
  async told(): Promise<void> {
    const before = this.timers;
    await eventually(async () => (this.timers > before ? true : undefined), limitMs);
  }

  /** Lets time pass until a search finds something else; returns what it finds then or at last. */
  private async until(isIt: (found: readonly string[]) => boolean): Promise<string[]> {
    let found: string[] = [];
    const ask = async (): Promise<string[] | undefined> => {
      await this.clock.pass(gatherMs);
      found = await this.find();
      return isIt(found) ? found : undefined;
    };
    return await eventually(ask, limitMs).catch(() => found);
  }

  async stop(): Promise<void> {
    await this.catalog.close();
    rmSync(this.root, { recursive: true });
  }

  private reader(): AskedReader {
    const reader = new FolderReader();
    return {
      ready: async () => reader.ready(),
      walk: async (folder, under) => {
        this.walks.push(under);
        if (under === '') this.walkedMs += walkMs;
        return reader.walk(folder, under);
      },
      next: async (walk) => {
        await setImmediate();
        return reader.next(walk);
      },
      stop: async (walk) => reader.stop(walk),
      look: async (folder, paths) => reader.look(folder, paths),
    };
  }
}
