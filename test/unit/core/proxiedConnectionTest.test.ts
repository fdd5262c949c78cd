import assert from 'node:assert/strict';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { ConnectionTest } from '../../../src/core/connections/connectionTest.ts';
import { KeyWatch, OpenConnections } from '../../../src/core/connections/openConnections.ts';
import { plainNetwork } from '../../../src/core/model/networkSettings.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('Testing a connection through a proxy', () => {
  it('stops at an unknown host name of the proxy, and names the proxy', async () => {
    const proxy = 'http://no-such-proxy.invalid:8080';
    const keys = new KeyWatch(new OpenConnections(), systemClock);
    const settings = {
      log: new MemoryLog(),
      getNetworkSettings: () => ({ ...plainNetwork, proxies: { https: proxy } }),
    };
    const test = new ConnectionTest({
      keys,
      createClient: (observer) => Promise.resolve(new DataTransferClient({ ...settings, observer })),
    });
    const tested = { connection: { id: 'c', name: 'Tested', server: 'https://service.test' }, apiKey: 'the-key' };
    const steps = await test.run(tested, new AbortController().signal, () => undefined);
    keys.dispose();
    const { name, reason, facts } = steps.find(({ outcome }) => outcome === 'failed') ?? {};
    assert.deepEqual([name, reason?.kind, facts], ['name', 'proxy', { host: 'no-such-proxy.invalid', proxy }]);
  });
});
