import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { FolderReader } from '../../../src/service/catalog/folderReader.ts';
import { property } from '../../support/property.ts';
import { trees, type Tree } from './catalogArbitraries.ts';
import { freshFolder, makePipe, onCall, pathsIn, restOf, walkWhole, writeFiles } from './folderRig.ts';

describe('A walk through a folder (D20)', () => {
  let root: string;
  let folder: string;
  let outside: string;

  beforeEach(() => {
    root = freshFolder();
    folder = `${root}/served`;
    outside = `${root}/outside`;
    writeFiles(folder, { 'a.txt': 'a', 'sub/b.txt': 'bb' });
    writeFiles(outside, { 'secret.txt': 'secret', 'b.txt': 'not to be seen' });
  });

  afterEach(() => rmSync(root, { recursive: true }));

  /** That a walk and a look see nothing but what was there from the beginning, and these. */
  function assertSeen(...more: [path: string, bytes: number][]): void {
    const { files } = walkWhole(folder);
    const seen = [['a.txt', 1], ['sub/b.txt', 2], ...more].sort();
    assert.deepEqual(files.map(({ path, bytes }) => [path, bytes]).sort(), seen);
    for (const sight of new FolderReader().look(folder, pathsIn(walkWhole(folder)))) assert.equal(sight.kind, 'file');
  }

  const leadsIn: [what: string, target: () => string][] = [
    ['a file beside it', () => 'a.txt'],
    ['a file in another folder', () => 'sub/b.txt'],
    ['a file by its absolute path', () => `${folder}/sub/b.txt`],
    ['a file by a way that leaves the folder and comes back', () => '../served/a.txt'],
  ];
  for (const [what, target] of leadsIn) {
    it(`counts a link to ${what} as that file`, () => {
      symlinkSync(target(), `${folder}/link`);
      assertSeen(['link', target().endsWith('b.txt') ? 2 : 1]);
    });
  }

  it('counts a chain of links that ends at a file within', () => {
    symlinkSync('a.txt', `${folder}/one`);
    symlinkSync('../one', `${folder}/sub/two`);
    symlinkSync('../served/sub/two', `${outside}/three`);
    symlinkSync('../outside/three', `${folder}/four`);
    assertSeen(['one', 1], ['sub/two', 1], ['four', 1]);
  });

  const leadsNowhere: [what: string, target: () => string][] = [
    ['a file outside, relative', () => '../outside/secret.txt'],
    ['a file outside, absolute', () => `${outside}/secret.txt`],
    ['a file outside through a folder within', () => 'sub/../../outside/secret.txt'],
    ['a folder outside', () => '../outside'],
    ['a folder within', () => 'sub'],
    ['the folder that it is in', () => '.'],
    ['the served folder, absolute', () => folder],
    ['the folder around it', () => '..'],
    ['itself', () => 'link'],
    ['nothing', () => 'not there'],
    ['a path through a file', () => 'a.txt/b'],
    ['a device', () => '/dev/zero'],
    ['what the system tells of this process', () => '/proc/self/environ'],
    ['a folder whose name begins as that of the served one', () => '../served-too/secret.txt'],
  ];
  for (const [what, target] of leadsNowhere) {
    it(`passes over a link to ${what}`, () => {
      writeFiles(root, { 'served-too/secret.txt': 'x' });
      symlinkSync(target(), `${folder}/link`);
      symlinkSync(target(), `${folder}/sub/link`);
      assertSeen();
      const [sight, below] = new FolderReader().look(folder, ['link', 'link/secret.txt']);
      assert.deepEqual([sight?.kind, below?.kind], ['gone', 'gone']);
    });
  }

  it('passes over a ring of links and a chain that leads out', () => {
    symlinkSync('two', `${folder}/one`);
    symlinkSync('one', `${folder}/two`);
    symlinkSync('four', `${folder}/three`);
    symlinkSync(`${outside}/secret.txt`, `${folder}/four`);
    assertSeen();
  });

  it('passes over pipes and sockets without waiting for anybody to write', async () => {
    makePipe(`${folder}/pipe`);
    makePipe(`${folder}/datapackage.json`);
    symlinkSync('pipe', `${folder}/link`);
    const server = createServer().listen(`${folder}/socket`);
    await once(server, 'listening');
    assertSeen();
    server.close();
  });

  it('does not enter a folder that was replaced by a link since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/sub`, { recursive: true });
    symlinkSync('../outside', `${folder}/sub`);
    const { files, folders, unreadable } = restOf(reader, walk);
    assert.deepEqual([files.map(({ path }) => path), folders, unreadable], [['a.txt'], [''], ['sub']]);
  });

  it('does not go on in a folder that was replaced by a link while it was walked', () => {
    const names = Array.from({ length: 1_010 }, (_, number) => `sub/n${String(number).padStart(4, '0')}`);
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
    writeFiles(root, Object.fromEntries(names.slice(-12).map((name) => [name, 'secret'])));
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    const first = reader.next(walk);
    renameSync(`${folder}/sub`, `${folder}/.away`);
    symlinkSync('../sub', `${folder}/sub`);
    const rest = restOf(reader, walk);
    assert.equal(first?.files.length, 1_000);
    assert.deepEqual([rest.files, rest.unreadable], [[], ['sub']]);
  });

  it('says nothing of a folder that is gone since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/sub`, { recursive: true });
    const { folders, unreadable } = restOf(reader, walk);
    assert.deepEqual([folders, unreadable], [[''], []]);
  });

  it('names a folder that cannot be read, and goes on behind it', () => {
    writeFiles(folder, { 'zoo/c.txt': 'c' });
    const denied = onCall('opendirSync', `${folder}/sub`, () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    });
    const whole = walkWhole(folder);
    denied.dispose();
    assert.deepEqual([pathsIn(whole), whole.unreadable], [['a.txt', 'zoo/c.txt'], ['sub']]);
  });

  it('passes over a file that is gone since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/a.txt`);
    assert.deepEqual(pathsIn(restOf(reader, walk)), ['sub/b.txt']);
  });

  it('throws when the folder is not there, is a file, or is a ring of links', () => {
    writeFileSync(`${root}/file`, '');
    symlinkSync('ring', `${root}/ring`);
    for (const [name, code] of [
      ['nothing', 'ENOENT'],
      ['file', 'ENOTDIR'],
      ['ring', 'ELOOP'],
    ] as const) {
      assert.throws(() => walkWhole(`${root}/${name}`), { code });
    }
  });

  it('goes through a link that is the served folder itself', () => {
    symlinkSync('served', `${root}/link`);
    assert.deepEqual(pathsIn(walkWhole(`${root}/link`)), ['a.txt', 'sub/b.txt']);
  });

  it('passes over hidden names and unfinished copies, and over folders of such names', () => {
    const id = '11111111-1111-4111-8111-111111111111';
    writeFiles(folder, { '.hidden': '', '.git/x': '', [`a.part-${id}`]: '', [`b.part-${id}/x`]: '', 'sub/.x': '' });
    assertSeen();
  });

  it('passes over a folder that is deeper than the system lets anyone name, and comes to an end', () => {
    const here = process.cwd();
    const name = 'd'.repeat(200);
    process.chdir(folder);
    for (let depth = 0; depth < 30; depth += 1) {
      mkdirSync(name);
      process.chdir(name);
      writeFileSync('file', '');
    }
    process.chdir(here);
    const { files, unreadable } = walkWhole(folder);
    execFileSync('rm', ['-rf', `${folder}/${name}`]);
    assert.ok(files.length > 15 && files.length < 25, String(files.length));
    assert.equal(unreadable.length, 1);
  });

  it('takes names with control characters, of 255 bytes, and such as differ only in case or in how accents are written', () => {
    const names = [
      '\u0001',
      'a\nb',
      '\u007F',
      ' ',
      '\\',
      'x'.repeat(255),
      'é'.repeat(127),
      'A.txt',
      '\u00E9',
      'e\u0301',
    ];
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
    assertSeen(...names.map((name): [string, number] => [name, 0]));
  });

  it('counts files whose names are no Unicode text, and takes none twice for them', () => {
    const bad = (name: string): Buffer => Buffer.from(`${folder}/${name}`, 'latin1');
    for (const name of ['\xff', '\xfe', 'x\xff', 'x\xfe']) writeFileSync(bad(name), '');
    for (const name of ['d\xff', 'd\xfe', 'e\xff']) mkdirSync(bad(name));
    writeFiles(folder, { 'x\uFFFD': 'x', 'd\uFFFD/y': 'y' });
    const { files, unnamable, unreadable } = walkWhole(folder);
    const seen = ['a.txt', 'd\uFFFD/y', 'sub/b.txt', 'x\uFFFD'];
    assert.deepEqual([files.map(({ path }) => path), unnamable, unreadable], [seen, 7, []]);
  });

  it('yields thousands of files in batches, in the order of their paths', () => {
    const names = Array.from({ length: 1_010 }, (_, number) => `n${String(number).padStart(4, '0')}`);
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
    assert.deepEqual(pathsIn(walkWhole(folder)), ['a.txt', ...names, 'sub/b.txt']);
  });

  it('ends when it is stopped', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    reader.stop(walk);
    assert.equal(reader.next(walk), undefined);
  });

  it('tells sizes beyond four gigabytes', () => {
    truncateSync(`${folder}/a.txt`, 5_000_000_000);
    assert.equal(walkWhole(folder).files[0]?.bytes, 5_000_000_000);
  });
});

describe('A walk and a look (D20)', () => {
  let folder: string;
  before(() => (folder = freshFolder()));
  after(() => rmSync(folder, { recursive: true }));

  const files = trees({ minLength: 1, maxLength: 1 }).map(([tree = []]) =>
    tree.filter(({ path }) => !/(^|\/)\./.test(path)),
  );

  let run = 0;

  property('see the same files, each where it is, in the order of the paths', files, (tree: Tree) => {
    run += 1;
    const here = tree.map((file) => ({ ...file, path: `${run}/${file.path}` }));
    writeFiles(folder, Object.fromEntries(here.map(({ path, bytes }) => [path, 'x'.repeat(bytes)])));
    const walked = tree.length === 0 ? [] : walkWhole(folder, String(run)).files;
    assert.deepEqual(
      walked.map(({ path, bytes }) => [path, bytes]),
      here.map(({ path, bytes }) => [path, bytes]),
    );
    const paths = walked.map(({ path }) => path);
    assert.deepEqual(
      new FolderReader().look(folder, paths).map((sight) => (sight.kind === 'file' ? sight.file : sight.kind)),
      walked,
    );
  });
});
