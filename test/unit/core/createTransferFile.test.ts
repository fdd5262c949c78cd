import assert from 'node:assert/strict';
import { createTransferFile } from '../../../src/core/transfers/createTransferFile.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';

describe('A file of a transfer order', () => {
  const licenses = [{ name: 'CC0-1.0' }];
  const hash = 'a'.repeat(32);
  const entry: FileEntry = {
    kind: 'file',
    id: 'f',
    database: 'Alpha',
    name: 'f.csv',
    sizeBytes: 5,
    hash,
    resource: { id: 'f', licenses },
  };

  it('has the size, the hash and the licenses of the metadata', () => {
    assert.deepEqual(createTransferFile(entry, entry), { id: 'f', name: 'f.csv', sizeBytes: 5, hash, licenses });
  });

  it('has no hash of unknown form', () => {
    assert.equal(createTransferFile(entry, { ...entry, hash: 'etag-1' }).hash, undefined);
  });

  it('has no licenses if the metadata is a summary, and only its ID and name if it is unknown', () => {
    assert.equal(createTransferFile(entry, { ...entry, isSummary: true }).licenses, undefined);
    assert.deepEqual(createTransferFile(entry, undefined), { id: 'f', name: 'f.csv' });
  });
});
