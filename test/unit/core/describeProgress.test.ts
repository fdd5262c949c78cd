import assert from 'node:assert/strict';
import { describeProgress } from '../../../src/cli/text/transferText.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { running } from './specimens.ts';

describe('The progress of a transfer on the command line', () => {
  const elsewhere: Transfer = { ...running, state: 'staging', startedElsewhere: true };

  it('is its state alone if the service reports no counts of a transfer that was started elsewhere', () => {
    assert.equal(describeProgress({ ...elsewhere, status: {} }), 'staging');
    assert.equal(describeProgress({ ...elsewhere, state: 'succeeded', status: {} }), 'succeeded');
  });

  it('has the counts that the service reports', () => {
    assert.equal(describeProgress({ ...elsewhere, status: { movedFileCount: 3 } }), 'staging, 3 files');
    assert.equal(describeProgress({ ...elsewhere, status: { movedFileCount: 1 } }), 'staging, 1 file');
    assert.equal(describeProgress({ ...elsewhere, status: { fileCount: 10 } }), 'staging, 10 files');
    assert.equal(
      describeProgress({ ...elsewhere, status: { fileCount: 10, movedFileCount: 3 } }),
      'staging, 3/10 files',
    );
  });

  it('is plain text, whatever word the service reports', () => {
    const describe = (status: string): string =>
      describeProgress({ ...elsewhere, state: 'running', status: { status } });
    assert.equal(describe('\u001B[2Jbusy\u202E\u009B\nnow'), '[2Jbusy now');
    assert.equal(describe('\u0007'), 'running');
  });
});
