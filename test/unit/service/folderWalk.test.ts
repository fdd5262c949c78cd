import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { LeftOutKind } from '../../../src/core/util/leftOut.ts';
import { FolderReader } from '../../../src/service/catalog/folderReader.ts';
import { property } from '../../support/property.ts';
import { trees, type Tree } from './catalogArbitraries.ts';
import { freshFolder, makePipe, onCall, listPaths, readRemaining, walkAll, writeFiles } from './folderRig.ts';

describe('A walk through a folder (D20)', () => {
  let root: string;
  let folder: string;
  let outside: string;

  beforeEach(() => {
    root = freshFolder();
    folder = `${root}/served`;
    outside = `${root}/outside`;
    writeFiles(folder, { 'a.txt': 'a', 'sub/b.txt': 'bb' });
    writeFiles(outside, { 'secret.txt': 'secret', 'b.txt': 'not to be expected' });
  });

  afterEach(() => rmSync(root, { recursive: true }));

  /** Asserts that a walk and an inspection find only the initial files and the given ones. */
  function assertFound(...more: [path: string, bytes: number][]): void {
    const { files } = walkAll(folder);
    const expected = [['a.txt', 1], ['sub/b.txt', 2], ...more].sort();
    assert.deepEqual(files.map(({ path, bytes }) => [path, bytes]).sort(), expected);
    for (const entry of new FolderReader().inspectPaths(folder, listPaths(walkAll(folder))))
      assert.equal(entry.kind, 'file');
  }

  const innerTargets: [what: string, target: () => string][] = [
    ['a file beside it', () => 'a.txt'],
    ['a file in another folder', () => 'sub/b.txt'],
    ['a file by its absolute path', () => `${folder}/sub/b.txt`],
    ['a file by a path that leaves the folder and reenters it', () => '../served/a.txt'],
  ];
  for (const [what, target] of innerTargets) {
    it(`includes a link to ${what} as that file`, () => {
      symlinkSync(target(), `${folder}/link`);
      assertFound(['link', target().endsWith('b.txt') ? 2 : 1]);
    });
  }

  it('includes a chain of links that ends at a file within the folder', () => {
    symlinkSync('a.txt', `${folder}/one`);
    symlinkSync('../one', `${folder}/sub/two`);
    symlinkSync('../served/sub/two', `${outside}/three`);
    symlinkSync('../outside/three', `${folder}/four`);
    assertFound(['one', 1], ['sub/two', 1], ['four', 1]);
  });

  const invalidTargets: [what: string, target: () => string, kind: LeftOutKind][] = [
    ['a file outside, relative', () => '../outside/secret.txt', 'outsideLinks'],
    ['a file outside, absolute', () => `${outside}/secret.txt`, 'outsideLinks'],
    ['a file outside through a folder within', () => `${folder}/sub/../../outside/secret.txt`, 'outsideLinks'],
    ['a folder outside', () => `${folder}/../outside`, 'outsideLinks'],
    ['a folder within', () => `${folder}/sub`, 'folderLinks'],
    ['the folder that it is in', () => '.', 'folderLinks'],
    ['the served folder, absolute', () => folder, 'folderLinks'],
    ['the parent folder', () => `${folder}/..`, 'outsideLinks'],
    ['itself', () => 'link', 'missingContent'],
    ['nothing', () => 'not there', 'missingContent'],
    ['a path through a file', () => 'a.txt/b', 'missingContent'],
    ['a device', () => '/dev/zero', 'outsideLinks'],
    ['a system file about this process', () => '/proc/self/environ', 'outsideLinks'],
    ['a folder whose name starts with that of the served one', () => `${folder}/../served-too/x`, 'outsideLinks'],
  ];
  for (const [what, target, kind] of invalidTargets) {
    it(`leaves out a link to ${what}, and counts it`, () => {
      writeFiles(root, { 'served-too/x': 'x' });
      symlinkSync(target(), `${folder}/link`);
      symlinkSync(target(), `${folder}/sub/link`);
      assertFound();
      const [entry, below] = new FolderReader().inspectPaths(folder, ['link', 'link/secret.txt']);
      assert.deepEqual([entry, below?.kind], [{ kind: 'gone', path: 'link', leftOut: kind }, 'gone']);
      const [first, ...others] = walkAll(folder).leftOut;
      assert.deepEqual([first, others.length], [{ path: 'link', kind }, 1]);
    });
  }

  it('skips circular links and a chain that leads out of the folder', () => {
    symlinkSync('two', `${folder}/one`);
    symlinkSync('one', `${folder}/two`);
    symlinkSync('four', `${folder}/three`);
    symlinkSync(`${outside}/secret.txt`, `${folder}/four`);
    assertFound();
  });

  it('skips pipes and sockets without blocking', async () => {
    makePipe(`${folder}/pipe`);
    makePipe(`${folder}/datapackage.json`);
    symlinkSync('pipe', `${folder}/link`);
    const server = createServer().listen(`${folder}/socket`);
    await once(server, 'listening');
    assertFound();
    const special = walkAll(folder).leftOut.filter(({ kind }) => kind === 'specialFiles');
    assert.deepEqual(special.map(({ path }) => path).sort(), ['datapackage.json', 'link', 'pipe', 'socket']);
    server.close();
  });

  it('does not enter a folder that a link has replaced since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/sub`, { recursive: true });
    symlinkSync('../outside', `${folder}/sub`);
    const { files, folders, unreadable } = readRemaining(reader, walk);
    assert.deepEqual([files.map(({ path }) => path), folders, unreadable], [['a.txt'], [''], ['sub']]);
  });

  it('does not continue in a folder that a link replaced during the walk', () => {
    const names = Array.from({ length: 1_010 }, (_, number) => `sub/n${String(number).padStart(4, '0')}`);
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
    writeFiles(root, Object.fromEntries(names.slice(-12).map((name) => [name, 'secret'])));
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    const first = reader.next(walk);
    renameSync(`${folder}/sub`, `${folder}/.away`);
    symlinkSync('../sub', `${folder}/sub`);
    const rest = readRemaining(reader, walk);
    assert.equal(first?.files.length, 1_000);
    assert.deepEqual([rest.files, rest.unreadable], [[], ['sub']]);
  });

  it('ignores a folder that was removed since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/sub`, { recursive: true });
    const { folders, unreadable } = readRemaining(reader, walk);
    assert.deepEqual([folders, unreadable], [[''], []]);
  });

  it('reports an unreadable folder, and continues after it', () => {
    writeFiles(folder, { 'zoo/c.txt': 'c' });
    const denied = onCall('opendirSync', `${folder}/sub`, () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    });
    const whole = walkAll(folder);
    denied.dispose();
    assert.deepEqual([listPaths(whole), whole.unreadable], [['a.txt', 'zoo/c.txt'], ['sub']]);
  });

  it('skips a file that was removed since it was listed', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    rmSync(`${folder}/a.txt`);
    assert.deepEqual(listPaths(readRemaining(reader, walk)), ['sub/b.txt']);
  });

  it('throws when the folder is missing, a file, or a circular link', () => {
    writeFileSync(`${root}/file`, '');
    symlinkSync('ring', `${root}/ring`);
    for (const [name, code] of [
      ['nothing', 'ENOENT'],
      ['file', 'ENOTDIR'],
      ['ring', 'ELOOP'],
    ] as const) {
      assert.throws(() => walkAll(`${root}/${name}`), { code });
    }
  });

  it('follows a link that is the served folder itself', () => {
    symlinkSync('served', `${root}/link`);
    assert.deepEqual(listPaths(walkAll(`${root}/link`)), ['a.txt', 'sub/b.txt']);
  });

  it('leaves out hidden names and unfinished copies of files and folders, and counts the former', () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const hidden = { '.hidden': '', '.git/x': '', 'sub/.x': '', '.zgroup.bak': '', '.DS_Store': '' };
    writeFiles(folder, { ...hidden, [`a.part-${id}`]: '', [`b.part-${id}/x`]: '' });
    assertFound();
    const expected = ['.git', '.hidden', '.zgroup.bak', 'sub/.x'].map((path) => ({ path, kind: 'hidden' }));
    assert.deepEqual(
      walkAll(folder).leftOut.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      expected,
    );
    const [entry] = new FolderReader().inspectPaths(folder, ['.hidden']);
    assert.deepEqual(entry, { kind: 'gone', path: '.hidden', leftOut: 'hidden' });
  });

  it('includes names with a leading dot that data formats prescribe, but only of files', () => {
    writeFiles(folder, {
      '.bidsignore': 'x',
      'a.zarr/.zgroup': '{}',
      'a.zarr/b/.zarray': '{}',
      'a.zarr/.zattrs/x': '',
    });
    writeFiles(folder, { '.git/.zmetadata': '{}' });
    assertFound(['.bidsignore', 1], ['a.zarr/.zgroup', 2], ['a.zarr/b/.zarray', 2]);
    assert.deepEqual(walkAll(folder).leftOut, [
      { path: '.git', kind: 'hidden' },
      { path: 'a.zarr/.zattrs', kind: 'hidden' },
    ]);
    const [entry] = new FolderReader().inspectPaths(folder, ['a.zarr/.zattrs']);
    assert.deepEqual(entry, { kind: 'gone', path: 'a.zarr/.zattrs', leftOut: 'hidden' });
  });

  it('skips folders deeper than the system can address, and terminates', () => {
    const originalFolder = process.cwd();
    const name = 'd'.repeat(200);
    process.chdir(folder);
    for (let depth = 0; depth < 30; depth += 1) {
      mkdirSync(name);
      process.chdir(name);
      writeFileSync('file', '');
    }
    process.chdir(originalFolder);
    const { files, unreadable } = walkAll(folder);
    execFileSync('rm', ['-rf', `${folder}/${name}`]);
    assert.ok(files.length > 15 && files.length < 25, String(files.length));
    assert.equal(unreadable.length, 1);
  });

  it('includes names with control characters, with 255 bytes, and names that differ only in case or composition', () => {
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
    assertFound(...names.map((name): [string, number] => [name, 0]));
  });

  it('counts files with invalid Unicode names, without duplicates', () => {
    const bad = (name: string): Buffer => Buffer.from(`${folder}/${name}`, 'latin1');
    for (const name of ['\xff', '\xfe', 'x\xff', 'x\xfe']) writeFileSync(bad(name), '');
    for (const name of ['d\xff', 'd\xfe', 'e\xff']) mkdirSync(bad(name));
    writeFiles(folder, { 'x\uFFFD': 'x', 'd\uFFFD/y': 'y' });
    const { files, unnamable, unreadable } = walkAll(folder);
    const expected = ['a.txt', 'd\uFFFD/y', 'sub/b.txt', 'x\uFFFD'];
    assert.deepEqual([files.map(({ path }) => path), unnamable, unreadable], [expected, 7, []]);
  });

  it('yields thousands of files in batches, in path order', () => {
    const names = Array.from({ length: 1_010 }, (_, number) => `n${String(number).padStart(4, '0')}`);
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
    assert.deepEqual(listPaths(walkAll(folder)), ['a.txt', ...names, 'sub/b.txt']);
  });

  it('yields thousands of names that it leaves out in batches as well', () => {
    const names = Array.from({ length: 1_010 }, (_, number) => `.n${number}`);
    writeFiles(folder, Object.fromEntries(names.map((name) => [`sub/${name}`, ''])));
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    assert.ok((reader.next(walk)?.leftOut.length ?? 0) <= 1_000);
    assert.equal(walkAll(folder).leftOut.length, 1_010);
  });

  it('ends when it is stopped', () => {
    const reader = new FolderReader();
    const walk = reader.walk(folder, '');
    reader.stop(walk);
    assert.equal(reader.next(walk), undefined);
  });

  it('reports sizes beyond four gigabytes', () => {
    truncateSync(`${folder}/a.txt`, 5_000_000_000);
    assert.equal(walkAll(folder).files[0]?.bytes, 5_000_000_000);
  });
});

describe('A walk and a path inspection (D20)', () => {
  let folder: string;
  before(() => (folder = freshFolder()));
  after(() => rmSync(folder, { recursive: true }));

  const files = trees({ minLength: 1, maxLength: 1 }).map(([tree = []]) =>
    tree.filter(({ path }) => !/(^|\/)\./.test(path)),
  );

  let run = 0;

  property('find the same files in path order', files, (tree: Tree) => {
    run += 1;
    const files = tree.map((file) => ({ ...file, path: `${run}/${file.path}` }));
    writeFiles(folder, Object.fromEntries(files.map(({ path, bytes }) => [path, 'x'.repeat(bytes)])));
    const walked = tree.length === 0 ? [] : walkAll(folder, String(run)).files;
    assert.deepEqual(
      walked.map(({ path, bytes }) => [path, bytes]),
      files.map(({ path, bytes }) => [path, bytes]),
    );
    const paths = walked.map(({ path }) => path);
    assert.deepEqual(
      new FolderReader().inspectPaths(folder, paths).map((entry) => (entry.kind === 'file' ? entry.file : entry.kind)),
      walked,
    );
  });
});
