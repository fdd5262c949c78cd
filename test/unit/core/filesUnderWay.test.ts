import assert from 'node:assert/strict';
import { findFilesUnderWay } from '../../../src/core/model/transferOutcome.ts';
import type { Transfer, TransferOrder, TransferState } from '../../../src/core/model/transferModel.ts';

const order = (ids: readonly string[], more: Partial<TransferOrder> = {}): TransferOrder => ({
  connectionId: 'c',
  orcid: 'o',
  source: 'Alpha',
  destination: 'Beta',
  files: ids.map((id) => ({ id, name: id })),
  ...more,
});
const transfer = (key: string, state: TransferState, given: TransferOrder): Transfer => ({
  key,
  order: given,
  createdAt: 0,
  state,
  changes: [],
});

const service = new Set(['c']);

describe('Files that are being transferred', () => {
  const states: Readonly<Record<TransferState, boolean>> = {
    submitting: true,
    notConfirmed: true,
    accepted: true,
    staging: true,
    active: true,
    finalizing: true,
    inactive: true,
    unknown: true,
    running: true,
    refused: false,
    succeeded: false,
    failed: false,
    cancelled: false,
    expired: false,
  };
  for (const [state, counts] of Object.entries(states)) {
    it(`${counts ? 'include' : "don't include"} those of a transfer that is ${state}`, () => {
      const moving = transfer('t', state as TransferState, order(['1', '2']));
      const { count, transfers } = findFilesUnderWay([moving], [order(['2', '3'])], service);
      assert.deepEqual([count, transfers.length], counts ? [1, 1] : [0, 0]);
    });
  }

  for (const [what, more] of Object.entries({
    destination: { destination: 'Gamma' },
    source: { source: 'Gamma' },
    service: { connectionId: 'd' },
  })) {
    it(`don't include those for another ${what}`, () => {
      const moving = transfer('t', 'active', order(['1'], more));
      assert.equal(findFilesUnderWay([moving], [order(['1'])], service).count, 0);
    });
  }

  it('are counted once for any number of transfers, across all orders', () => {
    const moving = ['t', 'u'].map((key) => transfer(key, 'active', order(['1', '2'])));
    const orders = [order(['1']), order(['1'], { source: 'Gamma' })];
    const { count, transfers } = findFilesUnderWay(moving, orders, service);
    assert.deepEqual([count, transfers.map(({ key }) => key)], [1, ['t', 'u']]);
  });

  it('are counted separately if a confirmed transfer includes them', () => {
    const moving = [transfer('t', 'notConfirmed', order(['1', '2'])), transfer('u', 'active', order(['2']))];
    const { count, confirmedCount } = findFilesUnderWay(moving, [order(['1', '2', '3'])], service);
    assert.deepEqual([count, confirmedCount], [2, 1]);
  });

  it('include those of another connection to the same address', () => {
    const moving = { ...transfer('t', 'active', order(['1'], { connectionId: 'd' })), addressId: 'a' };
    const count = (ids: readonly string[]): number => findFilesUnderWay([moving], [order(['1'])], new Set(ids)).count;
    assert.deepEqual([count(['c', 'a']), count(['c', 'b']), count(['c', 'd'])], [1, 0, 1]);
  });
});
