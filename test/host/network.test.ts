import assert from 'node:assert/strict';
import { ConfigurationTarget, workspace } from 'vscode';
import type { Connection } from '../../src/core/model/connection.ts';
import { readNetworkSettings } from '../../src/extension/editor/connectionFacts.ts';
import { html, problem } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultProxy } from '../support/faultProxy.ts';
import { until } from '../unit/core/rig.ts';
import { Stage } from './stage.ts';

describe('The network in the editor', () => {
  let stage: Stage;
  const changed = new Set<string>();

  beforeEach(async () => {
    stage = await Stage.open();
    publicLike(stage.server, 'the-key');
  });
  afterEach(async () => {
    for (const key of changed)
      await workspace.getConfiguration('http').update(key, undefined, ConfigurationTarget.Global);
    changed.clear();
    await stage.close();
  });

  async function set(key: string, value: unknown): Promise<void> {
    changed.add(key);
    await workspace.getConfiguration('http').update(key, value, ConfigurationTarget.Global);
  }

  async function save(change: Partial<Connection>): Promise<Connection> {
    const connection = { id: 'saved', name: 'Saved Service', server: stage.server.address, ...change };
    await stage.parts.settings.saveConnection(connection);
    await stage.parts.apiKeys.set(connection, 'the-key');
    return connection;
  }

  it('is configured by the http.* settings', async () => {
    await set('proxy', 'http://me:pw@proxy.test:3128');
    await set('noProxy', ['inside.test']);
    await set('proxyStrictSSL', false);
    await set('proxyAuthorization', 'Basic abcd');
    assert.deepEqual(readNetworkSettings(), {
      proxies: { http: 'http://me:pw@proxy.test:3128', https: 'http://me:pw@proxy.test:3128' },
      noProxy: ['inside.test'],
      proxyAuthorization: 'Basic abcd',
      strictCertificates: false,
      systemCertificates: true,
    });
    await set('proxySupport', 'off');
    assert.deepEqual(readNetworkSettings().proxies, {});
  });

  it('connects through the configured proxy, with its password, to a service that only the proxy can reach', async () => {
    const proxy = await FaultProxy.start({ leadTo: stage.server.port });
    try {
      proxy.authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`;
      await set('proxy', `http://me:pw@${proxy.host}`);
      const connection = await save({ server: 'http://service.test', allowInsecureHttp: true });
      const done = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose(connection.name);
      await done;
      assert.equal(stage.parts.connectionStore.state.kind, 'connected');
      assert.equal(proxy.tunnels[0]?.target, 'service.test:80');
    } finally {
      stage.parts.connectFlow.disconnect();
      await proxy.stop();
    }
  });

  it("uses the editor's fetch for a connection that is configured to use it", async () => {
    const own = globalThis.fetch;
    const asked: string[] = [];
    globalThis.fetch = async (input, init) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return await own(input, init);
    };
    try {
      const connection = await save({ transport: 'editor' });
      assert.deepEqual(stage.parts.settings.connections, [connection]);
      const done = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose(connection.name);
      await done;
      assert.equal(stage.parts.connectionStore.state.kind, 'connected');
      assert.deepEqual(asked, [`${stage.server.address}/`, `${stage.server.address}/api/v1/databases`]);
    } finally {
      globalThis.fetch = own;
    }
  });

  it('ignores saved connections with properties of the wrong type', async () => {
    const good = { id: 'a', name: 'A', server: 'https://a.test' };
    const bad = [{ transport: 'pigeon' }, { allowInsecureHttp: 'yes' }, { scheme: 'x' }, { port: 'y' }];
    const all = [good, ...bad.map((part) => ({ ...good, ...part }))];
    await stage.settings.update('connections', all, ConfigurationTarget.Global);
    assert.deepEqual(stage.parts.settings.connections, [good]);
  });

  it('never sends a key that was entered for another address', async () => {
    const { apiKeys } = stage.parts;
    const connection = await save({});
    assert.equal(await apiKeys.get(connection), 'the-key');
    assert.equal(await apiKeys.get({ ...connection, server: `${connection.server}/sub/path` }), 'the-key');
    for (const change of [
      { server: 'https://evil.test' },
      { server: connection.server.replace('http:', 'https:') },
      { server: 'http://127.0.0.1', port: 1 },
      { server: 'not an address' },
    ]) {
      assert.equal(await apiKeys.get({ ...connection, ...change }), undefined, JSON.stringify(change));
    }
  });

  describe('Test Connection', () => {
    const test = async (
      connection?: Connection,
    ): Promise<{ message: string; detail: string; buttons: readonly string[] }> => {
      await stage.run('dataTransfer.testConnection', connection && { kind: 'connection', id: connection.id });
      return await stage.person.notice(/^(?:The connection to|Could not connect to .*\. Failed step:) /);
    };

    it('reports the findings of each step for a working connection', async () => {
      const notice = await test(await save({}));
      assert.equal(notice.message, 'The connection to Saved Service works.');
      assert.deepEqual(notice.detail.split('\n'), [
        'Address: OK',
        'Host name: OK (127.0.0.1 resolves to 127.0.0.1)',
        'Connection: OK',
        'Encryption: not applicable',
        'Service: OK (DTS prototype 0.12.1)',
        'API key: OK (3 databases)',
      ]);
    });

    const failures: readonly (readonly [
      what: string,
      change: Partial<Connection>,
      prepare: () => unknown,
      line: RegExp,
      advice: RegExp,
      button: string,
    ])[] = [
      [
        'an unencrypted address',
        { server: 'http://192.0.2.1' },
        () => undefined,
        /^Address: FAILED – the key would be sent/m,
        /allowInsecureHttp/,
        'Open Settings',
      ],
      [
        'an unknown host name',
        { server: 'https://no-such-service.invalid' },
        () => undefined,
        /^Host name: FAILED – no-such-service\.invalid can't be resolved \(E/m,
        /http\.proxy/,
        'Open Settings',
      ],
      [
        'a closed port',
        {},
        () => stage.server.stop(),
        /^Connection: FAILED – the service can't be reached \(ECONNREFUSED\)$/m,
        /http\.proxy.*"transport"/,
        'Open Settings',
      ],
      [
        'a wrong address',
        {},
        () => stage.server.on('GET /', html(200, 'x')),
        /^Service: FAILED – the server didn't respond like a data transfer service/m,
        /Check the address/,
        'Open Settings',
      ],
      [
        'a rejected key',
        {},
        () => stage.server.on('GET /api/v1/databases', problem(401, 'x')),
        /^API key: FAILED – the service rejected the sign-in: x$/m,
        /Try again in a few minutes/,
        'Set API Key…',
      ],
      [
        'an unreachable proxy',
        { server: 'https://service.test' },
        () => set('proxy', 'http://127.0.0.1:9'),
        /^Connection: FAILED – the proxy can't be used \(ECONNREFUSED\)$/m,
        /HTTPS_PROXY/,
        'Open Settings',
      ],
    ];
    for (const [what, change, prepare, line, advice, button] of failures) {
      it(`reports the failing step, the reason and a fix: ${what}`, async () => {
        const connection = await save(change);
        await prepare();
        const notice = await test(connection);
        assert.match(notice.message, /^Could not connect to Saved Service\. Failed step: /);
        assert.match(notice.detail, line);
        assert.match(notice.detail, advice);
        assert.deepEqual(notice.buttons, ['Test Again', button]);
      });
    }

    it('reports a missing key for the address', async () => {
      const connection = await save({});
      await stage.parts.apiKeys.forget(connection.id);
      const { detail, buttons } = await test(connection);
      assert.match(detail, /^API key: FAILED – no API key for this address$/m);
      assert.deepEqual(buttons, ['Test Again', 'Set API Key…']);
    });

    it('is offered when a connection attempt fails', async () => {
      const connection = await save({});
      await stage.server.stop();
      const done = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose(connection.name);
      await done;
      const notice = await stage.person.notice(/^Could not connect to Saved Service/);
      assert.deepEqual(notice.buttons, ['Test Connection', 'Show Log']);
      notice.press('Test Connection');
      assert.match((await stage.person.notice(/Failed step: /)).message, /Connection$/);
    });
  });

  it('reports once that a formerly accepted key is rejected, and offers Retry first (D28)', async () => {
    await stage.connect('the-key');
    const { keys, sessions } = stage.parts;
    const { id } = sessions.active?.connection ?? { id: '' };
    stage.server.on('GET /api/v1/databases', problem(401, 'x'));
    const refused = until(keys.onDidChange as never, () => keys.getStatus(id) === 'refused');
    const { now } = Date;
    try {
      keys.recordReply(id, { kind: 'unauthorized' });
      Date.now = () => now() + 300_000;
      for (let times = 0; times < 5; times++) keys.recordReply(id, { kind: 'unauthorized' });
    } finally {
      Date.now = now;
    }
    await refused;
    const notice = await stage.person.notice(/rejected the API key/);
    assert.equal(
      notice.message,
      "DTS prototype rejected the API key. Transfer status can't be checked without a valid key.",
    );
    assert.deepEqual(notice.buttons, ['Retry', 'Set API Key…']);
    notice.press('Retry');
    const again = await stage.person.notice(/^Could not refresh DTS prototype: the service rejected the sign-in: x$/);
    assert.deepEqual(again.buttons, ['Retry', 'Set API Key…', 'Show Log']);
    publicLike(stage.server, 'the-key');
    const good = until(keys.onDidChange as never, () => keys.getStatus(id) === 'good');
    again.press('Retry');
    await good;
    assert.equal(stage.person.notices.filter(({ message }) => message.includes('rejected the API key')).length, 1);
  });
});
