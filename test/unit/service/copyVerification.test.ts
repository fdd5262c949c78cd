import assert from 'node:assert/strict';
import { addRemoteOptions } from '../../../src/core/util/remote.ts';
import { chooseVerification, parseStoreFeatures } from '../../../src/service/stores/storeFeatures.ts';

function choose(remote: string, description: string, name = 'lab'): ReturnType<typeof chooseVerification> {
  const features = parseStoreFeatures({ Name: name, String: description, Features: { Copy: true } });
  assert.ok(features);
  return chooseVerification(remote, features);
}

describe('The verification of copies within a store (D66)', () => {
  it('uses the hashes of stores that compute them for each object', () => {
    for (const description of ['S3 bucket lab', 'GCS bucket lab', 'Swift container lab', "Google drive root 'lab'"])
      assert.equal(choose('lab:bucket', description)?.hasOwnHashes, true, description);
  });

  it('uses no hashes that may be metadata set by the uploader', () => {
    for (const description of ['Azure container lab', 'B2 bucket lab', "OneDrive root 'lab'"])
      assert.deepEqual(choose('lab:bucket', description), { copyOptions: '', listOptions: '', hasOwnHashes: false });
  });

  it('does not use those of S3 behind an alias, which would ignore the options', () => {
    assert.equal(choose('shortcut:prefix', 'S3 bucket lab', 'lab')?.hasOwnHashes, false);
  });

  it('is impossible for stores whose copies may be links to their originals', () => {
    for (const description of ["webdav root 'lab'", 'sftp://lab', "Encrypted drive 'lab:'", 'combine root lab', ''])
      assert.equal(choose('lab:bucket', description), undefined, description);
  });

  it('adds options to the name of a remote, not to its path', () => {
    assert.equal(addRemoteOptions('lab:bucket/a:b', 'copy_cutoff=5G'), 'lab,copy_cutoff=5G:bucket/a:b');
    assert.equal(addRemoteOptions('lab:bucket', ''), 'lab:bucket');
  });
});
