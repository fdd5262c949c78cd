import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { isWatched, pollIntervalMs, retryWaitMs, stretchOf } from '../../../src/core/monitor/pollSchedule.ts';
import { running } from './specimens.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

describe('How often a running transfer is asked for (D33)', () => {
  const pace = { shortestMs: second, hasFocus: true };
  const movedAt = (at: number): Partial<Transfer> => ({ movement: [{ at, moved: 1 }] });
  const rows: readonly [string, number, Partial<typeof pace>, Partial<Transfer>, number][] = [
    ['at least a second', 2 * second, {}, {}, second],
    ['a tenth of its age', 100 * second, {}, {}, 10 * second],
    [
      'of its age since it was accepted, however long that took',
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
    ['the setting, where that is more', 2 * second, { shortestMs: 5 * second }, {}, 5 * second],
    ['the setting, also where that is more than a minute', 30 * minute, { shortestMs: 2 * minute }, {}, 2 * minute],
    ['half as often without the focus', 100 * second, { hasFocus: false }, {}, 20 * second],
    ['at most every two minutes without the focus', 30 * minute, { hasFocus: false }, {}, 2 * minute],
    ['every five minutes when nothing has moved for an hour', hour, {}, {}, 5 * minute],
    ['every five minutes, however long nothing has moved', 30 * hour, {}, {}, 5 * minute],
    ['every five minutes then, whoever looks', hour, { hasFocus: false }, {}, 5 * minute],
    ['the setting then, where that is more', hour, { shortestMs: hour }, {}, hour],
    ['as before when it moved within the hour', 2 * hour, {}, movedAt(2 * hour - minute), minute],
    [
      'as before when its state changed within the hour',
      2 * hour,
      {},
      { changes: [{ state: 'active', at: 1.5 * hour }] },
      minute,
    ],
    ['every ten minutes when a cancel is not heeded (D13)', minute, {}, { cancelUnheeded: true }, 10 * minute],
    ['as any other while a word that is not known is young (D10)', 100 * second, {}, { state: 'running' }, 10 * second],
    ['every five minutes after an hour of such a word (D10)', hour, {}, { state: 'running' }, 5 * minute],
    ['ever more slowly after that (D10)', 6 * hour, {}, { state: 'running' }, 30 * minute],
    ['every hour in the end (D10)', 48 * hour, {}, { state: 'running' }, hour],
  ];
  for (const [what, age, change, transfer, wanted] of rows) {
    it(what, () => {
      assert.equal(pollIntervalMs({ ...running, ...transfer }, age, { ...pace, ...change }), wanted);
    });
  }

  it('is never when it has no id or has ended', () => {
    const { id, ...submitting } = running;
    assert.ok(id);
    assert.deepEqual([running, submitting, { ...running, state: 'expired' as const }].map(isWatched), [
      true,
      false,
      false,
    ]);
  });

  it('stretches all intervals alike where five requests a second are not enough', () => {
    const places = (count: number, intervalMs: number): { intervalMs: number }[] =>
      Array.from({ length: count }, () => ({ intervalMs }));
    assert.equal(stretchOf(places(10, minute), 50), 1);
    assert.equal(Math.round(stretchOf(places(600, minute), 50) * 1e6) / 1e6, 2);
    assert.equal(Math.round(stretchOf(places(600, minute), 400) * 1e6) / 1e6, 4, 'or where the server takes longer');
  });

  it('waits after failures from two seconds, doubling to five minutes, each a quarter more or less', () => {
    assert.deepEqual(
      [1, 2, 3, 20].map((failures) => retryWaitMs(failures, 0.5)),
      [2 * second, 4 * second, 8 * second, 5 * minute],
    );
    assert.deepEqual([retryWaitMs(1, 0), retryWaitMs(1, 1)], [1500, 2500]);
  });
});
