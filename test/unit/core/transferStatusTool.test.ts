import assert from 'node:assert/strict';
import type { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { orcid } from '../../support/explorerDependencies.ts';
import { json, silence } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const elsewhere = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';
const active = { id, status: 'active', message: 'moving', num_files: 1, num_files_transferred: 0 };

/** Counts the listeners that are added to the transfers of a window from now on. */
function countListeners(store: TransferStore): { added: number; remaining: number } {
  const { onDidChange } = store;
  const count = { added: 0, remaining: 0 };
  const subscribe: typeof onDidChange = (listener) => {
    const subscription = onDidChange(listener);
    count.added += 1;
    count.remaining += 1;
    return {
      dispose: () => {
        subscription.dispose();
        count.remaining -= 1;
      },
    };
  };
  Object.assign(store, { onDidChange: subscribe });
  return count;
}

describe('The status of a transfer for agents', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    stage.rig.server.on(`GET /api/v1/transfers/${id}`, json(active));
    stage.decide = () => ({ kind: 'yes', by: 'test' });
    await stage.call('submit_transfer', { planId: await stage.plan(['f1']) });
  });
  afterEach(() => stage.end());

  for (const [name, answer] of [
    ['arrives', json(active)],
    ['does not arrive in time', silence()],
  ] as const) {
    it(`leaves no listener behind if a new one ${name}`, async () => {
      stage.rig.server.on(`GET /api/v1/transfers/${id}`, answer);
      const listeners = countListeners(stage.rig.explorer.transferStore);
      const { content } = await stage.call('transfer_status', { id });
      assert.equal(content['transferId'], id);
      assert.deepEqual(listeners, { added: 1, remaining: 0 });
    });
  }

  describe('that was started elsewhere', () => {
    const answer = (change: object): void => {
      stage.rig.server.on(`GET /api/v1/transfers/${elsewhere}`, json({ ...active, id: elsewhere, ...change }));
    };

    it('is what the service reports, and its times are unknown', async () => {
      answer({ status: 'succeeded', num_files_transferred: 1 });
      const { content } = await stage.call('transfer_status', { id: elsewhere });
      assert.partialDeepStrictEqual(content, {
        state: 'succeeded',
        files: 1,
        transferredFiles: 1,
        startedAt: 'unknown',
        endedAt: 'unknown',
      });
    });

    it('is not final, and has no counts, if the response may belong to another transfer (D11)', async () => {
      answer({ id, status: 'succeeded', num_files: 7, num_files_transferred: 7 });
      const { content } = await stage.call('transfer_status', { id: elsewhere });
      assert.partialDeepStrictEqual(content, { state: 'accepted', files: 'unknown', transferredFiles: 'unknown' });
    });

    it('has the time of its end, but not of its start, if it is tracked and ends later', async () => {
      const { explorer, clock } = stage.rig;
      const connectionId = explorer.sessions.active?.connection.id ?? '';
      answer({});
      await explorer.trackFlow.track(connectionId, orcid, elsewhere, { id: elsewhere, status: 'active' });
      answer({ status: 'succeeded', num_files_transferred: 1 });
      await clock.pass(60_000);
      const { content } = await stage.call('transfer_status', { id: elsewhere });
      const changes = explorer.transferStore.getAll().find((one) => one.id === elsewhere)?.changes ?? [];
      const endedAt = new Date(changes.at(-1)?.at ?? 0).toISOString();
      assert.partialDeepStrictEqual(content, { state: 'succeeded', startedAt: 'unknown', endedAt });
      const { data } = (await stage.call('transfer_status')).content;
      const { transfers } = data as { readonly transfers: readonly JsonObject[] };
      assert.equal(transfers.find(({ transferId }) => transferId === elsewhere)?.['startedAt'], 'unknown');
    });
  });
});
