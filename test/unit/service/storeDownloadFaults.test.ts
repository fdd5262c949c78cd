import assert from 'node:assert/strict';
import fileSystem from 'node:fs';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import timers from 'node:timers/promises';
import { createJobSignal, requestStop } from '../../../src/service/transfers/fileJobs.ts';
import {
  countOpenFiles,
  folderName,
  largeBytes,
  MovementRig,
  transferId,
  withHash,
  type Contents,
} from './movementRig.ts';

describe('Moving files from a store to a folder one by one (D62)', () => {
  let rig: MovementRig;
  let folder: string;
  beforeEach(async () => {
    rig = await MovementRig.start();
    folder = nodePath.join(rig.target, folderName);
  });
  afterEach(() => rig.stop());

  /** Runs `change` after the content of an object has been written to the folder and before the object is described. */
  function changeBeforeVerification(change: () => Promise<void> | void): void {
    rig.rclone.intervene = async ({ method }) => {
      if (method === 'operations/stat') await change();
      return undefined;
    };
  }

  async function writePart(name: string, content: string): Promise<void> {
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(nodePath.join(folder, `${name}.part-${transferId}`), content);
  }

  /** Returns the path of the only unfinished file. */
  async function findPart(): Promise<string> {
    const name = (await fs.readdir(folder)).find((one) => one.endsWith(`.part-${transferId}`));
    assert.ok(name);
    return nodePath.join(folder, name);
  }

  /** Returns files whose names a store might change, so that the files aren't fetched in a batch. */
  function createMany(count: number): Contents {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.`, 'x']));
  }

  /** Runs `work` with a replaced file system function. */
  async function replacing<T>(
    name: 'fsyncSync' | 'unlinkSync' | 'writeSync',
    replacement: (...args: never[]) => unknown,
    work: () => Promise<T>,
  ): Promise<T> {
    mock.method(fileSystem, name, replacement as never);
    syncBuiltinESMExports();
    return await work().finally(() => {
      mock.restoreAll();
      syncBuiltinESMExports();
    });
  }

  function throwDiskError(): never {
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  }

  it('continues a file that the store has sent only in part', async () => {
    const contents = { 'a.txt': 'alphabet' };
    rig.rclone.intervene = ({ method }) => (method === 'read' ? 'cut' : undefined);
    const { failure } = await rig.fetch(rig.put(contents));
    const text = 'its content was cut off';
    assert.deepEqual(failure, { position: 0, operation: 'read', store: 'broken', text });
    assert.deepEqual(await rig.readTarget(), { [`a.txt.part-${transferId}`]: 'alph' });
    rig.rclone.intervene = () => undefined;
    rig.rclone.objects.set('lab:from/a.txt', Buffer.from('----abet'));
    const [file] = rig.put({ 'a.txt': '----abet' });
    assert.ok(file);
    assert.equal((await rig.fetch([withHash(file, 'alphabet')])).failure, undefined);
    assert.deepEqual(await rig.readTarget(), contents);
  });

  it('reads a file again from its start if the store has no hash to verify a continued partial file', async () => {
    const files = rig.put({ 'a.txt': 'alphabet' });
    rig.rclone.describe = (object) => ({ ...object, hashes: {} });
    await writePart('a.txt', '--------');
    assert.equal((await rig.fetch(files)).failure, undefined);
    assert.deepEqual(await rig.readTarget(), { 'a.txt': 'alphabet' });
  });

  it('writes all content if the file system writes only a part at a time', async () => {
    const { writeSync } = fileSystem;
    const contents = { 'a.txt': 'alphabet' };
    const files = rig.put(contents);
    await writePart('a.txt', 'al');
    const writeLess = (file: number, piece: Buffer, offset: number, length: number, position: number): number =>
      writeSync(file, piece, offset, Math.min(length, 4), position);
    const { failure } = await replacing('writeSync', writeLess, async () => await rig.fetch(files));
    assert.deepEqual([failure, rig.count('read'), await rig.readTarget()], [undefined, 1, contents]);
  });

  it('reads an object at most twice, even if a damaged partial file cannot be removed', async () => {
    const [file] = rig.put({ 'a.txt': 'alpha' });
    assert.ok(file);
    await writePart('a.txt', 'xx');
    const fetch = async () => await rig.fetch([withHash(file, 'other')]);
    const { failure } = await replacing('unlinkSync', throwDiskError, fetch);
    assert.deepEqual([failure?.operation, rig.count('read')], ['copy', 2]);
  });

  it('reports a file that cannot be flushed to the disk, whether it was read or fetched', async () => {
    for (const contents of [{ 'a.txt': 'alpha' }, { a: '1', b: '2', c: '3' }]) {
      const files = rig.put(contents);
      const fetch = async () => await rig.fetch(files, { isFlushed: true });
      const { done, failure } = await replacing('fsyncSync', throwDiskError, fetch);
      assert.deepEqual([done, failure], [[], { position: 0, operation: 'write', code: 'EIO' }]);
      assert.deepEqual(await rig.readTarget(), {});
      const unflushed = await replacing('fsyncSync', throwDiskError, async () => await rig.fetch(files));
      assert.equal(unflushed.done.length, files.length);
      await fs.rm(folder, { recursive: true });
    }
  });

  it('reads an object once whose hash differs, if there was no partial file', async () => {
    const [file] = rig.put({ 'a.txt': 'alpha' });
    assert.ok(file);
    const { failure } = await rig.fetch([withHash(file, 'other')]);
    assert.deepEqual([failure?.operation, rig.count('read')], ['copy', 1]);
  });

  it('requests no content if the partial file is complete, or the object is empty', async () => {
    const contents = { 'a.txt': 'alpha', empty: '' };
    await writePart('a.txt', 'alpha');
    const { done } = await rig.fetch(rig.put(contents));
    assert.deepEqual([done.length, rig.count('read'), await rig.readTarget()], [2, 0, contents]);
  });

  it('does not read an object again if its hash cannot be requested', async () => {
    await writePart('a.txt', 'al');
    rig.rclone.intervene = ({ method }) => (method === 'operations/stat' ? 'fail' : undefined);
    const { done, failure } = await rig.fetch(rig.put({ 'a.txt': 'alpha' }));
    const text = 'the store reported an error';
    assert.deepEqual([done, failure], [[], { position: 0, operation: 'read', store: 'failed', text }]);
    assert.equal(rig.count('read'), 1);
  });

  it('reads the file back if the object was removed after it was read', async () => {
    const contents = { 'a.txt': 'alpha' };
    const files = rig.put(contents);
    changeBeforeVerification(() => rig.rclone.objects.clear());
    const { done, failure } = await rig.fetch(files);
    assert.deepEqual([done[0]?.verifiedBy, failure], ['reading back', undefined]);
    assert.deepEqual(await rig.readTarget(), contents);
  });

  it('rejects a file that the disk has not stored correctly', async () => {
    changeBeforeVerification(async () => await fs.writeFile(await findPart(), 'ALPHA'));
    const { done, failure } = await rig.fetch(rig.put({ 'a.txt': 'alpha' }));
    const text = 'the disk did not store it correctly';
    assert.deepEqual([done, failure], [[], { position: 0, operation: 'copy', text }]);
    assert.deepEqual(await rig.readTarget(), {});
  });

  it('reports an unfinished file that was removed as a failure of the destination', async () => {
    changeBeforeVerification(async () => await fs.rm(await findPart()));
    const { failure } = await rig.fetch(rig.put({ 'a.txt': 'alpha' }));
    assert.deepEqual(failure, { position: 0, operation: 'write', code: 'ENOENT' });
  });

  it('gives a file no final name outside if a link replaces its folder', async () => {
    const outside = nodePath.join(rig.source, 'outside');
    changeBeforeVerification(async () => {
      await fs.rename(nodePath.join(folder, 'sub'), outside);
      await fs.symlink(outside, nodePath.join(folder, 'sub'));
    });
    const { failure } = await rig.fetch(rig.put({ 'sub/a.txt': 'alpha' }));
    assert.equal(failure?.text, 'its path in the destination leads to a different folder');
    assert.ok(!(await fs.readdir(outside)).includes('a.txt'));
  });

  it('closes the files that it has written', async () => {
    const before = await countOpenFiles();
    assert.equal((await rig.fetch(rig.put(createMany(60)))).done.length, 60);
    const opened = (await countOpenFiles()) - before;
    assert.ok(opened < 40, String(opened));
  });

  it('reads up to four objects at the same time', async () => {
    let proceed = (): void => undefined;
    const haveAllStarted = new Promise<void>((resolve) => (proceed = resolve));
    rig.rclone.intervene = async ({ method }) => {
      if (rig.count('read') === 4) proceed();
      if (method === 'read') await haveAllStarted;
      return undefined;
    };
    assert.equal((await rig.fetch(rig.put(createMany(5)))).done.length, 5);
    assert.deepEqual(rig.rclone.methods.slice(0, 4), ['read', 'read', 'read', 'read']);
  });

  it('reads one object after the other if the transfer is throttled', async () => {
    await rig.fetch(rig.put(createMany(3)), { bytesPerSecond: 1e9 });
    const one = ['read', 'operations/stat'];
    assert.deepEqual(rig.rclone.methods, [...one, ...one, ...one]);
  });

  it('waits in proportion to the content that it has read, and only if the transfer is throttled', async () => {
    const waits: number[] = [];
    mock.method(timers, 'setTimeout', async (ms: number) => await Promise.resolve(waits.push(ms)));
    syncBuiltinESMExports();
    try {
      await rig.fetch(rig.put({ 'a.txt': 'alpha', empty: '' }));
      assert.deepEqual(waits, []);
      await rig.fetch(rig.put({ 'b.txt': 'alpha' }), { bytesPerSecond: 2 });
      assert.deepEqual(waits, [2_500]);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  it('stops a wait for the limit of the throughput on request', async () => {
    const signal = createJobSignal();
    const files = rig.put({ 'a.txt': 'alpha' });
    rig.rclone.intervene = () => {
      requestStop(signal);
      return undefined;
    };
    const result = await rig.fetch(files, { signal, bytesPerSecond: 0.001 });
    assert.deepEqual(result, { done: [], isStopped: true });
  });

  it('is not stopped by the time that it takes', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    rig.rclone.intervene = ({ method }) => {
      if (method === 'read') mock.timers.tick(10_000);
      return undefined;
    };
    const { done, isStopped } = await rig.fetch(rig.put(createMany(10))).finally(() => mock.timers.reset());
    assert.deepEqual([done.length, isStopped], [10, undefined]);
  });

  it('starts no other file after a stop request', async () => {
    const signal = createJobSignal();
    rig.rclone.intervene = () => {
      requestStop(signal);
      return undefined;
    };
    const { done, failure, isStopped } = await rig.fetch(rig.put(createMany(20)), { signal });
    assert.deepEqual([failure, isStopped], [undefined, true]);
    assert.ok(done.length <= 4 && rig.count('read') <= 4, rig.rclone.methods.join());
  });

  it('keeps the file for the next run if it is stopped while it verifies it', async () => {
    const signal = createJobSignal();
    changeBeforeVerification(() => requestStop(signal));
    const content = 'x'.repeat(largeBytes);
    const files = rig.put({ 'a.bin': content });
    assert.deepEqual(await rig.fetch(files, { signal }), { done: [], isStopped: true });
    assert.deepEqual(await rig.readTarget(), { [`a.bin.part-${transferId}`]: content });
    assert.equal((await rig.fetch(files, { signal: createJobSignal() })).done.length, 1);
    assert.equal(rig.count('read'), 1);
  });

  it('keeps all partial files for the next run if the connection breaks for one of them', async () => {
    let breakOff = (): void => undefined;
    const isReading = new Promise<void>((resolve) => (breakOff = resolve));
    rig.rclone.intervene = async () => {
      if (rig.count('read') === 2) return await new Promise(() => breakOff());
      await isReading;
      return 'drop';
    };
    const { failure } = await rig.fetch(rig.put({ a: '1', b: '2' }));
    assert.equal(failure?.store, 'unreachable');
    assert.deepEqual(Object.keys(await rig.readTarget()).sort(), [`a.part-${transferId}`, `b.part-${transferId}`]);
  });

  it('keeps the file for the next run if the connection breaks before it is verified', async () => {
    rig.rclone.intervene = ({ method }) => (method === 'operations/stat' ? 'drop' : undefined);
    const { failure } = await rig.fetch(rig.put({ 'a.txt': 'alpha' }));
    assert.equal(failure?.store, 'unreachable');
    assert.deepEqual(await rig.readTarget(), { [`a.txt.part-${transferId}`]: 'alpha' });
  });

  it('moves fetched files that have a hash, and copies the others to read them back', async () => {
    const staged = new Map<string, number>();
    rig.rclone.intervene = async ({ method }) => {
      if (method !== 'operations/list') return undefined;
      const files = await fs.readdir(rig.rclone.address.stagingFolder, { recursive: true, withFileTypes: true });
      for (const { parentPath, name } of files) staged.set(name, (await fs.stat(nodePath.join(parentPath, name))).ino);
      return undefined;
    };
    rig.rclone.describe = (object) => (object.path === 'c' ? { ...object, hashes: {} } : object);
    await rig.fetch(rig.put({ a: '1', b: '2', c: '3' }));
    const isMoved = async (name: string): Promise<boolean> =>
      (await fs.stat(nodePath.join(folder, name))).ino === staged.get(name);
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(isMoved)), [true, true, false]);
  });
});
