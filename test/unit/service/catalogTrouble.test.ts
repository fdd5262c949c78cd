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
import { openCatalogFile } from '../../../src/service/catalog/catalogTables.ts';
import { folderState } from '../../../src/service/catalog/folderState.ts';
import type { SqliteFile } from '../../../src/service/sqlite.ts';
import { CatalogRig } from './catalogRig.ts';

const files = { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c' };
const paths = Object.keys(files);

describe('A catalogue that is not told of changes (D20)', () => {
  let rig: CatalogRig;
  afterEach(async () => await rig.stop());

  /** That a change is found after the time between two walks, and not by being told. */
  async function assertLooksAgain(change: () => void, then: readonly string[]): Promise<void> {
    change();
    await rig.clock.pass(4_000);
    assert.deepEqual([await rig.find(), rig.walks], [paths, []]);
    await rig.clock.pass(2_000);
    await rig.follows(...then);
    assert.ok(rig.walks.length > 0 && rig.walks.every((under) => under === ''), rig.walks.join('|'));
  }

  it('looks again now and then where more folders are there than may be watched', async () => {
    rig = await CatalogRig.start(files, { mostFolders: 1 });
    await assertLooksAgain(() => rig.write({ 'sub/deep/d.txt': '' }), [...paths, 'sub/deep/d.txt']);
  });

  it('looks again now and then on a file system of the network (D30)', async () => {
    rig = await CatalogRig.start(files, {
      stateOf: async (folder) => {
        const state = await folderState(folder);
        return state && { ...state, isRemote: true };
      },
    });
    await assertLooksAgain(() => rig.write({ 'z.txt': '' }), [...paths, 'z.txt']);
  });

  it('looks again after ten minutes, whatever it was told', async () => {
    rig = await CatalogRig.start(files);
    await rig.clock.pass(599_000);
    assert.deepEqual([await rig.find(), rig.walks], [paths, []]);
    await rig.clock.pass(1_000);
    await rig.find();
    await rig.catalog.rescan('sub');
    assert.deepEqual(rig.walks, ['', 'sub']);
  });
});

describe('A catalogue whose file breaks while it is used (D20)', () => {
  let rig: CatalogRig;
  beforeEach(async () => (rig = await CatalogRig.start(files)));
  afterEach(async () => await rig.stop());

  function overwrite(from: number, to: number): void {
    const file = openSync(rig.file, 'r+');
    writeSync(file, Buffer.alloc(to - from, 0xa5), 0, to - from, from);
    closeSync(file);
  }

  /** What another program writes is seen only when SQLite is told that somebody wrote. */
  function countChange(): void {
    const file = openSync(rig.file, 'r+');
    writeSync(file, Buffer.from('7fffffff', 'hex'), 0, 4, 24);
    closeSync(file);
  }

  const breaks: [what: string, act: () => void][] = [
    ['is overwritten whole', () => overwrite(0, statSync(rig.file).size)],
    [
      'is overwritten after its first page',
      () => {
        overwrite(8_192, statSync(rig.file).size);
        countChange();
      },
    ],
    ['is made empty', () => writeFileSync(rig.file, '')],
    ['is cut in the middle', () => writeFileSync(rig.file, readFileSync(rig.file).subarray(0, 20_000))],
  ];
  for (const [what, act] of breaks) {
    it(`is made anew for a search when it ${what}`, async () => {
      act();
      assert.deepEqual(await rig.find(), paths);
      assert.deepEqual(await rig.find('deep'), ['sub/deep/c.txt']);
      rig.write({ 'sub/d.txt': '' });
      await rig.follows('a.txt', 'sub/b.txt', 'sub/d.txt', 'sub/deep/c.txt');
    });

    it(`is made anew for metadata when it ${what}, and for many who ask at once`, async () => {
      act();
      const asked = Array.from({ length: 5 }, async () => await rig.catalog.filesByIds(['sub/b.txt']));
      for (const [file] of await Promise.all(asked)) assert.equal(file?.path, 'sub/b.txt');
      assert.ok(rig.walks.length <= 3, rig.walks.join('|'));
    });

    it(`is made anew for a change when it ${what}`, async () => {
      act();
      rig.write({ 'sub/d.txt': '' });
      await rig.follows('a.txt', 'sub/b.txt', 'sub/d.txt', 'sub/deep/c.txt');
    });
  }

  it('is made anew when it is removed', async () => {
    rmSync(rig.file);
    rig.write({ 'sub/d.txt': '' });
    await rig.comesTrue(async () => (await rig.find().catch((): string[] => [])).includes('sub/d.txt'));
    assert.equal(statSync(rig.file).isFile(), true);
  });

  it('is made anew once that is possible', async () => {
    overwrite(0, statSync(rig.file).size);
    renameSync(`${rig.root}/data`, `${rig.root}/other`);
    writeFileSync(`${rig.root}/data`, 'a file in the place of the folder');
    await assert.rejects(rig.find(), {
      code: 'FOLDER_TROUBLE',
      message: 'The folder of the database Soil cannot be searched: its catalogue cannot be written.',
    });
    assert.deepEqual(rig.catalog.heldHashes(['a.txt']), []);
    rmSync(`${rig.root}/data`);
    assert.deepEqual(await rig.find(), paths);
  });
});

describe('A catalogue for which the disk has no room (D20)', () => {
  it('says so, keeps what it had, and goes on when there is room', async () => {
    const opened: SqliteFile[] = [];
    const rig = await CatalogRig.start(files, {
      openFile: (file, mode) => {
        const database = openCatalogFile(file, mode);
        opened.push(database);
        return database;
      },
    });
    const [file] = await rig.catalog.filesByIds(['a.txt']);
    assert.ok(file);
    rig.catalog.holdHashes([{ ...file, sha256: 'abc' }]);
    const limit = (pages: number): void => opened[0]?.exec(`PRAGMA max_page_count = ${pages}`);
    limit(1);
    const more = Array.from({ length: 300 }, (_, number) => `more/${'x'.repeat(200)}${number}`);
    rig.write(Object.fromEntries(more.map((path) => [path, ''])));
    await rig.comesTrue(
      async () =>
        await rig.find().then(
          () => false,
          (error: unknown) => String(error).includes('cannot be searched: its catalogue cannot be written'),
        ),
    );
    await assert.rejects(rig.find(), { code: 'FOLDER_TROUBLE' });
    assert.ok(rig.log.lines.some((line) => line.includes('full')));
    limit(100_000);
    assert.equal((await rig.find()).length, 100);
    assert.deepEqual(await rig.find('deep'), ['sub/deep/c.txt']);
    assert.equal(rig.catalog.heldHashes(['a.txt'])[0]?.sha256, 'abc');
    assert.equal(opened.length, 1);
    await rig.stop();
  });
});

describe('What a folder is now (D20)', () => {
  it('is another one when another folder stands in its place, and nothing when none does', async () => {
    const rig = await CatalogRig.start(files);
    const first = await folderState(rig.folder);
    renameSync(rig.folder, `${rig.root}/away`);
    assert.equal(await folderState(rig.folder), undefined);
    mkdirSync(rig.folder);
    const second = await folderState(rig.folder);
    assert.ok(first && second && first.identity !== second.identity);
    assert.equal(await folderState(rig.file), undefined);
    symlinkSync('ring', `${rig.root}/ring`);
    assert.equal(await folderState(`${rig.root}/ring`), undefined);
    await rig.stop();
  });
});
