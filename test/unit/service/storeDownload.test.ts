import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import timers from 'node:timers/promises';
import { createJobSignal, getDoneCount, getFileMark, requestStop } from '../../../src/service/transfers/fileJobs.ts';
import { digest, folderName, largeBytes, MovementRig, transferId, withHash, type Contents } from './movementRig.ts';

describe('Moving files from a store to a folder (D62)', () => {
  let rig: MovementRig;
  beforeEach(async () => {
    rig = await MovementRig.start();
  });
  afterEach(() => rig.stop());

  const contents: Contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta', 'sub/c.txt': 'gamma' };

  it('fetches small files together, and compares them with the hashes of the catalog', async () => {
    const files = rig.put(contents).map((file) => withHash(file, contents[file.path] ?? ''));
    const { done, failure } = await rig.fetch(files);
    assert.equal(failure, undefined);
    assert.deepEqual(
      done.toSorted((a, b) => a.position - b.position),
      files.map(({ path, position, bytes }) => {
        const sha256 = digest('sha256', contents[path] ?? '');
        return { position, bytes, sha256, verifiedBy: 'md5' };
      }),
    );
    assert.deepEqual(await rig.readTarget(), contents);
    assert.deepEqual(rig.rclone.methods, ['sync/copy']);
    assert.deepEqual(await fs.readdir(rig.rclone.address.stagingFolder), []);
  });

  it('passes the files of a batch as a list, and has rclone inspect no existing files', async () => {
    let listed = '';
    rig.rclone.intervene = async ({ method, body }) => {
      if (method === 'sync/copy') listed = await fs.readFile(body._filter?.FilesFromRaw?.[0] ?? '', 'utf8');
      return undefined;
    };
    await rig.fetch(rig.put(contents));
    assert.equal(listed, 'a.txt\nsub/b.txt\nsub/c.txt\n');
    const [request] = rig.rclone.requests;
    assert.equal(request?.body.srcFs, 'lab:from');
    assert.deepEqual(request.body._config, {
      NoTraverse: true,
      NoCheckDest: true,
      IgnoreChecksum: true,
      Transfers: 4,
      Checkers: 4,
    });
  });

  it('requests the hashes of files that have none in the catalog', async () => {
    const [first, ...others] = rig.put(contents);
    assert.ok(first);
    const { done } = await rig.fetch([withHash(first, 'alpha'), ...others]);
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5', 'md5', 'md5'],
    );
    const described = rig.rclone.requests.filter(({ method }) => method === 'operations/list');
    assert.deepEqual(
      described.map(({ body }) => body.opt?.hashTypes),
      [['md5'], ['md5']],
    );
    assert.equal(rig.count('read'), 0);
  });

  it('reads files back that have no hash', async () => {
    rig.rclone.hash = undefined;
    const { done } = await rig.fetch(rig.put(contents));
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['reading back', 'reading back', 'reading back'],
    );
    assert.deepEqual(await rig.readTarget(), contents);
    assert.deepEqual(rig.rclone.methods, ['sync/copy']);
  });

  it('gives fetched files the time of their arrival if the store knows none', async () => {
    const start = Date.now();
    const files = rig.put(contents).map((file) => withHash(file, contents[file.path] ?? ''));
    await rig.fetch(files, { isFlushed: true });
    const { mtimeMs } = await fs.stat(nodePath.join(rig.target, folderName, 'a.txt'));
    assert.ok(mtimeMs >= start - 1_000, String(mtimeMs));
  });

  it('rejects fetched and read files whose hash differs from that of the store', async () => {
    const files = rig.put(contents).map((file) => withHash(file, 'other'));
    const { done, failure } = await rig.fetch(files);
    assert.deepEqual([done, failure?.operation], [[], 'copy']);
    assert.equal(failure?.text, 'it does not have the md5 hash that the store listed for it');
    assert.deepEqual(await rig.readTarget(), {});
  });

  it('uses the files that a batch could fetch, even if it failed for others', async () => {
    rig.rclone.intervene = async ({ method, body }) => {
      if (method !== 'sync/copy') return undefined;
      await fs.writeFile(nodePath.join(body.dstFs ?? '', 'a.txt'), 'alpha');
      return 'fail';
    };
    assert.equal((await rig.fetch(rig.put(contents))).done.length, 3);
    assert.deepEqual([await rig.readTarget(), rig.count('read')], [contents, 2]);
  });

  it('reads files one by one if a batch cannot be fetched, because rclone may have left damaged files', async () => {
    rig.rclone.intervene = async ({ method, body }) => {
      if (method !== 'sync/copy') return undefined;
      await fs.writeFile(nodePath.join(body.dstFs ?? '', 'a.txt'), '\0'.repeat(5));
      return 'drop';
    };
    const { done } = await rig.fetch(rig.put(contents));
    assert.equal(done.length, 3);
    assert.deepEqual(await rig.readTarget(), contents);
    assert.equal(rig.count('read'), 3);
    assert.equal(rig.count('operations/stat'), 3);
  });

  it('reads one by one only the files whose hashes could not be requested', async () => {
    let count = 0;
    rig.rclone.intervene = ({ method }) => (method === 'operations/list' && count++ === 0 ? 'fail' : undefined);
    assert.equal((await rig.fetch(rig.put(contents))).done.length, 3);
    assert.deepEqual([await rig.readTarget(), rig.count('read')], [contents, 1]);
  });

  it('waits longer for a batch of more files before it considers rclone stalled', async () => {
    let waits: readonly number[] = [];
    mock.method(timers, 'setTimeout', async (ms: number) => await new Promise(() => (waits = [...waits, ms])));
    syncBuiltinESMExports();
    try {
      const firstWaits: number[] = [];
      for (const count of [3, 103]) {
        waits = [];
        await rig.fetch(rig.put(Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, 'x']))));
        firstWaits.push(...waits.slice(0, 1));
      }
      const [few, many] = firstWaits;
      assert.ok(few !== undefined && many !== undefined && many > few + 1_000, firstWaits.join());
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  it('reads one by one only the files that a batch has not fetched completely', async () => {
    const files = rig.put(contents);
    rig.rclone.intervene = ({ method }) => {
      const isWhole = method === 'read' || method === 'operations/stat';
      rig.rclone.objects.set('lab:from/a.txt', Buffer.from(isWhole ? 'alpha' : 'al'));
      return undefined;
    };
    assert.equal((await rig.fetch(files)).done.length, 3);
    assert.deepEqual(await rig.readTarget(), contents);
    assert.equal(rig.count('read'), 1);
  });

  for (const [name, more, files] of [
    ['there are fewer than three', {}, { 'a.txt': 'alpha', 'b.txt': 'beta' }],
    ['the transfer is throttled', { bytesPerSecond: 1e9 }, contents],
    ['their names differ by letter case only', {}, { 'a.txt': '1', 'A.txt': '2', á: '3', 'a\u0301': '4' }],
    ['they are empty', {}, { a: '', b: '', c: '' }],
    ['their folders have special names', {}, { 'a /1': '1', ' b/2': '2', 'c./3': '3', 'd\u2028/4': '4' }],
    ['their names have special characters', {}, { 'a\\b': '1', 'c.': '2', ' d': '3', 'e/ f': '4', 'g\n': '5' }],
  ] as const) {
    it(`moves files one by one if ${name}`, async () => {
      const { done, failure } = await rig.fetch(rig.put(files), more);
      assert.deepEqual([done.length, failure], [Object.keys(files).length, undefined]);
      assert.equal(rig.count('sync/copy'), 0);
    });
  }

  it('moves large files one by one, beside the small ones', async () => {
    const many = { ...contents, limit: 'x'.repeat(largeBytes - 1), 'large.bin': 'x'.repeat(largeBytes) };
    assert.equal((await rig.fetch(rig.put(many))).done.length, 5);
    assert.deepEqual(await rig.readTarget(), many);
    assert.equal(rig.count('read'), 1);
  });

  it('counts each file, and returns its position once', async () => {
    const signal = createJobSignal();
    const files = rig.put({ ...contents, 'large.bin': 'x'.repeat(largeBytes) });
    const result = await rig.fetch(files, { signal });
    assert.deepEqual([result.done.map(({ position }) => position).toSorted(), getDoneCount(signal)], [[0, 1, 2, 3], 4]);
  });

  it('marks the files that are fetched together, and all that are done', async () => {
    const signal = createJobSignal(4);
    const readMarks = (): readonly unknown[] => [0, 1, 2, 3].map((index) => getFileMark(signal, index));
    let marks: readonly unknown[] = [];
    rig.rclone.intervene = ({ method }) => {
      if (method === 'sync/copy') marks = readMarks();
      return undefined;
    };
    await rig.fetch(rig.put({ ...contents, 'large.bin': 'x'.repeat(largeBytes) }), { signal });
    assert.deepEqual(marks, ['transferring', 'transferring', 'transferring', undefined]);
    assert.deepEqual(readMarks(), ['transferred', 'transferred', 'transferred', 'transferred']);
  });

  it('marks only the files that are read at once if those that were fetched together are damaged', async () => {
    const indexes = Array.from({ length: 20 }, (_, index) => index);
    const signal = createJobSignal(indexes.length);
    const counts: number[] = [];
    rig.rclone.intervene = ({ method }) => {
      const marked = indexes.filter((index) => getFileMark(signal, index) === 'transferring');
      if (method === 'read') counts.push(marked.length);
      return method === 'sync/copy' ? 'drop' : undefined;
    };
    await rig.fetch(rig.put(Object.fromEntries(indexes.map((index) => [`${index}.txt`, 'alpha']))), { signal });
    assert.equal(counts.length, indexes.length);
    assert.ok(Math.max(...counts) < indexes.length, counts.join());
  });

  it('rejects an object whose size differs from the listing', async () => {
    for (const bytes of [4, 6]) {
      const [file] = rig.put({ 'a.txt': 'alpha' });
      assert.ok(file);
      const { failure } = await rig.fetch([{ ...file, bytes }]);
      assert.deepEqual(failure, { position: 0, operation: 'read', text: 'it changed since it was listed' });
    }
    assert.deepEqual(await rig.readTarget(), {});
  });

  it('keeps a partial file if the connection broke, and discards it after other failures', async () => {
    const [file] = rig.put({ 'large.bin': 'x'.repeat(largeBytes) });
    assert.ok(file);
    rig.rclone.intervene = ({ method }) => (method === 'read' ? 'drop' : undefined);
    const broken = await rig.fetch([file]);
    assert.deepEqual(broken.failure, { position: 0, operation: 'read', store: 'unreachable', text: 'rclone exited' });
    assert.deepEqual(Object.keys(await rig.readTarget()), [`large.bin.part-${transferId}`]);
    rig.rclone.intervene = ({ method }) => (method === 'read' ? 'fail' : undefined);
    const failed = await rig.fetch([file]);
    assert.deepEqual(failed.failure?.store, 'failed');
    assert.deepEqual(await rig.readTarget(), {});
  });

  it('reads a file again from its start if the store ignores the requested range', async () => {
    const files = rig.put({ 'large.bin': 'x'.repeat(largeBytes) });
    const ways = ['cut', 'whole', 'whole'] as const;
    rig.rclone.intervene = ({ method }) => (method === 'read' ? ways[rig.count('read') - 1] : undefined);
    const [one, two, three] = [await rig.fetch(files), await rig.fetch(files), await rig.fetch(files)];
    assert.deepEqual([one.failure?.store, two.failure?.store, three.failure], ['broken', 'failed', undefined]);
  });

  it('writes a file without a hash from its start, even if an earlier attempt left a partial file', async () => {
    rig.rclone.hash = undefined;
    await fs.mkdir(nodePath.join(rig.target, folderName));
    await fs.writeFile(nodePath.join(rig.target, folderName, `a.txt.part-${transferId}`), 'xx');
    assert.equal((await rig.fetch(rig.put({ 'a.txt': 'alpha' }))).done.length, 1);
    assert.deepEqual(await rig.readTarget(), { 'a.txt': 'alpha' });
  });

  it('reads a file again from its start if the continued partial file was damaged', async () => {
    const content = 'x'.repeat(largeBytes);
    const [file] = rig.put({ 'large.bin': content });
    assert.ok(file);
    await fs.mkdir(nodePath.join(rig.target, folderName));
    await fs.writeFile(nodePath.join(rig.target, folderName, `large.bin.part-${transferId}`), '\0'.repeat(4_096));
    const { done, failure } = await rig.fetch([withHash(file, content)]);
    assert.deepEqual([failure, done.length], [undefined, 1]);
    assert.deepEqual(await rig.readTarget(), { 'large.bin': content });
    assert.equal(rig.count('read'), 2);
  });

  it('does not continue a partial file that is larger than the file', async () => {
    const [file] = rig.put({ 'a.txt': 'alpha' });
    assert.ok(file);
    await fs.mkdir(nodePath.join(rig.target, folderName));
    await fs.writeFile(nodePath.join(rig.target, folderName, `a.txt.part-${transferId}`), 'alphabet');
    assert.equal((await rig.fetch([withHash(file, 'alpha')])).failure, undefined);
    assert.deepEqual(await rig.readTarget(), { 'a.txt': 'alpha' });
  });

  it('fails if the destination is missing or a file is in the place of a folder', async () => {
    const files = rig.put({ 'sub/b.txt': 'beta' });
    await fs.mkdir(nodePath.join(rig.target, folderName));
    await fs.writeFile(nodePath.join(rig.target, folderName, 'sub'), '');
    const blocked = await rig.fetch(files);
    assert.deepEqual([blocked.failure?.operation, blocked.done], ['write', []]);
    const gone = await rig.carry(
      rig.store('lab:from'),
      rig.folder(nodePath.join(rig.target, 'gone')),
      files.map((file) => ({ ...file, position: 7 })),
    );
    assert.deepEqual(gone, { done: [], failure: { position: 7, operation: 'write', code: 'ENOENT' } });
  });

  it('stops within a file on request, and keeps the partial file for the next run', async () => {
    const signal = createJobSignal();
    rig.rclone.intervene = async () => {
      requestStop(signal);
      return await new Promise(() => undefined);
    };
    const result = await rig.fetch(rig.put({ a: '1' }), { signal });
    assert.deepEqual(result, { done: [], isStopped: true });
    assert.deepEqual(Object.keys(await rig.readTarget()), [`a.part-${transferId}`]);
  });

  it('sends no request if it is stopped before it starts', async () => {
    const signal = createJobSignal();
    requestStop(signal);
    const copyVerification = { copyOptions: '', listOptions: '', hasOwnHashes: true };
    const result = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), rig.put(contents), {
      signal,
      copyVerification,
    });
    assert.deepEqual([result, rig.rclone.methods], [{ done: [], isStopped: true }, []]);
  });

  it('compares no fetched file with an empty hash', async () => {
    rig.rclone.describe = (object) => ({ ...object, hashes: { md5: '' } });
    const { done } = await rig.fetch(rig.put(contents));
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['reading back', 'reading back', 'reading back'],
    );
    assert.deepEqual([await rig.readTarget(), rig.count('read')], [contents, 0]);
  });

  it('stops between files on request, without a failure', async () => {
    const signal = createJobSignal();
    rig.rclone.intervene = () => {
      requestStop(signal);
      return undefined;
    };
    const result = await rig.fetch(rig.put({ a: '1', b: '2' }), { signal });
    assert.equal(result.failure, undefined);
    const stopped = await rig.fetch(rig.put({ c: '1' }), { signal });
    assert.deepEqual(stopped.done, []);
  });
});
