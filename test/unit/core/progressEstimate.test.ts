import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { Estimates } from '../../../src/core/monitor/estimates.ts';
import { estimateOf, paceOf } from '../../../src/core/monitor/progressEstimate.ts';
import { TransferStore } from '../../../src/core/store/transferStore.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { property } from '../../support/property.ts';

const [second, minute] = [1000, 60_000];

/** A transfer of 100 files that has been active from the first minute on, and moved so many at these minutes. */
function moving(
  moved: readonly (readonly [atMinute: number, moved: number])[],
  more: Partial<Transfer> = {},
): Transfer {
  const movement = moved.map(([at, count]) => ({ at: at * minute, moved: count }));
  const askedAt = movement.at(-1)?.at ?? 0;
  const files = [...Array(100).keys()].map((index) => ({ id: `f${index}`, name: `f${index}` }));
  return {
    key: 'k',
    id: 'id',
    order: { connectionId: 'c', orcid: 'o', source: 'A', destination: 'B', files },
    createdAt: 0,
    state: 'active',
    changes: [{ state: 'active', at: minute }],
    movement,
    askedAt,
    status: { status: 'active', fileCount: 100, movedFileCount: movement.at(-1)?.moved ?? 0 },
    ...more,
  };
}

/** One that has taken so many minutes for 100 files. */
function succeeded(key: string, minutes: number, more: Partial<Transfer> = {}): Transfer {
  return moving([], { key, state: 'succeeded', changes: [{ state: 'succeeded', at: minutes * minute }], ...more });
}

