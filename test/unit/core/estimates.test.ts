import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { Estimates } from '../../../src/core/transfers/estimates.ts';
import { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { createActive, createSucceeded } from './movingTransfers.ts';

const minute = 60_000;

describe('Estimates from earlier transfers', () => {
  let store: TransferStore;
  let estimates: Estimates;
  let clock: ManualClock;
  let loads: number;
  beforeEach(() => {
    store = new TransferStore();
    store.put([createSucceeded('before', 10)]);
    clock = new ManualClock(0);
    loads = 0;
    const loadFinished = (): void => void (loads += 1);
    estimates = new Estimates({ store, clock, loadFinished });
  });
  afterEach(() => estimates.dispose());

  const countFor = (transfer: Transfer): number | undefined => {
    const estimate = estimates.getEstimate(transfer);
    return estimate?.kind === 'range' ? estimate.count : undefined;
  };
  const to = (destination: string): Partial<Transfer> => ({ order: { ...createActive([]).order, destination } });

  it('use transfers between the same databases only', () => {
    store.put([
      createSucceeded('one', 12),
      createSucceeded('elsewhere', 12, to('C')),
      createSucceeded('failed', 12, { state: 'failed' }),
    ]);
    assert.equal(countFor(createActive([])), 2);
    assert.equal(countFor(createActive([], to('C'))), 1);
    assert.equal(countFor(createActive([], to('D'))), undefined);
  });

  it('ignore transfers that were started elsewhere, whose databases and start are unknown', () => {
    const elsewhere = { ...to(''), startedElsewhere: true } as const;
    store.put([createSucceeded('tracked', 12, elsewhere)]);
    assert.equal(countFor(createActive([], elsewhere)), undefined);
    store.put([createSucceeded('own', 12, to(''))]);
    assert.equal(countFor(createActive([], elsewhere)), undefined);
    assert.equal(countFor(createActive([], to(''))), 1);
  });

  it('load the history once, some time after it is needed, if nothing has moved yet', async () => {
    estimates.getEstimate(createActive([]));
    await clock.pass(60_000);
    assert.equal(loads, 0, 'there is no history');
    store.setHasEarlier(true);
    estimates.getEstimate(
      createActive([
        [0, 0],
        [1, 4],
      ]),
    );
    estimates.getEstimate(createActive([], { state: 'failed' }));
    await clock.pass(60_000);
    assert.equal(loads, 0, 'what has moved, or has ended, needs none');
    estimates.getEstimate(createActive([]));
    estimates.getEstimate(createActive([]));
    assert.equal(loads, 0, 'the start is not delayed');
    await clock.pass(10_000);
    assert.equal(loads, 1);
  });

  it('forget removed transfers, and use at most ten', () => {
    store.put([...Array(30).keys()].map((index) => createSucceeded(`t${index}`, 20 + index)));
    assert.equal(countFor(createActive([])), 10);
    store.remove(store.getAll().map(({ key }) => key));
    assert.equal(countFor(createActive([])), undefined);
  });

  it('use the latest ten transfers, in whatever order they were stored', () => {
    for (const minutes of [31, 25, 20, 28, 21, 30, 22, 27, 24, 29, 23, 26])
      store.put([createSucceeded(`${minutes}`, minutes)]);
    const estimate = estimates.getEstimate(createActive([]));
    assert.ok(estimate?.kind === 'range');
    assert.deepEqual([estimate.lowMs, estimate.highMs], [22 * minute, 31 * minute]);
  });

  it('count each transfer once, and not after it was removed', () => {
    store.put([createSucceeded('before', 10), createSucceeded('other', 10)]);
    assert.equal(countFor(createActive([])), 2);
    store.remove(['other', 'unknown']);
    assert.equal(countFor(createActive([])), 1);
  });

  it('load the history again when it is needed again', async () => {
    store.setHasEarlier(true);
    for (const expected of [1, 2]) {
      estimates.getEstimate(createActive([]));
      await clock.pass(10_000);
      assert.equal(loads, expected);
    }
  });

  it('neither learn nor load after they are disposed', () => {
    store.setHasEarlier(true);
    estimates.getEstimate(createActive([]));
    estimates.dispose();
    assert.equal(clock.waitingCount, 0);
    store.put([createSucceeded('late', 10)]);
    assert.equal(
      countFor(
        createActive([
          [0, 0],
          [1, 2],
        ]),
      ) ?? 1,
      1,
    );
  });
});
