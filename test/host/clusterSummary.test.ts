import assert from 'node:assert/strict';
import { createSummary } from '../../src/extension/words/summaryWords.ts';
import { transfer } from './specimens.ts';

describe('The summary of transfers', () => {
  const orders = ['one', 'two'].map((id) => transfer(id, {}, { files: [{ id, name: id }] }).order);
  const place = { tasks: 8, partition: 'xfer' };

  for (const [count, line] of [
    [2, 'Runs on: cluster, partition xfer, up to 8 tasks at a time'],
    [1, 'Runs on: cluster, partition xfer, up to 8 tasks at a time (1 of 2 transfers)'],
    [0, undefined],
  ] as const)
    it(`says where they run if ${count} of 2 run on a cluster`, () => {
      const { lines } = createSummary(orders, {
        getStaging: () => undefined,
        getCluster: (order) => (orders.indexOf(order) < count ? place : undefined),
        freeBytes: undefined,
      });
      assert.equal(
        lines.find((one) => one.startsWith('Runs on')),
        line,
      );
    });
});
