import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { openCatalogFile } from '../../../src/service/catalog/catalogStore.ts';
import { getFolderState } from '../../../src/service/catalog/folderChanges.ts';
import type { SqliteFile } from '../../../src/service/sqlite.ts';
import { CatalogRig } from './catalogRig.ts';

const files = { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c' };
const paths = Object.keys(files);

describe('A catalog without change notifications (D20)', () => {
  let rig: CatalogRig;
  afterEach(async () => await rig.stop());

  /** Asserts that the next regular scan finds a change and that no notification reports it earlier. */
  async function assertScansAgain(change: () => void, then: readonly string[]): Promise<void> {
    change();
    await rig.clock.pass(4_000);
    assert.deepEqual([await rig.find(), rig.walks], [paths, []]);
    await rig.clock.pass(2_000);
    await rig.assertPaths(...then);
    assert.ok(rig.walks.length > 0 && rig.walks.every((under) => under === ''), rig.walks.join('|'));
  }

  const getRemoteState: typeof getFolderState = async (folder) => {
    const state = await getFolderState(folder);
    return state && { ...state, isRemote: true };
  };

  it('scans regularly when there are more folders than it may watch', async () => {
    rig = await CatalogRig.start(files, { maxFolders: 1 });
    await assertScansAgain(() => rig.write({ 'sub/deep/d.txt': '' }), [...paths, 'sub/deep/d.txt']);
  });

  it('scans regularly on a network file system (D30)', async () => {
    rig = await CatalogRig.start(files, { getState: getRemoteState });
    await assertScansAgain(() => rig.write({ 'z.txt': '' }), [...paths, 'z.txt']);
  });

  it('stays open while idle on a network file system, because a new scan may be slow', async () => {
    rig = await CatalogRig.start(files, { getState: getRemoteState, walkMs: 0 });
    assert.deepEqual([rig.catalog.isBusy, rig.catalog.canReopen], [false, false]);
  });

  it('scans after ten minutes, even with notifications', async () => {
    rig = await CatalogRig.start(files);
    await rig.clock.pass(599_000);
    assert.deepEqual([await rig.find(), rig.walks], [paths, []]);
    await rig.clock.pass(1_000);
    await rig.find();
    await rig.catalog.rescan('sub');
    assert.deepEqual(rig.walks, ['', 'sub']);
  });
});

describe('A catalog whose file breaks while it is in use (D20)', () => {
  let rig: CatalogRig;
  beforeEach(async () => (rig = await CatalogRig.start(files)));
  afterEach(async () => await rig.stop());

  function overwrite(from: number, to: number): void {
    const file = openSync(rig.file, 'r+');
    writeSync(file, Buffer.alloc(to - from, 0xa5), 0, to - from, from);
    closeSync(file);
  }

  /** Overwrites the change counter in the file, so that SQLite assumes that another program has written to the file. */
  function countChange(): void {
    const file = openSync(rig.file, 'r+');
    writeSync(file, Buffer.from('7fffffff', 'hex'), 0, 4, 24);
    closeSync(file);
  }

  const breaks: [what: string, damage: () => void][] = [
    ['is overwritten completely', () => overwrite(0, statSync(rig.file).size)],
    [
      'is overwritten after its first page',
      () => {
        overwrite(8_192, statSync(rig.file).size);
        countChange();
      },
    ],
    ['is emptied', () => writeFileSync(rig.file, '')],
    ['is truncated in the middle', () => writeFileSync(rig.file, readFileSync(rig.file).subarray(0, 20_000))],
  ];
  for (const [what, damage] of breaks) {
    it(`is recreated for a search when it ${what}`, async () => {
      damage();
      assert.deepEqual(await rig.find(), paths);
      assert.deepEqual(await rig.find('deep'), ['sub/deep/c.txt']);
      rig.write({ 'sub/d.txt': '' });
      await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/d.txt', 'sub/deep/c.txt');
    });

    it(`is recreated for metadata when it ${what}, also with concurrent requests`, async () => {
      damage();
      const requests = Array.from({ length: 5 }, async () => await rig.catalog.filesByIds(['sub/b.txt']));
      for (const [file] of await Promise.all(requests)) assert.equal(file?.path, 'sub/b.txt');
      assert.ok(rig.walks.length <= 3, rig.walks.join('|'));
    });

    it(`is recreated for a change when it ${what}`, async () => {
      damage();
      rig.write({ 'sub/d.txt': '' });
      await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/d.txt', 'sub/deep/c.txt');
    });
  }

  it('is recreated when it is removed', async () => {
    rmSync(rig.file);
    rig.write({ 'sub/d.txt': '' });
    await rig.waitUntil(async () => (await rig.find().catch((): string[] => [])).includes('sub/d.txt'));
    assert.equal(statSync(rig.file).isFile(), true);
  });

  it('is recreated as soon as that is possible', async () => {
    overwrite(0, statSync(rig.file).size);
    renameSync(`${rig.root}/data`, `${rig.root}/other`);
    writeFileSync(`${rig.root}/data`, 'a file in the place of the folder');
    await assert.rejects(rig.find(), {
      code: 'DATABASE_UNAVAILABLE',
      message: "The folder of the database Soil can't be searched: its catalog can't be used.",
    });
    assert.deepEqual(rig.catalog.getCachedHashes(['a.txt']), []);
    rmSync(`${rig.root}/data`);
    assert.deepEqual(await rig.find(), paths);
  });
});

describe('A catalog on a full disk (D20)', () => {
  it('reports it, retains its content, and continues when there is space', async () => {
    const opened: SqliteFile[] = [];
    const rig = await CatalogRig.start(files, {
      openFile: (file) => {
        const database = openCatalogFile(file);
        opened.push(database);
        return database;
      },
    });
    const [file] = await rig.catalog.filesByIds(['a.txt']);
    assert.ok(file);
    rig.catalog.cacheHashes([{ ...file, sha256: 'abc' }]);
    const limit = (pages: number): void => opened[0]?.exec(`PRAGMA max_page_count = ${pages}`);
    limit(1);
    const more = Array.from({ length: 300 }, (_, number) => `more/${'x'.repeat(200)}${number}`);
    rig.write(Object.fromEntries(more.map((path) => [path, ''])));
    await rig.waitUntil(
      async () =>
        await rig.find().then(
          () => false,
          (error: unknown) => String(error).includes("can't be searched: its catalog can't be used"),
        ),
    );
    await assert.rejects(rig.find(), { code: 'DATABASE_UNAVAILABLE' });
    assert.ok(rig.log.lines.some((line) => line.includes('full')));
    limit(100_000);
    assert.equal((await rig.find()).length, 100);
    assert.deepEqual(await rig.find('deep'), ['sub/deep/c.txt']);
    assert.equal(rig.catalog.getCachedHashes(['a.txt'])[0]?.sha256, 'abc');
    assert.equal(opened.length, 1);
    await rig.stop();
  });
});

describe('A catalog of a folder whose disk starts to hang (D42)', () => {
  it('reports that the folder does not respond without reading it, and works again once the disk responds', async () => {
    let isHanging = false;
    const rig = await CatalogRig.start(files, {
      getState: async (folder) => {
        if (isHanging) throw Object.assign(new Error('The disk does not respond.'), { code: 'ETIMEDOUT' });
        return await getFolderState(folder);
      },
    });
    isHanging = true;
    await assert.rejects(rig.find(), {
      code: 'DATABASE_UNAVAILABLE',
      message: "The folder of the database Soil doesn't respond.",
    });
    assert.deepEqual(rig.walks, []);
    isHanging = false;
    assert.deepEqual(await rig.find(), paths);
    await rig.stop();
  });
});

describe('The state of a folder (D20)', () => {
  it('changes when another folder replaces it, and is undefined without a folder', async () => {
    const rig = await CatalogRig.start(files);
    const first = await getFolderState(rig.folder);
    renameSync(rig.folder, `${rig.root}/away`);
    assert.equal(await getFolderState(rig.folder), undefined);
    mkdirSync(rig.folder);
    const second = await getFolderState(rig.folder);
    assert.ok(first && second && first.identity !== second.identity);
    assert.equal(await getFolderState(rig.file), undefined);
    symlinkSync('ring', `${rig.root}/ring`);
    assert.equal(await getFolderState(`${rig.root}/ring`), undefined);
    await rig.stop();
  });
});
