import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { FolderCatalog } from '../../../src/service/catalog/folderCatalog.ts';
import { FolderReader, type AsyncFolderReader } from '../../../src/service/catalog/folderReader.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import type { StoreListingState } from '../../../src/service/wire/apiSchemas.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { freshFolder, writeFiles } from './folderRig.ts';

const fileCount = 1_500;
const message = 'The folder of the database Soil is being scanned. Files found so far: 1000.';

/** Reads a folder whose walks stop after a batch of 1,000 files until {@link release} is called. */
class SlowReader implements AsyncFolderReader {
  release: () => void = () => undefined;
  private readonly reader = new FolderReader();
  private readonly started = new Set<number>();
  private released: Promise<void> = Promise.resolve();

  hold(): void {
    this.released = new Promise((resolve) => (this.release = resolve));
  }

  ready = async (): Promise<void> => await Promise.resolve();
  walk: AsyncFolderReader['walk'] = async (folder, under) => await Promise.resolve(this.reader.walk(folder, under));
  stop: AsyncFolderReader['stop'] = async (walk) => {
    await Promise.resolve();
    this.reader.stop(walk);
  };
  inspectPaths: AsyncFolderReader['inspectPaths'] = async (folder, paths) =>
    await Promise.resolve(this.reader.inspectPaths(folder, paths));

  next: AsyncFolderReader['next'] = async (walk) => {
    if (this.started.has(walk)) await this.released;
    this.started.add(walk);
    await setImmediate();
    return this.reader.next(walk);
  };
}

describe('A folder whose scan takes longer than a search waits (D51)', () => {
  const clock = new ManualClock();
  let root: string;
  let reader: SlowReader;
  let catalog: FolderCatalog;

  beforeEach(() => {
    root = freshFolder();
    const names = Array.from({ length: fileCount }, (_, index) => `sub/${index}.txt`);
    writeFiles(`${root}/served`, Object.fromEntries(names.map((name) => [name, ''])));
    reader = new SlowReader();
    reader.hold();
    openCatalog();
  });

  afterEach(async () => {
    reader.release();
    await catalog.close();
    rmSync(root, { recursive: true });
  });

  function openCatalog(): void {
    const config = { name: 'Soil', folder: `${root}/served`, file: `${root}/data/soil.db` };
    catalog = new FolderCatalog(config, { reader, clock, logger: new MemoryLog() });
    catalog.start();
  }

  async function search(): Promise<number> {
    const request = { search: parseSearch(''), filter: parseSpecific({}), offset: 0, limit: 10_000 };
    return (await catalog.search(request)).files.length;
  }

  /** Returns how a query ends if its limit passes meanwhile, or that it doesn't. */
  async function passLimit(query: Promise<unknown>): Promise<unknown> {
    let result: unknown;
    void query.then(
      (value) => (result = value),
      (error: unknown) => (result = error),
    );
    const poll = async (): Promise<unknown> => {
      await clock.pass(5_000);
      return result;
    };
    return await eventually(poll, 5_000).catch(() => 'still waiting');
  }

  async function getListing(): Promise<StoreListingState | undefined> {
    const listing = catalog.getListing();
    await clock.pass(1_000);
    return await listing;
  }

  async function waitForFirstBatch(): Promise<void> {
    await eventually(async () => ((await getListing())?.scanned === 1_000 ? true : undefined));
  }

  it('responds after five seconds with the number of files found so far, and its own code', async () => {
    await waitForFirstBatch();
    for (const query of [search(), catalog.filesByIds([])]) {
      const error = await passLimit(query);
      assert.ok(error instanceof Error);
      assert.deepEqual([error.message, 'code' in error && error.code], [message, 'DATABASE_SCANNING']);
    }
  });

  it('reports the progress until its first scan is complete, and can be searched from then on', async () => {
    await waitForFirstBatch();
    assert.deepEqual(await getListing(), { state: 'scanning', files: 0, scanned: 1_000 });
    reader.release();
    await eventually(async () => ((await getListing()) === undefined ? true : undefined));
    assert.equal(await search(), fileCount);
  });

  it('reports the number of files of the previous scan while it is scanned again after a restart', async () => {
    reader.release();
    assert.equal(await search(), fileCount);
    await catalog.close();
    reader.hold();
    openCatalog();
    await waitForFirstBatch();
    assert.deepEqual(await getListing(), { state: 'scanning', files: fileCount, scanned: 1_000 });
  });

  it('responds after five seconds while the folder of a transfer is scanned', async () => {
    reader.release();
    assert.equal(await search(), fileCount);
    reader.hold();
    catalog.resumeTracking('sub');
    await waitForFirstBatch();
    assert.deepEqual(await getListing(), { state: 'scanning', files: fileCount, scanned: 1_000 });
    const error = await passLimit(search());
    assert.ok(error instanceof Error);
    assert.equal(error.message, message);
  });

  it('is searched as it was if a scan that is usually quick takes too long', async () => {
    reader.release();
    assert.equal(await search(), fileCount);
    reader.hold();
    await clock.pass(60_000);
    assert.equal(await passLimit(search()), fileCount);
  });
});
