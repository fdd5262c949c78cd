import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  getLockPath,
  readLock,
  writeLock,
  type LockReadResult,
  type RecipeLock,
} from '../../../src/core/recipes/recipeLock.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { emptyLock } from './specimens.ts';

const lock: RecipeLock = {
  ...emptyLock,
  files: [
    { id: 'b', path: 'reads/b.fq', bytes: 2 },
    { id: 'a', path: 'reads/a.fq', bytes: 1, hash: 'md5:0cc175b9c0f1b6a831c399e269772661' },
  ],
};

describe('The lock of a recipe (D61)', () => {
  let folder: string;
  let recipe: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'));
    recipe = join(folder, lock.recipe);
    await writeFile(recipe, '{}', { mode: 0o644 });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is broken if it has any number of invalid files', async () => {
    await writeFile(
      getLockPath(recipe),
      JSON.stringify({ ...lock, checksum: '', files: Array<number>(300_000).fill(0) }),
    );
    assert.deepEqual(await readLock(recipe), { kind: 'broken' });
  });

  it('is read only from a file of reasonable size, never from a device or a pipe that a workspace links to', async () => {
    const path = getLockPath(recipe);
    await symlink('/dev/zero', path);
    await assert.rejects(readLock(recipe), { code: 'EINVAL' });
    await rm(path);
    execFileSync('mkfifo', [path]);
    await assert.rejects(readLock(recipe), { code: 'EINVAL' });
    await rm(path);
    await writeFile(path, '{}');
    await truncate(path, 2 ** 40);
    await assert.rejects(readLock(recipe), { code: 'EFBIG' });
  });

  it('is not read from a link to a system file, which has content of any length although its size is 0', async () => {
    const link = process.platform === 'linux' ? '/proc/self/maps' : '/dev/zero';
    await symlink(link, getLockPath(recipe));
    await assert.rejects(readLock(recipe), { code: 'EINVAL' });
  });

  it('is broken if it has more files than a recipe can have', async () => {
    const files = Array.from({ length: 250_001 }, (_, index) => ({ id: String(index).padStart(6, '0'), path: 'a' }));
    await writeLock(recipe, { ...lock, files });
    assert.equal((await readLock(recipe)).kind, 'broken');
    await writeLock(recipe, { ...lock, files: files.slice(1) });
    assert.equal((await readLock(recipe)).kind, 'valid');
  });

  /** Writes a lock and returns its text. */
  const format = async (content: RecipeLock): Promise<string> => {
    await writeLock(recipe, content);
    return await readFile(getLockPath(recipe), 'utf8');
  };
  /** Reads text as the lock of a recipe. */
  const parse = async (text: string, name = lock.recipe): Promise<LockReadResult> => {
    await writeFile(getLockPath(join(folder, name)), text);
    return await readLock(join(folder, name));
  };

  it('is written even if its permissions cannot be set, for example because the recipe was moved', async () => {
    await rm(recipe);
    await writeLock(recipe, lock);
    assert.deepEqual(await readdir(folder), ['reads.transfer.lock.json']);
  });

  it('is beside its recipe, with one file per line in the order of the ids', async () => {
    await writeLock(recipe, lock);
    const text = await readFile(join(folder, 'reads.transfer.lock.json'), 'utf8');
    assert.deepEqual(
      text.split('\n').filter((line) => line.startsWith('    ')),
      [
        '    {"id":"a","path":"reads/a.fq","bytes":1,"hash":"md5:0cc175b9c0f1b6a831c399e269772661"},',
        '    {"id":"b","path":"reads/b.fq","bytes":2}',
      ],
    );
    assert.equal(text, await format({ ...lock, files: lock.files.toReversed() }));
    assert.equal((await stat(getLockPath(recipe))).mode & 0o777, 0o644);
  });

  it('is read back as it was written', async () => {
    assert.deepEqual(await readLock(recipe), { kind: 'none' });
    await writeLock(recipe, lock);
    const read = await readLock(recipe);
    assert.equal(read.kind, 'valid');
    assert.deepEqual('lock' in read && read.lock, { ...lock, files: lock.files.toReversed() });
  });

  it('counts as edited after a manual change, but not after reformatting', async () => {
    const text = await format(lock);
    assert.equal((await parse(text.replace('"bytes":2', '"bytes":3'))).kind, 'edited');
    assert.equal((await parse(JSON.stringify(JSON.parse(text), undefined, 4))).kind, 'valid');
    assert.equal((await parse(`\uFEFF${text}`)).kind, 'valid');
  });

  it('is parsed as one document if its lines differ from those that were written', async () => {
    const text = await format(lock);
    const [first = '', second = ''] = text.split('\n').filter((line) => line.startsWith('    '));
    assert.equal((await parse(text.replace(`${first}\n${second}`, `${second},\n${first.slice(0, -1)}`))).kind, 'valid');
    assert.equal((await parse(text.replace(first, `${first}\n${first}`))).kind, 'edited');
    assert.equal((await parse(text.replace(`${first}\n`, ''))).kind, 'edited');
    assert.equal((await parse(text.replace(/}\n$/, ''))).kind, 'broken');
    assert.equal((await parse(await format({ ...lock, files: [] }))).kind, 'valid');
  });

  it('is rejected if it belongs to another recipe or a later version, or is invalid', async () => {
    const text = await format(lock);
    assert.deepEqual(await parse(text, 'other.transfer.json'), { kind: 'foreign', recipe: lock.recipe });
    assert.equal((await parse(text.replace('"version": 1', '"version": 2'))).kind, 'newer');
    assert.equal((await parse('<<<<<<< HEAD')).kind, 'broken');
    assert.equal((await parse('{"version": 1, "files": 5}')).kind, 'broken');
  });

  it('is left unchanged if the disk is full', async () => {
    await writeLock(recipe, lock);
    const before = await readFile(getLockPath(recipe), 'utf8');
    const endFullDisk = fillDisk(folder);
    try {
      await assert.rejects(writeLock(recipe, { ...lock, files: [] }), { code: 'ENOSPC' });
    } finally {
      endFullDisk();
    }
    assert.equal(await readFile(getLockPath(recipe), 'utf8'), before);
    assert.equal((await readdir(folder)).length, 2);
  });
});
