import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import {
  shouldPoll,
  getPollIntervalMs,
  getRetryWaitMs,
  getIntervalStretch,
  getWatchedIntervalMs,
} from '../../../src/core/transfers/pollQueue.ts';
import { running } from './specimens.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

describe('The polling interval of a running transfer (D33)', () => {
  const pace = { minIntervalMs: second, hasFocus: true };
  const movedAt = (at: number): Partial<Transfer> => ({ movement: [{ at, moved: 1 }] });
  const rows: readonly [string, number, Partial<typeof pace>, Partial<Transfer>, number][] = [
    ['at least a second', 2 * second, {}, {}, second],
    ['a tenth of its age', 100 * second, {}, {}, 10 * second],
    [
      'a tenth of the time since it was accepted, however long that took',
      300 * second,
      {},
      {
        changes: [
          { state: 'submitting', at: 0 },
          { state: 'accepted', at: 200 * second },
        ],
      },
      10 * second,
    ],
    ['at most a minute', 30 * minute, {}, {}, minute],
    ['the setting if that is longer', 2 * second, { minIntervalMs: 5 * second }, {}, 5 * second],
    ['the setting even if that is longer than a minute', 30 * minute, { minIntervalMs: 2 * minute }, {}, 2 * minute],
    ['twice as long without the focus', 100 * second, { hasFocus: false }, {}, 20 * second],
    ['at most every two minutes without the focus', 30 * minute, { hasFocus: false }, {}, 2 * minute],
    ['every five minutes when nothing has moved for an hour', hour, {}, {}, 5 * minute],
    ['every five minutes, however long nothing has moved', 30 * hour, {}, {}, 5 * minute],
    ['every five minutes when nothing has moved, even without the focus', hour, { hasFocus: false }, {}, 5 * minute],
    ['the setting when nothing has moved, if that is longer', hour, { minIntervalMs: hour }, {}, hour],
    ['as before when it moved within the hour', 2 * hour, {}, movedAt(2 * hour - minute), minute],
    [
      'as before when its state changed within the hour',
      2 * hour,
      {},
      { changes: [{ state: 'active', at: 1.5 * hour }] },
      minute,
    ],
    ['every ten minutes when a cancel is ignored (D13)', minute, {}, { cancelUnheeded: true }, 10 * minute],
    [
      'at the usual interval while an unknown status is recent (D10)',
      100 * second,
      {},
      { state: 'running' },
      10 * second,
    ],
    ['every five minutes after an hour of an unknown status (D10)', hour, {}, { state: 'running' }, 5 * minute],
    ['every half hour after six hours of an unknown status (D10)', 6 * hour, {}, { state: 'running' }, 30 * minute],
    ['every hour after two days of an unknown status (D10)', 48 * hour, {}, { state: 'running' }, hour],
  ];
  for (const [what, age, change, transfer, expected] of rows) {
    it(what, () => {
      assert.equal(getPollIntervalMs({ ...running, ...transfer }, age, { ...pace, ...change }), expected);
    });
  }

  it('on a page in view is ten seconds, and one second for the local service, until a poll saves a long list', () => {
    const get = (isLocal: boolean, fileCount: number): number | undefined => {
      const files = Array.from({ length: fileCount }, (_, index) => ({ id: `${index}`, name: 'a' }));
      const transfer = { ...running, order: { ...running.order, files } };
      return getWatchedIntervalMs(transfer, minute, { isLocal, minIntervalMs: 0 });
    };
    assert.deepEqual(
      [get(false, 1), get(true, 1), get(true, 5_000), get(true, 50_000)],
      [10 * second, second, second, 10 * second],
    );
  });

  it("doesn't exist without an id or after the end", () => {
    const { id, ...submitting } = running;
    assert.ok(id);
    assert.deepEqual([running, submitting, { ...running, state: 'expired' as const }].map(shouldPoll), [
      true,
      false,
      false,
    ]);
  });

  it("stretches equally for all transfers if five requests a second aren't enough", () => {
    const places = (count: number, intervalMs: number): { intervalMs: number }[] =>
      Array.from({ length: count }, () => ({ intervalMs }));
    assert.equal(getIntervalStretch(places(10, minute), 50), 1);
    assert.equal(Math.round(getIntervalStretch(places(600, minute), 50) * 1e6) / 1e6, 2);
    assert.equal(
      Math.round(getIntervalStretch(places(600, minute), 400) * 1e6) / 1e6,
      4,
      'or where the server takes longer',
    );
  });

  it('after failures starts at two seconds and doubles up to five minutes, each a quarter more or less', () => {
    assert.deepEqual(
      [1, 2, 3, 20].map((failures) => getRetryWaitMs(failures, 0.5)),
      [2 * second, 4 * second, 8 * second, 5 * minute],
    );
    assert.deepEqual([getRetryWaitMs(1, 0), getRetryWaitMs(1, 1)], [1500, 2500]);
  });
});
