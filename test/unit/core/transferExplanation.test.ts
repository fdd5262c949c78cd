import assert from 'node:assert/strict';
import { describeResult, explainTransfers } from '../../../src/cli/text/transferText.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { running } from './specimens.ts';

const files = ['f1', 'f2', 'f3'].map((id) => ({ id, name: id }));
const started: Transfer = { ...running, order: { ...running.order, files } };
const counted = (movedFileCount: number, message?: string) => ({
  status: { status: 'x', fileCount: 3, movedFileCount, ...(message !== undefined && { message }) },
});
const tasks = '2 of 8 tasks on dtn1, dtn2; 6 pending (Resources)';

describe('The end of a transfer on the command line', () => {
  const sentences: readonly (readonly [Partial<Transfer>, string])[] = [
    [
      { state: 'expired', ...counted(1) },
      'expired, 1/3 files: the service no longer has a record of it. Check the destination before you start the transfer again.',
    ],
    [
      { state: 'succeeded', ...counted(1) },
      "incomplete, 1/3 files: 2 files weren't transferred, although the service reported success. " +
        'The service may not recognize some of the files. Check their IDs at the source.',
    ],
    [
      { state: 'succeeded', ...counted(2) },
      "incomplete, 2/3 files: 1 file wasn't transferred, although the service reported success. " +
        'The service may not recognize this file. Check its ID at the source.',
    ],
    [
      { state: 'succeeded', order: running.order, status: { fileCount: 0, movedFileCount: 0 } },
      'incomplete, 0/0 files: no files were transferred. The service may not recognize some of the files. Check their IDs at the source.',
    ],
    [
      { state: 'active', problem: { kind: 'serviceStopped' }, ...counted(1) },
      'paused, 1/3 files: the local service is stopped. It resumes when you start the service.',
    ],
    [
      { state: 'cancelled', ...counted(1) },
      'canceled, 1/3 files. If you still need the files, start the transfer again.',
    ],
    [
      { state: 'failed', ...counted(1) },
      'failed, 1/3 files: the service gave no reason. Fix the cause, then start the transfer again.',
    ],
    [
      { state: 'refused', problem: { kind: 'notSent' } },
      'not sent, 3 files: the program ended or disconnected before the transfer was sent. Start the transfer again.',
    ],
    [
      { state: 'active', problem: { kind: 'timeout' }, ...counted(1) },
      "active, 1/3 files: couldn't update the status: the service didn't respond in time.",
    ],
    [
      { state: 'active', ...counted(1, `Transfer id: transferring 3 files (3 B); ${tasks}`) },
      `active, 1/3 files: transferring 3 files (3 B); ${tasks}.`,
    ],
    [{ state: 'staging', ...counted(0, 'one\n\u001B[2Jtwo.') }, 'staging, 0/3 files: one [2Jtwo.'],
  ];
  for (const [change, sentence] of sentences) {
    it(`is explained: ${sentence}`, () => {
      const transfer = { ...started, ...change };
      assert.equal(describeResult(transfer), `Transfer id: ${sentence}`);
      assert.deepEqual(explainTransfers([transfer]), [`Transfer id: ${sentence}`]);
    });
  }

  it('needs no explanation if all files were transferred, or while it is running and the service says nothing', () => {
    const complete: Transfer = { ...started, state: 'succeeded', ...counted(3, 'completed successfully') };
    assert.equal(describeResult(complete), 'Transfer id: succeeded, 3/3 files.');
    assert.deepEqual(explainTransfers([complete, started]), []);
  });
});
