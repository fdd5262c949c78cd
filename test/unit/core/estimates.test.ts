import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { Estimates } from '../../../src/core/monitor/estimates.ts';
import { TransferStore } from '../../../src/core/store/transferStore.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { moving, succeeded } from './movingTransfers.ts';

const minute = 60_000;

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

  it('is what the latest ten tell, in whatever order they came', () => {
    for (const minutes of [31, 25, 20, 28, 21, 30, 22, 27, 24, 29, 23, 26])
      store.put([succeeded(`${minutes}`, minutes)]);
    const estimate = estimates.of(moving([]));
    assert.ok(estimate?.kind === 'range');
    assert.deepEqual([estimate.lowMs, estimate.highMs], [22 * minute, 31 * minute]);
  });

  it('counts each transfer once, and no more once that one is forgotten', () => {
    store.put([succeeded('before', 10), succeeded('other', 10)]);
    assert.equal(countFor(moving([])), 2);
    store.remove(['other', 'unknown']);
    assert.equal(countFor(moving([])), 1);
  });

  it('has the history read again when it is wanted again', async () => {
    store.setHasEarlier(true);
    for (const wanted of [1, 2]) {
      estimates.of(moving([]));
      await clock.pass(10_000);
      assert.equal(loads, wanted);
    }
  });

  it('neither learns nor reads after its end', () => {
    store.setHasEarlier(true);
    estimates.of(moving([]));
    estimates.dispose();
    assert.equal(clock.waitingCount, 0);
    store.put([succeeded('late', 10)]);
    assert.equal(
      countFor(
        moving([
          [0, 0],
          [1, 2],
        ]),
      ) ?? 1,
      1,
    );
  });
});
