import assert from 'node:assert/strict';
import { folderName, largeBytes, MovementRig, withHash } from './movementRig.ts';

describe('Moving files from one store to another (D62)', () => {
  let rig: MovementRig;
  beforeEach(async () => {
    rig = await MovementRig.start();
  });
  afterEach(() => rig.stop());

  it('verifies what was read and what was written', async () => {
    const contents = { a: 'one', b: 'two', c: 'three', 'large.bin': 'x'.repeat(largeBytes) };
    const { done } = await rig.carry(rig.store('lab:from'), rig.store('far:to'), rig.put(contents));
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5', 'md5', 'md5', 'md5'],
    );
    assert.deepEqual(rig.readStore(`far:to/${folderName}`), contents);
  });

  it('names a hash of one side if the other has none', async () => {
    const [file] = rig.put({ 'a.txt': 'alpha' });
    assert.ok(file);
    rig.rclone.describe = (object) => ({ ...object, hashes: {} });
    const { done } = await rig.carry(rig.store('lab:from'), rig.store('far:to'), [withHash(file, 'alpha')]);
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5'],
    );
  });

  it('names the hash of the source for small files if the destination has none', async () => {
    const files = rig.put({ a: 'one', b: 'two', c: 'three' });
    const { done } = await rig.carry(rig.store('lab:from'), { location: { remote: 'far:to' }, hash: undefined }, files);
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5', 'md5', 'md5'],
    );
    assert.equal(rig.count('operations/uploadfile'), 0);
  });

  it('lets a store copy its objects itself if it can, and moves the others', async () => {
    const files = rig.put({ 'a.txt': 'alpha', 'sub/b.txt': 'beta', empty: '' });
    const { done, isBatchIncomplete } = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), files, {
      copyVerification: { copyOptions: '', listOptions: '', hasOwnHashes: true },
    });
    assert.equal(isBatchIncomplete, undefined);
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5 within the store', 'md5 within the store', 'md5'],
    );
    assert.deepEqual(rig.readStore(`lab:to/${folderName}`), { 'a.txt': 'alpha', 'sub/b.txt': 'beta', empty: '' });
    assert.equal(rig.count('operations/uploadfile'), 1);
  });

  const withinStore = { copyVerification: { copyOptions: '', listOptions: '', hasOwnHashes: true } };

  it('moves the objects that a store does not list among its copies', async () => {
    const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta' };
    rig.rclone.intervene = ({ method, body }) => {
      if (method === 'operations/list' && body.remote !== '')
        rig.rclone.objects.delete(`${body.fs}/${body.remote}/a.txt`);
      return undefined;
    };
    const result = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), rig.put(contents), withinStore);
    assert.deepEqual([result.done.length, rig.readStore(`lab:to/${folderName}`)], [2, contents]);
    assert.equal(result.isBatchIncomplete, true);
    assert.equal(rig.count('operations/uploadfile'), 1);
  });

  it('moves the objects whose copies cannot be read to compare them', async () => {
    const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta' };
    rig.rclone.hash = undefined;
    rig.rclone.intervene = ({ method, body }) =>
      method === 'read' && body.fs?.includes('.part-') && body.remote === 'a.txt' ? 'fail' : undefined;
    const { done } = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), rig.put(contents), withinStore);
    assert.deepEqual([done.length, rig.readStore(`lab:to/${folderName}`)], [2, contents]);
    assert.equal(rig.count('operations/uploadfile'), 1);
  });

  it('has a store copy nothing if all objects are empty', async () => {
    const files = rig.put({ empty: '' });
    assert.equal((await rig.carry(rig.store('lab:from'), rig.store('lab:to'), files, withinStore)).done.length, 1);
    assert.equal(rig.count('sync/copy'), 0);
  });

  it('moves the objects that a store has copied but not renamed', async () => {
    const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta' };
    rig.rclone.intervene = ({ method, body }) => {
      if (method === 'sync/move') rig.rclone.objects.delete(`${body.srcFs}/a.txt`);
      return undefined;
    };
    const { done } = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), rig.put(contents), withinStore);
    assert.deepEqual(
      done.map(({ position, verifiedBy }) => [position, verifiedBy]),
      [
        [1, 'md5 within the store'],
        [0, 'md5'],
      ],
    );
    assert.deepEqual(rig.readStore(`lab:to/${folderName}`), contents);
  });

  for (const failing of ['sync/copy', 'sync/move'])
    it(`reports that the store may create its copies later if ${failing} fails`, async () => {
      rig.rclone.intervene = ({ method }) => (method === failing ? 'fail' : undefined);
      const files = rig.put({ 'a.txt': 'alpha', 'sub/b.txt': 'beta' });
      const result = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), files, withinStore);
      assert.deepEqual([result.done.length, result.isBatchIncomplete], [2, true]);
    });

  it('reports no later objects if no list for rclone could be written, so that nothing was sent', async () => {
    const files = rig.put({ a: 'one', b: 'two', c: 'three' });
    const rclone = { ...rig.rclone.address, stagingFolder: '/dev/null/staging' };
    for (const more of [{ rclone }, { rclone, ...withinStore }]) {
      rig.rclone.requests.length = 0;
      const result = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), files, more);
      assert.deepEqual([result.done.length, result.failure, result.isBatchIncomplete], [3, undefined, undefined]);
      assert.equal(rig.count('operations/uploadfile'), 3);
    }
  });

  it('fails with the position of the first file if the source cannot be described', async () => {
    const [file] = rig.put({ 'a.txt': 'alpha' });
    assert.ok(file);
    rig.rclone.intervene = ({ method }) => (method === 'operations/stat' ? 'fail' : undefined);
    const { failure } = await rig.carry(rig.store('lab:from'), rig.store('far:to'), [file]);
    assert.deepEqual(failure, {
      position: 0,
      operation: 'read',
      store: 'failed',
      text: 'the store reported an error',
    });
  });
});
