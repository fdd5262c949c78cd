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

  it('lets a store copy its objects itself if it can, and moves the others', async () => {
    const files = rig.put({ 'a.txt': 'alpha', 'sub/b.txt': 'beta', empty: '' });
    const { done } = await rig.carry(rig.store('lab:from'), rig.store('lab:to'), files, {
      copyVerification: { copyOptions: '', listOptions: '', hasOwnHashes: true },
    });
    assert.deepEqual(
      done.map(({ verifiedBy }) => verifiedBy),
      ['md5 within the store', 'md5 within the store', 'md5'],
    );
    assert.deepEqual(rig.readStore(`lab:to/${folderName}`), { 'a.txt': 'alpha', 'sub/b.txt': 'beta', empty: '' });
    assert.equal(rig.count('operations/uploadfile'), 1);
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
      text: 'the store reports an error',
    });
  });
});
