import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { createJobSignal, requestStop } from '../../../src/service/transfers/fileJobs.ts';
import { digest, countOpenFiles, folderName, largeBytes, MovementRig, transferId } from './movementRig.ts';

describe('Moving files from a folder to a store (D62)', () => {
  let rig: MovementRig;
  beforeEach(async () => {
    rig = await MovementRig.start();
  });
  afterEach(() => rig.stop());

  const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta', 'sub/c.txt': 'gamma' };
  const finalPlace = `lab:to/${folderName}`;

  it('uploads small files together, and renames those that are stored correctly', async () => {
    const files = await rig.write(contents);
    const { done, failure, isBatchIncomplete } = await rig.upload(files);
    assert.deepEqual([failure, isBatchIncomplete], [undefined, undefined]);
    assert.deepEqual(
      done,
      files.map(({ position, bytes, sha256 }) => ({ position, bytes, sha256, verifiedBy: 'md5' })),
    );
    assert.deepEqual(rig.readStore(finalPlace), contents);
    assert.deepEqual(rig.rclone.places.length, 3);
    assert.deepEqual([rig.count('operations/uploadfile'), rig.count('sync/copy')], [0, 1]);
  });

  it('writes those files one by one that the store has lost while it renamed them', async () => {
    rig.rclone.intervene = ({ method, body }) => {
      if (method === 'sync/move') rig.rclone.objects.delete(`${body.srcFs}/a.txt`);
      return undefined;
    };
    const { done, isBatchIncomplete } = await rig.upload(await rig.write(contents));
    assert.deepEqual([done.length, rig.readStore(finalPlace), isBatchIncomplete], [3, contents, true]);
    assert.equal(rig.count('operations/uploadfile'), 1);
  });

  it('writes those files one by one that the store does not list, or lists with another size', async () => {
    for (const isListed of [false, true]) {
      rig.rclone.objects.clear();
      rig.rclone.requests.length = 0;
      let isUnfinished = false;
      rig.rclone.describe = (object) => ({ ...object, bytes: object.bytes + (isUnfinished && isListed ? 1 : 0) });
      rig.rclone.intervene = ({ method, body }) => {
        isUnfinished = method === 'operations/list' && body.fs?.includes('.part-') === true;
        if (isUnfinished && !isListed) rig.rclone.objects.delete(`${body.fs}/a.txt`);
        return undefined;
      };
      const { done, failure } = await rig.upload(await rig.write(contents));
      assert.deepEqual([done.length, failure, rig.readStore(finalPlace)], [3, undefined, contents]);
      assert.equal(rig.count('operations/uploadfile'), isListed ? 3 : 1);
    }
  });

  it('reads objects back whose listed hash is another one, such as the ETag of S3 with SSE-KMS', async () => {
    rig.rclone.describe = (object) => ({ ...object, hashes: { md5: '0'.repeat(32) } });
    for (const files of [contents, { 'a.txt': 'alpha' }]) {
      const { done, failure } = await rig.upload(await rig.write(files));
      assert.equal(failure, undefined);
      assert.deepEqual([...new Set(done.map(({ verifiedBy }) => verifiedBy))], ['reading back']);
      assert.equal(done.length, Object.keys(files).length);
    }
  });

  it('uploads the other small files together if one has changed', async () => {
    const files = await rig.write({ ...contents, 'd.txt': 'delta' });
    await fs.writeFile(nodePath.join(rig.source, 'a.txt'), 'ALPHA');
    const { done, failure, isBatchIncomplete } = await rig.upload(files);
    assert.deepEqual([done.map(({ position }) => position), failure?.position], [[1, 2, 3], 0]);
    assert.equal(isBatchIncomplete, undefined);
    assert.equal(rig.count('sync/copy'), 1);
  });

  it('writes a batch to a separate folder, which catalogs do not show', async () => {
    await rig.upload(await rig.write(contents));
    const [upload] = rig.rclone.requests.filter(({ method }) => method === 'sync/copy');
    assert.match(upload?.body.dstFs ?? '', /^lab:to\/dts-[-\da-f]+\.part-[-\da-f]+\/[\da-f]{8}$/);
    const [move] = rig.rclone.requests.filter(({ method }) => method === 'sync/move');
    assert.deepEqual([move?.body.srcFs, move?.body.dstFs], [upload?.body.dstFs, finalPlace]);
  });

  it('reads objects back together if the store has no hashes', async () => {
    rig.rclone.hash = undefined;
    const { done } = await rig.upload(await rig.write(contents));
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['reading back', 'reading back', 'reading back'],
    );
    assert.equal(rig.count('sync/copy'), 2);
    assert.equal(rig.count('read'), 0);
  });

  it('writes files one by one that the batch did not store correctly', async () => {
    for (const hash of ['md5', undefined]) {
      rig.rclone.hash = hash;
      rig.rclone.objects.clear();
      rig.rclone.intervene = ({ method }) => {
        const place = rig.rclone.places.find((one) => /\.part-[-\da-f]+\/[\da-f]{8}\/a\.txt$/.test(one));
        if (method !== 'sync/move' && place !== undefined) rig.rclone.objects.set(place, Buffer.from('ALPHA'));
        return undefined;
      };
      const { done, failure } = await rig.upload(await rig.write(contents));
      assert.deepEqual([done.length, failure], [3, undefined]);
      assert.deepEqual(rig.readStore(finalPlace), contents);
      assert.equal(rig.count('operations/uploadfile'), hash === undefined ? 2 : 1);
    }
  });

  for (const failing of ['sync/copy', 'sync/move']) {
    it(`writes all files one by one if ${failing} fails`, async () => {
      rig.rclone.intervene = ({ method }) => (method === failing ? 'fail' : undefined);
      const { done, isBatchIncomplete } = await rig.upload(await rig.write(contents));
      assert.deepEqual([done.length, isBatchIncomplete], [3, true]);
      assert.deepEqual(rig.readStore(finalPlace), contents);
      assert.equal(rig.count('operations/uploadfile'), 3);
    });
  }

  it('replaces the objects of an earlier run one by one', async () => {
    const files = (await rig.write(contents)).map((file) => ({ ...file, isPresent: true }));
    rig.rclone.objects.set(`${finalPlace}/a.txt`, Buffer.from('old'));
    const { done, isBatchIncomplete } = await rig.upload(files);
    assert.deepEqual([done.length, isBatchIncomplete], [3, undefined]);
    assert.deepEqual(rig.readStore(finalPlace), contents);
    assert.equal(rig.count('operations/deletefile'), 3);
    assert.ok(
      rig.rclone.methods.lastIndexOf('operations/deletefile') < rig.rclone.methods.lastIndexOf('operations/movefile'),
    );
  });

  it('writes a single file under a temporary name, verifies it and renames it', async () => {
    const [file] = await rig.write({ 'sub/a.txt': 'alpha' });
    assert.ok(file);
    const { done } = await rig.upload([{ ...file, position: 4 }]);
    assert.deepEqual(done, [{ position: 4, bytes: 5, sha256: digest('sha256', 'alpha'), verifiedBy: 'md5' }]);
    assert.deepEqual(rig.rclone.methods, ['operations/uploadfile', 'operations/stat', 'operations/movefile']);
    const [, stat, move] = rig.rclone.requests;
    assert.match(stat?.body.remote ?? '', new RegExp(`^${folderName}/4-[\\da-f]{8}\\.part-${transferId}$`));
    assert.equal(move?.body.dstRemote, `${folderName}/sub/a.txt`);
  });

  for (const [name, change] of [
    ['size', (content: Buffer) => content.subarray(1)],
    ['hash', (content: Buffer) => Buffer.from(content).fill('x')],
  ] as const) {
    it(`rejects an object that the store has stored with another ${name}`, async () => {
      const files = await rig.write({ 'a.txt': 'alpha' });
      rig.rclone.intervene = ({ method }) => {
        if (method === 'operations/stat')
          for (const [place, content] of rig.rclone.objects) rig.rclone.objects.set(place, change(content));
        return undefined;
      };
      const { done, failure } = await rig.upload(files);
      const text = 'the store did not store it correctly';
      assert.deepEqual([done, failure], [[], { position: 0, operation: 'write', store: 'broken', text }]);
    });
  }

  it('rejects objects of another size, even if their hashes match', async () => {
    rig.rclone.describe = (object) => ({ ...object, bytes: object.bytes + 1 });
    const { done, failure } = await rig.upload(await rig.write(contents));
    assert.deepEqual([done, failure?.store], [[], 'broken']);
  });

  it('reads objects back together that have an empty hash', async () => {
    rig.rclone.describe = (object) => ({ ...object, hashes: { md5: '' } });
    const { done } = await rig.upload(await rig.write(contents));
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['reading back', 'reading back', 'reading back'],
    );
    assert.equal(rig.count('operations/uploadfile'), 0);
  });

  it('reads a single object back if the store has no hash, or none for this object', async () => {
    for (const hash of [undefined, 'md5']) {
      rig.rclone.hash = hash;
      rig.rclone.describe = (object) => ({ ...object, hashes: hash === undefined ? {} : { md5: '' } });
      const { done } = await rig.upload(await rig.write({ 'a.txt': 'alpha', empty: '' }));
      assert.deepEqual(
        done.map(({ verifiedBy }) => verifiedBy),
        ['reading back', 'reading back'],
      );
    }
    rig.rclone.intervene = ({ method }) => {
      if (method === 'read') for (const place of rig.rclone.places) rig.rclone.objects.set(place, Buffer.from('ALPHA'));
      return undefined;
    };
    const { failure } = await rig.upload(await rig.write({ 'a.txt': 'alpha' }));
    assert.equal(failure?.store, 'broken');
  });

  it('reads no empty object back', async () => {
    rig.rclone.hash = undefined;
    assert.equal((await rig.upload(await rig.write({ empty: '' }))).done[0]?.verifiedBy, 'reading back');
    assert.equal(rig.count('read'), 0);
  });

  it('reports an object that the store has not stored, or cannot rename', async () => {
    const files = await rig.write({ 'a.txt': 'alpha' });
    rig.rclone.intervene = ({ method }) => {
      if (method === 'operations/stat') rig.rclone.objects.clear();
      return undefined;
    };
    assert.equal((await rig.upload(files)).failure?.store, 'broken');
    rig.rclone.intervene = ({ method }) => (method === 'operations/movefile' ? 'fail' : undefined);
    const { done, failure } = await rig.upload(files);
    assert.deepEqual([done, failure?.operation, failure?.store], [[], 'write', 'failed']);
  });

  it('reports that the source folder is missing', async () => {
    const files = await rig.write({ 'a.txt': 'alpha' });
    await fs.rm(rig.source, { recursive: true });
    assert.deepEqual(await rig.upload(files), {
      done: [],
      failure: { position: 0, operation: 'read', code: 'ENOENT' },
    });
  });

  it('closes the files that it has read', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.txt`, 'x']));
    const files = await rig.write(many);
    const before = await countOpenFiles();
    assert.equal((await rig.upload(files)).done.length, 60);
    const opened = (await countOpenFiles()) - before;
    assert.ok(opened < 40, String(opened));
  });

  it('rejects a file that changed since it was hashed, or no longer exists', async () => {
    const [file] = await rig.write({ 'a.txt': 'alpha' });
    assert.ok(file);
    const changed = 'it changed after it was hashed';
    for (const content of ['ALPHA', 'alp', 'alphabet']) {
      await fs.writeFile(nodePath.join(rig.source, 'a.txt'), content);
      const { failure } = await rig.upload([file]);
      assert.deepEqual(failure, { position: 0, operation: 'copy', text: changed }, content);
    }
    await fs.rm(nodePath.join(rig.source, 'a.txt'));
    const { failure } = await rig.upload([file]);
    assert.deepEqual(failure, { position: 0, operation: 'read', code: 'ENOENT' });
  });

  it('reports the error of the store, and does not process other files after it', async () => {
    rig.rclone.failure = { status: 500, error: 'no space left on device' };
    rig.rclone.intervene = ({ method }) => (method === 'operations/uploadfile' ? 'fail' : undefined);
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index}.bin`, `${index}`.padEnd(largeBytes, 'x')]),
    );
    const { done, failure } = await rig.upload(await rig.write(many));
    assert.deepEqual([done, failure?.store, failure?.operation], [[], 'full', 'write']);
    assert.ok(rig.count('operations/uploadfile') <= 4, rig.rclone.methods.join());
  });

  it('does not report the store as full if its server refuses a file because of its size', async () => {
    rig.rclone.failure = { status: 500, error: '413 Request Entity Too Large' };
    rig.rclone.intervene = ({ method }) => (method === 'operations/uploadfile' ? 'fail' : undefined);
    const { failure } = await rig.upload(await rig.write({ 'a.bin': 'x'.padEnd(largeBytes) }));
    const text = "the server doesn't accept files of this size";
    assert.deepEqual(failure, { position: 0, operation: 'write', store: 'refused', text });
  });

  it('starts no other file after a stop request', async () => {
    const signal = createJobSignal();
    rig.rclone.intervene = () => {
      requestStop(signal);
      return undefined;
    };
    // Files with names that a store might change aren't uploaded in a batch.
    const files = await rig.write(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.`, 'x'])));
    const result = await rig.carry(rig.folder(rig.source), rig.store('lab:to'), files, { signal });
    assert.deepEqual([result.failure, result.isStopped], [undefined, true]);
    assert.ok(rig.count('operations/uploadfile') <= 4, rig.rclone.methods.join());
  });

  it('sends a large file whole, in pieces', async () => {
    const content = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
    await rig.upload(await rig.write({ 'a.txt': content }));
    assert.equal(String(rig.rclone.objects.get(`${finalPlace}/a.txt`)), content);
  });
});
