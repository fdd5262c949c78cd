import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { createReceipt, getAccessDay } from '../../../src/core/model/transferOutcome.ts';

function createTransfer(state: Transfer['state'], status: Transfer['status'] = {}): Transfer {
  const files = ['a', 'b'].map((id) => ({ id, name: id }));
  const order = { connectionId: 'c', orcid: '', source: 'Alpha', destination: 'Beta', files };
  const at = new Date(2026, 10, 22, 12).getTime();
  return { key: 'k', id: 'id', order, createdAt: at - 86_400_000, state, status, changes: [{ state, at }] };
}

describe('The receipt of a transfer', () => {
  it('has the day on which the end was seen, if all files were transferred', () => {
    const receipt = createReceipt(createTransfer('succeeded'));
    assert.deepEqual(receipt, { fileCount: 2, isSeen: true, day: '2026-11-22' });
    assert.equal(getAccessDay(receipt), '2026-11-22');
  });

  it('counts the transferred files if others were not transferred, and gives no day to cite', () => {
    const receipt = createReceipt(createTransfer('succeeded', { fileCount: 2, movedFileCount: 1 }));
    assert.deepEqual([receipt?.movedCount, receipt?.fileCount], [1, 2]);
    assert.equal(getAccessDay(receipt), undefined);
  });

  for (const state of ['active', 'failed', 'cancelled', 'refused', 'expired', 'notConfirmed'] as const) {
    it(`is missing for the state ${state}, even if the status counts transferred files`, () => {
      const receipt = createReceipt(createTransfer(state, { fileCount: 2, movedFileCount: 1 }));
      assert.equal(receipt, undefined);
      assert.equal(getAccessDay(receipt), undefined);
    });
  }

  it('is missing for a success that transferred no file', () => {
    assert.equal(createReceipt(createTransfer('succeeded', { fileCount: 0, movedFileCount: 0 })), undefined);
  });
});
