import assert from 'node:assert/strict';
import type { TransferStore } from '../../../src/core/store/transferStore.ts';
import { json, silence } from '../../support/faultBehaviours.ts';
import { AgentStage } from './agentStage.ts';

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
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
});
