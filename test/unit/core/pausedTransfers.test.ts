import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import { getPauseChange, isPausedByUser, type Transfer } from '../../../src/core/model/transferModel.ts';
import { estimateRemaining } from '../../../src/core/transfers/estimates.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';
import { running } from './specimens.ts';

const hour = 3_600_000;
const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const status = { status: 'active', isPaused: false };
const paused: Transfer = { ...running, state: 'inactive', status: { ...status, isPaused: true } };

describe('A transfer that the user can pause (D70)', () => {
  it('can be paused while it runs, and resumed while it is paused', () => {
    const transfers: readonly Transfer[] = [{ ...running, status }, paused];
    assert.deepEqual(transfers.map(getPauseChange), ['pause', 'resume']);
    assert.deepEqual(transfers.map(isPausedByUser), [false, true]);
  });

  it('can be neither if the service is stopped, cancels it or cannot pause it, or once it has ended', () => {
    const { id: none, ...withoutId } = paused;
    assert.ok(none);
    const transfers: readonly Transfer[] = [
      running,
      withoutId,
      { ...paused, state: 'failed' },
      { ...paused, problem: { kind: 'serviceStopped' } },
      { ...paused, cancelAcceptedAt: 1 },
    ];
    assert.deepEqual(transfers.map(getPauseChange), Array(5).fill(undefined));
  });

  it('is not reported as stalled while it is paused', () => {
    const changes = [{ state: 'inactive', at: 0 }] as const;
    assert.equal(estimateRemaining({ ...paused, changes, askedAt: hour }, [], hour), undefined);
    const waiting: Transfer = { ...paused, changes, askedAt: hour, status: { status: 'inactive', isPaused: false } };
    assert.deepEqual(estimateRemaining(waiting, [], hour), { kind: 'stalled', sinceMs: hour });
  });

  describe('in a window', () => {
    let rig: Rig;
    beforeEach(async () => {
      rig = await Rig.start();
      rig.server.on('GET /', json({ name: localServiceName, version: '1.2.3' }));
      rig.server.on('POST /api/v1/transfers', json({ id }));
      rig.server.on(`GET /api/v1/transfers/${id}`, json({ id, ...status, paused: false }));
    });
    afterEach(() => rig.end());

    it('has the status that the service returns at once, also in its record', async () => {
      rig.server.on(`POST /transfers/${id}/pause`, json({ id, status: 'inactive', paused: true }));
      await rig.connect();
      const { transferFlow, transferStore } = rig.explorer;
      const { key } = await transferFlow.submit(rig.order);
      assert.equal(await transferFlow.changePause(key, 'pause'), undefined);
      const changed = transferStore.get(key);
      assert.deepEqual([changed?.state, changed?.status?.isPaused], ['inactive', true]);
      rig.restart();
      await rig.explorer.transferFlow.resume();
      assert.equal(rig.explorer.transferStore.get(key)?.status?.isPaused, true);
    });

    it('keeps its status if the service refuses or cannot be asked', async () => {
      rig.server.on(`POST /transfers/${id}/resume`, problem(409, 'It is not paused.'));
      await rig.connect();
      const { transferFlow, transferStore, sessions } = rig.explorer;
      const { key } = await transferFlow.submit(rig.order);
      const before = transferStore.get(key)?.state;
      assert.equal((await transferFlow.changePause(key, 'resume'))?.detail, 'It is not paused.');
      sessions.close('c');
      assert.deepEqual(await transferFlow.changePause(key, 'resume'), { kind: 'notConnected' });
      assert.equal(transferStore.get(key)?.state, before);
    });
  });
});