describe('The estimate of a transfer', () => {
  it('is drawn from the files that it moved', () => {
    const steady = moving([
      [1, 0],
      [2, 20],
      [3, 40],
    ]);
    assert.deepEqual(estimateOf(steady, [], 3 * minute), {
      kind: 'range',
      lowMs: 3 * minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('is a range between the pace of late and the pace of all', () => {
    const slower = moving([
      [1, 0],
      [2, 40],
      [6, 60],
    ]);
    const estimate = estimateOf(slower, [], 6 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.equal(Math.round(estimate.lowMs / second), 200, 'as over the whole time');
    assert.equal(estimate.highMs, 8 * minute, 'as lately');
  });

  it('grows while nothing comes, and does not count staging as slow moving', () => {
    const transfer = moving(
      [
        [0, 0],
        [31, 50],
      ],
      { changes: [{ state: 'active', at: 30 * minute }] },
    );
    assert.deepEqual(estimateOf(transfer, [], 33 * minute), {
      kind: 'range',
      lowMs: minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('is drawn from earlier transfers until files move, staging and all', () => {
    const staging = moving([[0, 0]], { state: 'staging' });
    const paces = [succeeded('one', 10), succeeded('two', 20)].map(paceOf).filter((pace) => pace !== undefined);
    const estimate = estimateOf(staging, paces, 5 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.deepEqual(
      [estimate.lowMs, estimate.highMs, estimate.basis, estimate.count],
      [5 * minute, 15 * minute, 'earlier', 2],
    );
  });

  it('says no more of earlier transfers once it has taken longer than they would have', () => {
    assert.equal(estimateOf(moving([[0, 0]]), [100 / (10 * minute)], 11 * minute), undefined);
  });

  it('says for how long nothing has moved, as far as the server was asked', () => {
    const stalled = moving(
      [
        [1, 0],
        [2, 20],
      ],
      { askedAt: 42 * minute },
    );
    assert.deepEqual(estimateOf(stalled, [], 50 * minute), { kind: 'stalled', sinceMs: 40 * minute });
  });

  it('does not call a pause a standstill that is no longer than those before', () => {
    const slow = moving(
      [
        [1, 0],
        [2, 20],
        [62, 40],
      ],
      { askedAt: 92 * minute },
    );
    assert.equal(estimateOf(slow, [], 92 * minute)?.kind, 'range');
  });

  const silent: readonly (readonly [string, Partial<Transfer>])[] = [
    ['it has ended', { state: 'succeeded' }],
    ['the server cannot be asked', { problem: { kind: 'unreachable' } }],
    ['the answer may be another transfer’s (D11)', { status: { doubtful: true } }],
    ['it is being cancelled', { cancelAcceptedAt: 1 }],
    ['it is suspended', { state: 'inactive' }],
    ['all files have moved', { status: { fileCount: 40, movedFileCount: 40 } }],
    ['no file was ever counted', { movement: [] }],
  ];
  for (const [what, more] of silent) {
    it(`is not made when ${what}`, () => {
      const steady = moving(
        [
          [1, 0],
          [2, 40],
        ],
        more,
      );
      assert.equal(estimateOf(steady, [], 2 * minute), undefined);
    });
  }

  const counts = fc.array(fc.tuple(fc.nat(200), fc.nat(120)), { maxLength: 130 });
  const paces = fc.array(fc.double({ min: 1e-9, max: 10, noNaN: true }), { maxLength: 10 });
  property(
    'is a range that makes sense, a standstill, or nothing, whatever the server counts',
    fc.tuple(counts, paces, fc.nat(100_000_000)),
    ([moved, earlier, now]) => {
      const sorted = moved.toSorted(([one], [other]) => one - other);
      const estimate = estimateOf(moving(sorted), earlier, now);
      if (estimate?.kind === 'range')
        assert.ok(estimate.lowMs >= 0 && estimate.highMs >= estimate.lowMs && Number.isFinite(estimate.highMs));
      if (estimate?.kind === 'stalled') assert.ok(estimate.sinceMs >= 10 * minute);
    },
  );
});

describe('What earlier transfers tell', () => {
  let store: TransferStore;
  let estimates: Estimates;
  let clock: ManualClock;
  let loads: number;
  beforeEach(() => {
    store = new TransferStore();
    store.put([succeeded('before', 10)]);
    clock = new ManualClock(0);
    loads = 0;
    const loadFinished = (): void => void (loads += 1);
    estimates = new Estimates({ store, clock, loadFinished });
  });
  afterEach(() => estimates.dispose());

  const countFor = (transfer: Transfer): number | undefined => {
    const estimate = estimates.of(transfer);
    return estimate?.kind === 'range' ? estimate.count : undefined;
  };
  const to = (destination: string): Partial<Transfer> => ({ order: { ...moving([]).order, destination } });

  it('counts for transfers between the same databases only', () => {
    store.put([
      succeeded('one', 12),
      succeeded('elsewhere', 12, to('C')),
      succeeded('failed', 12, { state: 'failed' }),
    ]);
    assert.equal(countFor(moving([])), 2);
    assert.equal(countFor(moving([], to('C'))), 1);
    assert.equal(countFor(moving([], to('D'))), undefined);
  });

  it('has the history read once, a while after it is wanted, where nothing has moved yet', async () => {
    estimates.of(moving([]));
    await clock.pass(60_000);
    assert.equal(loads, 0, 'there is no history');
    store.setHasEarlier(true);
    estimates.of(
      moving([
        [0, 0],
        [1, 4],
      ]),
    );
    estimates.of(moving([], { state: 'failed' }));
    await clock.pass(60_000);
    assert.equal(loads, 0, 'what has moved, or has ended, needs none');
    estimates.of(moving([]));
    estimates.of(moving([]));
    assert.equal(loads, 0, 'a start is not held up');
    await clock.pass(10_000);
    assert.equal(loads, 1);
  });

  it('is forgotten with the history, and goes back no further than ten transfers', () => {
    store.put([...Array(30).keys()].map((index) => succeeded(`t${index}`, 20 + index)));
    assert.equal(countFor(moving([])), 10);
    store.remove(store.all().map(({ key }) => key));
    assert.equal(countFor(moving([])), undefined);
  });
});
