import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { Gate } from '../../support/gate.ts';
import { Rig, until } from './rig.ts';

describe('Several connections', () => {
  let rig: Rig;
  let other: FaultServer;
  beforeEach(async () => {
    rig = await Rig.start();
    other = await FaultServer.start();
    publicLike(other, 'its-key');
  });
  afterEach(async () => {
    await rig.end();
    await other.stop();
  });

  const second = (): { id: string; name: string; server: string } => ({ id: 'd', name: 'D', server: other.address });

  it('are open at the same time, and the last opened one is active', async () => {
    await rig.connect();
    await rig.explorer.connectFlow.open(second(), 'its-key');
    const { sessions, connectionStore } = rig.explorer;
    assert.equal(sessions.active?.connection.id, 'd');
    assert.equal(connectionStore.shown?.id, 'd');
    assert.ok(sessions.get('c'));
  });

  /** Resolves to the ID of the next connection that is saved as active. Holds the save operation at the gate. */
  function remembering(gate: Gate): Promise<string> {
    gate.hold();
    return new Promise((resolve) => {
      rig.remember = async (id) => {
        resolve(id);
        await gate.pass();
      };
    });
  }

  for (const way of ['open', 'reopen', 'openInBackground'] as const)
    it(`are saved before they are shown as connected: ${way} (D45)`, async () => {
      const { connectFlow, connectionStore } = rig.explorer;
      connectFlow.showFailure(rig.connection, { kind: 'unreachable' });
      const gate = new Gate();
      const remembered = remembering(gate);
      const opened = connectFlow[way](rig.connection, 'the-key');
      assert.equal(await remembered, 'c');
      assert.notEqual(connectionStore.state.kind, 'connected');
      gate.release();
      await opened;
      assert.equal(connectionStore.state.kind, 'connected');
    });

  it('are not shown if the user disconnected while they were being saved (D45)', async () => {
    const { connectFlow, connectionStore, sessions } = rig.explorer;
    const gate = new Gate();
    const remembered = remembering(gate);
    const opened = connectFlow.open(rig.connection, 'the-key');
    await remembered;
    connectFlow.disconnect();
    gate.release();
    assert.deepEqual(await opened, { reason: { kind: 'cancelled' } });
    assert.equal(connectionStore.state.kind, 'disconnected');
    assert.deepEqual(sessions.getAll(), []);
  });

  it('include no active one while the selected one does not open', async () => {
    await rig.connect();
    await rig.explorer.connectFlow.open(second(), 'wrong');
    const { sessions, connectionStore } = rig.explorer;
    assert.equal(connectionStore.state.kind, 'failed');
    assert.equal(sessions.active, undefined);
    assert.ok(sessions.get('c'), 'its transfers are watched on');
  });

  it('poll the transfers of the one that is not active', async () => {
    rig.server.on('POST /api/v1/transfers', json({ id: '11111111-1111-4111-8111-111111111111' }));
    rig.server.on('GET /api/v1/transfers/*', json({ status: 'active', num_files: 1, num_files_transferred: 1 }));
    await rig.connect();
    await rig.explorer.connectFlow.open(second(), 'its-key');
    await rig.explorer.transferFlow.submit(rig.order);
    const { transferStore } = rig.explorer;
    await until(transferStore.onDidChange, () => transferStore.getAll()[0]?.state === 'active');
    assert.equal(transferStore.getAll()[0]?.status?.movedFileCount, 1);
  });

  it('close only the shown one when the user disconnects', async () => {
    await rig.connect();
    await rig.explorer.connectFlow.open(second(), 'its-key');
    rig.explorer.connectFlow.disconnect();
    const { sessions, connectionStore } = rig.explorer;
    assert.equal(connectionStore.state.kind, 'disconnected');
    assert.equal(sessions.get('d'), undefined);
    assert.ok(sessions.get('c'));
  });

  describe('of which one is opened in the background', () => {
    it('retries with growing delays while its service fails', async () => {
      other.on('GET /', problem(500, 'no'));
      const reasons = new Set<string>();
      const onRetry = ({ kind }: Reason): unknown => reasons.add(kind);
      const opened = rig.explorer.connectFlow.openInBackground(second(), 'its-key', onRetry);
      const triesWithin = async (minutes: number): Promise<number> => {
        const before = other.requests.length;
        for (let passed = 0; passed < 60 * minutes; passed += 1) {
          await rig.clock.pass(1000);
          await new Promise(setImmediate);
        }
        return other.requests.length - before;
      };
      const [early, late] = [await triesWithin(10), await triesWithin(10)];
      assert.ok(early > late && late > 0, `${early} and then ${late} requests`);
      assert.deepEqual([...reasons], ['serverError']);
      assert.equal(rig.explorer.connectionStore.state.kind, 'disconnected', 'nothing of it is shown');
      rig.explorer.connectFlow.close('d');
      await opened;
      // Requests that were pending then may still arrive.
      await triesWithin(1);
      assert.equal(await triesWithin(10), 0, 'and not at all once it is closed');
    });

    it('opens when the service is back, even if it is shown as failed', async () => {
      other.on('GET /', problem(500, 'not yet'));
      const { connectFlow, connectionStore, sessions } = rig.explorer;
      await rig.advanceUntilSettled(connectFlow.open(second(), 'its-key'));
      assert.equal(connectionStore.state.kind, 'failed');
      const opened = connectFlow.openInBackground(second(), 'its-key');
      publicLike(other, 'its-key');
      await rig.advanceUntilSettled(opened);
      assert.equal(connectionStore.state.kind, 'connected');
      assert.equal(sessions.active?.connection.id, 'd');
    });

    it('does not retry after its key was refused', async () => {
      await rig.explorer.connectFlow.open(second(), 'its-key');
      rig.explorer.connectFlow.disconnect();
      other.on('GET /api/v1/databases', problem(403, 'no'));
      await rig.explorer.connectFlow.openInBackground(second(), 'its-key');
      assert.equal(rig.explorer.sessions.get('d'), undefined);
    });

    it('stops when the user opens the connection meanwhile', async () => {
      other.on('GET /', problem(500, 'not yet'));
      const { connectFlow, sessions } = rig.explorer;
      const beside = connectFlow.openInBackground(second(), 'its-key');
      publicLike(other, 'its-key');
      await rig.advanceUntilSettled(connectFlow.open(second(), 'its-key'));
      const { active } = sessions;
      await rig.advanceUntilSettled(beside);
      assert.equal(sessions.active, active);
    });
  });

  it('distinguish a stopped service from a failed one', async () => {
    await rig.connect();
    rig.explorer.connectFlow.showStopped(rig.connection);
    const { connectionStore, sessions } = rig.explorer;
    assert.deepEqual(connectionStore.state, { kind: 'stopped', connection: rig.connection });
    assert.equal(sessions.active, undefined);
  });

  it('check a key without opening a connection', async () => {
    const { connectFlow, sessions } = rig.explorer;
    assert.equal(await connectFlow.checkKey(second(), 'its-key'), undefined);
    assert.ok(await connectFlow.checkKey(second(), 'another-key'));
    assert.deepEqual(sessions.getAll(), []);
  });

  it('list the databases of an open connection, and none of another', async () => {
    await rig.connect();
    const { connectFlow, connectionStore } = rig.explorer;
    assert.deepEqual(await connectFlow.listDatabases('c'), connectionStore.listing.databases);
    assert.deepEqual(await connectFlow.listDatabases('d'), []);
  });
});
