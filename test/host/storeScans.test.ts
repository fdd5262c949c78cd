import assert from 'node:assert/strict';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import type { StoreListing } from '../../src/core/model/databaseModel.ts';
import { watchStoreScans } from '../../src/extension/features/connections/serveStore.ts';
import type { CommandServices } from '../../src/extension/features/services.ts';
import { ManualClock } from '../support/manualClock.ts';

describe('While a database is scanned, its connection lists the databases again (D62)', () => {
  for (const [service, hasFullPages, expected] of [
    ['a local service that someone started', true, ['listed again', 'listed again']],
    ['another service', undefined, []],
  ] as const)
    it(`if it is one to ${service}`, async () => {
      const connectionStore = new ConnectionStore();
      const clock = new ManualClock();
      const calls: string[] = [];
      const show = (state: StoreListing['state']): void => {
        const database = { id: 'a', name: 'Alpha', organization: '', url: 'rclone:lab:', listing: { state, files: 0 } };
        connectionStore.setListing({ databases: [database], isLoading: false });
      };
      const services = {
        connectionStore,
        sessions: { active: { connection: { id: 'saved' }, service: { hasFullPages } } },
        connectFlow: {
          refreshDatabases: () => {
            calls.push('listed again');
            show(calls.length === 1 ? 'scanning' : 'listed');
          },
        },
      } as unknown as CommandServices;
      const watch = watchStoreScans(services, clock);
      show('scanning');
      for (let times = 0; times < 3; times += 1) await clock.pass(2_000);
      watch.dispose();
      assert.deepEqual(calls, expected);
    });
});
