import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import { Emitter } from '../../../src/core/util/lifetime.ts';
import { WatchedPanel } from '../../../src/extension/features/transfers/watchedPanel.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { running } from '../core/specimens.ts';

describe('The transfer of an open page (D33)', () => {
  const viewState = new Emitter<never>();
  let clock: ManualClock;
  let transfers: TransferStore;
  let panel: { active: boolean; readonly onDidChangeViewState: typeof viewState.event };
  let hasFocus: boolean;
  let polling: WatchedPanel;
  let polls: number[];

  /** Polls as the monitor does, which stores each response. */
  const poll = (key: string): void => {
    polls.push(clock.now());
    transfers.put([{ ...(transfers.get(key) ?? running), askedAt: clock.now() }]);
  };

  const putTransfer = (connectionId: string, more: Partial<Transfer> = {}): void => {
    const order = { ...running.order, connectionId };
    transfers.put([{ ...running, order, createdAt: clock.now(), changes: [], ...more }]);
  };

  beforeEach(() => {
    clock = new ManualClock();
    transfers = new TransferStore();
    panel = { active: true, onDidChangeViewState: viewState.event };
    [hasFocus, polls] = [true, []];
    putTransfer('local@machine');
  });
  afterEach(() => polling.dispose());

  const open = (): void => {
    const window = {
      get state() {
        return { focused: hasFocus };
      },
    };
    const services = { transfers, clock, window, settings: { shortestIntervalMs: 1_000 }, monitor: { pollNow: poll } };
    type Parameters = ConstructorParameters<typeof WatchedPanel>;
    polling = new WatchedPanel(services as unknown as Parameters[0], panel as unknown as Parameters[1], running.key);
  };

  it('is polled every second by a local service, only while the user is looking at it', async () => {
    open();
    await clock.pass(3_000);
    assert.equal(polls.length, 3);
    hasFocus = false;
    await clock.pass(3_000);
    assert.equal(polls.length, 3);
    hasFocus = true;
    await clock.pass(1_000);
    assert.equal(polls.length, 4);
    panel.active = false;
    viewState.fire(undefined as never);
    await clock.pass(3_000);
    assert.equal(polls.length, 4);
    polling.dispose();
  });

  it('is polled every ten seconds by another service', async () => {
    putTransfer('c');
    open();
    await clock.pass(30_000);
    assert.equal(polls.length, 3);
  });

  it('is not polled more often than others after a failure, and after its end', async () => {
    open();
    putTransfer('local@machine', { problem: { kind: 'unreachable' } });
    await clock.pass(5_000);
    putTransfer('local@machine', { state: 'succeeded' });
    await clock.pass(5_000);
    assert.deepEqual(polls, []);
  });
});
