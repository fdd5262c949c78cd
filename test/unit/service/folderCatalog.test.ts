import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';
import { readCitedWork } from '../../../src/core/citations/creditReader.ts';
import { toFileResource } from '../../../src/service/catalog/catalogFile.ts';
import { CatalogRig } from './catalogRig.ts';
import { writeFiles } from './folderRig.ts';

describe('The catalog of a changing folder (D20)', () => {
  let rig: CatalogRig;

  beforeEach(async () => {
    rig = await CatalogRig.start({ 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c' });
  });

  afterEach(async () => await rig.stop());

  const changes: [what: string, change: () => void, then: string[]][] = [
    [
      'a file that is created',
      () => rig.write({ 'sub/new.txt': '' }),
      ['a.txt', 'sub/b.txt', 'sub/deep/c.txt', 'sub/new.txt'],
    ],
    ['a file that is removed', () => rmSync(`${rig.folder}/sub/b.txt`), ['a.txt', 'sub/deep/c.txt']],
    [
      'a file that is renamed',
      () => renameSync(`${rig.folder}/a.txt`, `${rig.folder}/sub/z.txt`),
      ['sub/b.txt', 'sub/deep/c.txt', 'sub/z.txt'],
    ],
    [
      'folders that are created together with their content',
      () => rig.write({ 'x/y/z/one': '', 'x/y/two': '' }),
      ['a.txt', 'sub/b.txt', 'sub/deep/c.txt', 'x/y/two', 'x/y/z/one'],
    ],
    [
      'a folder that is moved in',
      () => {
        writeFiles(rig.root, { 'other/in.txt': '', 'other/deep/er.txt': '' });
        renameSync(`${rig.root}/other`, `${rig.folder}/moved`);
      },
      ['a.txt', 'moved/deep/er.txt', 'moved/in.txt', 'sub/b.txt', 'sub/deep/c.txt'],
    ],
    ['a folder that is moved out', () => renameSync(`${rig.folder}/sub`, `${rig.root}/out`), ['a.txt']],
    ['a folder that is removed', () => rmSync(`${rig.folder}/sub`, { recursive: true }), ['a.txt']],
    [
      'a folder that is renamed',
      () => renameSync(`${rig.folder}/sub`, `${rig.folder}/bus`),
      ['a.txt', 'bus/b.txt', 'bus/deep/c.txt'],
    ],
    [
      'a folder that is replaced by another of its name',
      () => {
        writeFiles(rig.root, { 'other/in.txt': '', 'other/deep/er.txt': '' });
        renameSync(`${rig.folder}/sub`, `${rig.root}/out`);
        renameSync(`${rig.root}/other`, `${rig.folder}/sub`);
      },
      ['a.txt', 'sub/deep/er.txt', 'sub/in.txt'],
    ],
    [
      'a folder that is removed and created again',
      () => {
        rmSync(`${rig.folder}/sub`, { recursive: true });
        rig.write({ 'sub/deep/n.txt': '' });
      },
      ['a.txt', 'sub/deep/n.txt'],
    ],
    [
      'a folder in place of a file',
      () => {
        rmSync(`${rig.folder}/a.txt`);
        rig.write({ 'a.txt/x': '' });
      },
      ['a.txt/x', 'sub/b.txt', 'sub/deep/c.txt'],
    ],
    [
      'a file in place of a folder',
      () => {
        renameSync(`${rig.folder}/sub`, `${rig.root}/out`);
        rig.write({ sub: '' });
      },
      ['a.txt', 'sub'],
    ],
    [
      'a link in place of a folder',
      () => {
        renameSync(`${rig.folder}/sub`, `${rig.root}/out`);
        symlinkSync('../out', `${rig.folder}/sub`);
      },
      ['a.txt'],
    ],
    [
      'hidden files, which are not reported',
      () => rig.write({ '.x': '', 'sub/.git/y': '' }),
      ['a.txt', 'sub/b.txt', 'sub/deep/c.txt'],
    ],
  ];
  for (const [what, change, then] of changes) {
    it(`follows ${what}, and later changes in it, without a full scan`, async () => {
      change();
      await rig.assertPaths(...then);
      const folders = new Set(then.map((path) => path.replace(/[^/]*$/, '')));
      const later = [...folders].map((folder) => `${folder}zzz`);
      for (const path of later) rig.write({ [path]: '' });
      const all = [...then, ...later].sort();
      await rig.assertPaths(...all);
      for (const path of later) rmSync(`${rig.folder}/${path}`);
      await rig.assertPaths(...then);
      assert.ok(!rig.walks.includes(''), rig.walks.join());
    });
  }

  it('stays open while idle if its scan is long, because it would miss changes', () => {
    assert.deepEqual([rig.catalog.isBusy, rig.catalog.canReopen], [false, false]);
  });

  it('can be reopened while idle if its scan is quick, unless a transfer fills a folder', async () => {
    const quick = await CatalogRig.start({ 'a.txt': 'a' }, { walkMs: 0 });
    const states = (): readonly boolean[] => [quick.catalog.isBusy, quick.catalog.canReopen];
    assert.deepEqual(states(), [false, true]);
    quick.catalog.pauseTracking('dts-1');
    assert.deepEqual(states(), [true, true]);
    await quick.stop();
  });

  it('follows changes of a file', async () => {
    rig.write({ 'a.txt': 'longer' });
    await rig.clock.pass(0);
    await rig.waitUntil(async () => (await rig.catalog.filesByIds(['a.txt']))[0]?.bytes === 6);
    utimesSync(`${rig.folder}/a.txt`, 1, 1);
    await rig.waitUntil(async () => (await rig.catalog.filesByIds(['a.txt']))[0]?.modifiedMs === 1_000);
    assert.deepEqual(rig.walks, []);
  });

  it('follows the creation, change and removal of a package for its folder and below', async () => {
    const describe = (title: string): string => JSON.stringify({ resources: [{ path: 'deep/c.txt', title }] });
    for (const title of ['humus', 'gravel']) {
      rig.write({ 'sub/datapackage.json': describe(title) });
      await rig.waitUntil(async () => (await rig.find(title)).join() === 'sub/deep/c.txt');
    }
    assert.deepEqual(await rig.find('humus'), []);
    rmSync(`${rig.folder}/sub/datapackage.json`);
    await rig.waitUntil(async () => (await rig.find('gravel')).length === 0);
    assert.deepEqual(new Set(rig.walks), new Set(['sub']));
  });

  it('credits all files of a folder as its CITATION.cff or RO-Crate says, and follows their changes', async () => {
    const cite = (title: string): string => `title: ${title}\nauthors:\n  - name: Sea Lab\n`;
    const listTitles = async (): Promise<object> => {
      const files = await rig.catalog.filesByIds(['a.txt', 'sub/b.txt', 'sub/deep/c.txt']);
      return files.map((file) => (file && readCitedWork(toFileResource(file)))?.title);
    };
    const expectTitles = async (...titles: readonly (string | undefined)[]): Promise<void> =>
      await rig.waitUntil(async () => JSON.stringify(await listTitles()) === JSON.stringify(titles));
    rig.write({ 'CITATION.cff': cite('Humus') });
    await expectTitles('Humus', 'Humus', 'Humus');
    rig.write({
      'sub/CITATION.cff': cite('Gravel'),
      'sub/datapackage.json': JSON.stringify({ title: 'Silt', resources: [{ path: 'deep/c.txt' }] }),
    });
    await expectTitles('Humus', 'Gravel', 'Silt');
    rmSync(`${rig.folder}/sub/datapackage.json`);
    rmSync(`${rig.folder}/CITATION.cff`);
    await expectTitles(undefined, 'Gravel', 'Gravel');
    rmSync(`${rig.folder}/sub/CITATION.cff`);
    await expectTitles(undefined, undefined, undefined);
  });

  it('keeps the credit of a folder apart from the metadata of its files, which takes precedence', async () => {
    rig.write({
      'CITATION.cff': 'title: Humus\nauthors:\n  - name: Sea Lab\nlicense: MIT\n',
      'datapackage.json': JSON.stringify({ title: 'Silt', resources: [{ path: 'a.txt' }] }),
      'sub/datapackage.json': JSON.stringify({ resources: [{ path: 'b.txt', license: 'CC0-1.0' }] }),
    });
    await rig.assertPaths(
      'CITATION.cff',
      'a.txt',
      'datapackage.json',
      ...['b.txt', 'datapackage.json', 'deep/c.txt'].map((path) => `sub/${path}`),
    );
    await rig.catalog.rescan();
    const files = await rig.catalog.filesByIds(['a.txt', 'sub/b.txt', 'sub/deep/c.txt']);
    assert.deepEqual(
      files.map((file) => file?.metadata?.includes('Sea Lab') ?? false),
      [false, false, false],
    );
    const resources = files.map((file): Record<string, unknown> => (file ? { ...toFileResource(file) } : {}));
    assert.deepEqual(
      resources.map(({ credit, licenses, license }) => [credit !== undefined, licenses, license]),
      [
        [false, [{ name: 'MIT' }], undefined],
        [true, undefined, 'CC0-1.0'],
        [true, [{ name: 'MIT' }], undefined],
      ],
    );
  });

  it('names a description that cannot be read, with its place and reason, and lists all files', async () => {
    rig.write({
      'sub/CITATION.cff': 'title: A\nauthors: [\n',
      'sub/deep/ro-crate-metadata.json': '{\n"@graph": [}',
      'ro-crate-metadata.json': '{"@graph": 5}',
    });
    await rig.assertPaths(
      ...['a.txt', 'ro-crate-metadata.json', 'sub/CITATION.cff', 'sub/b.txt', 'sub/deep/c.txt'],
      'sub/deep/ro-crate-metadata.json',
    );
    await rig.catalog.rescan();
    const messages = rig.log.lines.join('\n');
    assert.match(messages, /Soil: sub\/CITATION\.cff: it is not valid YAML \(line 3, column 1\): /);
    assert.match(messages, /Soil: sub\/deep\/ro-crate-metadata\.json: it is not a JSON object \(line 2, column 12\)/);
    assert.match(messages, /Soil: ro-crate-metadata\.json: it has no list @graph/);
  });

  it('follows a burst of changes, and later ones', async () => {
    let last = 'a.txt';
    for (let number = 0; number < 10_000; number += 1) {
      const next = `n${number}`;
      renameSync(`${rig.folder}/${last}`, `${rig.folder}/${next}`);
      last = next;
    }
    await rig.assertPaths('n9999', 'sub/b.txt', 'sub/deep/c.txt');
    rig.write({ 'sub/deep/d.txt': '' });
    await rig.assertPaths('n9999', 'sub/b.txt', 'sub/deep/c.txt', 'sub/deep/d.txt');
  });

  it('follows changes that the system dropped because of too many events', async () => {
    for (let number = 0; number < 10_000; number += 1) {
      utimesSync(`${rig.folder}/a.txt`, number, number);
      utimesSync(`${rig.folder}/sub/b.txt`, number, number);
    }
    rmSync(`${rig.folder}/sub/deep`, { recursive: true });
    rig.write({ 'sub/deep/d.txt': '' });
    await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/deep/d.txt');
    rig.write({ 'sub/deep/e.txt': '' });
    await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/deep/d.txt', 'sub/deep/e.txt');
  });

  it('runs one scan for many requests during another scan', async () => {
    const running = rig.catalog.rescan();
    await eventually(async () => (rig.walks.length === 1 ? true : undefined));
    await Promise.all([running, ...Array.from({ length: 20 }, async () => await rig.catalog.rescan())]);
    assert.deepEqual(rig.walks, ['', '']);
  });

  it('detects that another folder replaced the served one, and watches it', async () => {
    writeFiles(rig.root, { 'other/n.txt': '', 'other/sub/m.txt': '' });
    renameSync(rig.folder, `${rig.root}/old`);
    renameSync(`${rig.root}/other`, rig.folder);
    assert.deepEqual(await rig.find(), ['n.txt', 'sub/m.txt']);
    await rig.catalog.rescan();
    rig.write({ 'sub/later.txt': '', later: '' });
    await rig.assertPaths('later', 'n.txt', 'sub/later.txt', 'sub/m.txt');
  });

  it('reports an unavailable folder, and continues when it is back', async () => {
    const away = `${rig.root}/away`;
    rig.write({ 'just before': '' });
    renameSync(rig.folder, away);
    await assert.rejects(rig.find(), {
      code: 'DATABASE_UNAVAILABLE',
      message: "The folder of the database Soil doesn't exist.",
    });
    await assert.rejects(rig.find(), { code: 'DATABASE_UNAVAILABLE' });
    renameSync(away, rig.folder);
    assert.deepEqual(await rig.find(), ['a.txt', 'just before', 'sub/b.txt', 'sub/deep/c.txt']);
    await rig.catalog.rescan();
    rmSync(`${rig.folder}/just before`);
    rig.write({ 'sub/deep/later.txt': '' });
    await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/deep/c.txt', 'sub/deep/later.txt');
  });

  it('follows changes after the folder was unavailable with unreported changes', async () => {
    const away = `${rig.root}/away`;
    rig.write({ x: '' });
    await rig.waitForChange();
    renameSync(rig.folder, away);
    await assert.rejects(rig.find(), { code: 'DATABASE_UNAVAILABLE' });
    renameSync(away, rig.folder);
    await rig.find();
    await rig.catalog.rescan();
    rmSync(`${rig.folder}/x`);
    await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/deep/c.txt');
  });

  it('retains the hashes of unchanged files (D22)', async () => {
    const [file] = await rig.catalog.filesByIds(['a.txt']);
    assert.ok(file);
    rig.catalog.cacheHashes([{ ...file, sha256: 'abc' }]);
    rig.write({ 'sub/new.txt': '' });
    await rig.assertPaths('a.txt', 'sub/b.txt', 'sub/deep/c.txt', 'sub/new.txt');
    await rig.catalog.rescan();
    assert.equal(rig.catalog.getCachedHashes(['a.txt'])[0]?.sha256, 'abc');
    rig.write({ 'a.txt': 'other' });
    await rig.waitUntil(async () => (await rig.catalog.filesByIds(['a.txt']))[0]?.sha256 === undefined);
    assert.deepEqual(rig.catalog.getCachedHashes(['a.txt']), [undefined]);
  });

  it('finds no file by an invalid id', async () => {
    const found = await rig.catalog.filesByIds(['a.txt', 'a,txt', '%', '../a.txt', 'sub', '']);
    assert.deepEqual(
      found.map((file) => file?.path),
      ['a.txt', undefined, undefined, undefined, undefined, undefined],
    );
  });

  describe('that is scanned again soon, because it is small', () => {
    const repeatMs = 6_000;

    beforeEach(async () => {
      await rig.stop();
      rig = await CatalogRig.start({ 'a.txt': 'a' }, { walkMs: 1 });
      await rig.clock.pass(repeatMs);
    });

    it('returns known files of several lookups before the scan', async () => {
      rig.write({ 'a.txt': 'longer' });
      for (let count = 0; count < 2; count += 1) assert.equal((await rig.catalog.filesByIds(['a.txt']))[0]?.bytes, 1);
      assert.deepEqual(rig.walks, []);
      await rig.clock.pass(1_000);
      await eventually(async () => (rig.walks.length === 1 ? true : undefined));
      await rig.waitUntil(async () => (await rig.catalog.filesByIds(['a.txt']))[0]?.bytes === 6);
    });

    it('is scanned by the first search after the clock was set back (D51)', async () => {
      rig.clock.sleep(-300 * 86_400_000);
      for (let count = 0; count < 2; count += 1) await rig.find();
      assert.deepEqual(rig.walks, ['']);
    });

    it('waits for the scan to find unknown files', async () => {
      rig.write({ 'new.txt': 'new' });
      const found = await rig.catalog.filesByIds(['a.txt', 'new.txt']);
      assert.deepEqual(
        found.map((file) => file?.bytes),
        [1, 3],
      );
    });
  });

  it('closes during a scan', async () => {
    const walk = rig.catalog.rescan();
    await eventually(async () => (rig.walks.length === 1 ? true : undefined));
    await rig.catalog.close();
    await walk;
    mkdirSync(`${rig.folder}/later`);
    writeFileSync(`${rig.folder}/later/x`, '');
    await rig.clock.pass(10_000);
    assert.equal(rig.walks.length, 1);
  });
});
