import assert from 'node:assert/strict';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { ConnectionError } from '../../../src/core/client/reply.ts';
import { findProxy } from '../../../src/core/client/route.ts';
import { resolveNetworkSettings, plainNetwork } from '../../../src/core/model/networkSettings.ts';
import type { NetworkSettings } from '../../../src/core/model/networkSettings.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import { identity, trustTestAuthority } from '../../support/certificates.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { FaultProxy } from '../../support/faultProxy.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { testKey } from './clientBench.ts';

type EditorNetwork = Parameters<typeof resolveNetworkSettings>[0];

const editor: EditorNetwork = {
  proxy: '',
  noProxy: [],
  proxyAuthorization: '',
  proxySupport: 'override',
  proxyStrictSSL: true,
  systemCertificates: true,
};

function settings(change: Partial<EditorNetwork>, environment: Record<string, string> = {}): NetworkSettings {
  return resolveNetworkSettings({ ...editor, ...change }, environment);
}

describe('The proxy for a service', () => {
  const rows: readonly (readonly [
    what: string,
    change: Partial<EditorNetwork>,
    environment: Record<string, string>,
    address: string,
    proxy: string | undefined,
  ])[] = [
    ['none is set', {}, {}, 'https://a.org', undefined],
    ['the setting', { proxy: 'http://p:1' }, {}, 'https://a.org', 'http://p:1'],
    ['the setting, even for http', { proxy: 'http://p:1' }, {}, 'http://a.org', 'http://p:1'],
    ['the setting without a scheme', { proxy: 'p:1' }, {}, 'https://a.org', 'http://p:1'],
    ['a proxy that speaks TLS', { proxy: 'https://p:1' }, {}, 'https://a.org', 'https://p:1'],
    ['the setting before the environment', { proxy: 'p:1' }, { HTTPS_PROXY: 'q:1' }, 'https://a.org', 'http://p:1'],
    ['HTTPS_PROXY', {}, { HTTPS_PROXY: 'q:1', HTTP_PROXY: 'r:1' }, 'https://a.org', 'http://q:1'],
    ['https_proxy before HTTPS_PROXY', {}, { https_proxy: 'q:1', HTTPS_PROXY: 'r:1' }, 'https://a.org', 'http://q:1'],
    ['HTTP_PROXY for http', {}, { HTTPS_PROXY: 'q:1', HTTP_PROXY: 'r:1' }, 'http://a.org', 'http://r:1'],
    ['HTTP_PROXY for https, as the editor has it', {}, { http_proxy: 'r:1' }, 'https://a.org', 'http://r:1'],
    ['HTTPS_PROXY is not for http', {}, { HTTPS_PROXY: 'q:1' }, 'http://a.org', undefined],
    ['ALL_PROXY', {}, { ALL_PROXY: 's:1' }, 'http://a.org', 'http://s:1'],
    [
      'all_proxy after the one for the scheme',
      {},
      { all_proxy: 's:1', https_proxy: 'q:1' },
      'https://a.org',
      'http://q:1',
    ],
    ['an empty variable is none', {}, { https_proxy: '', ALL_PROXY: ' ' }, 'https://a.org', undefined],
    [
      'proxy support turned off',
      { proxy: 'p:1', proxySupport: 'off' },
      { HTTPS_PROXY: 'q:1' },
      'https://a.org',
      undefined,
    ],
    ['http.noProxy', { proxy: 'p:1', noProxy: ['a.org'] }, {}, 'https://a.org', undefined],
    ['NO_PROXY', { proxy: 'p:1' }, { NO_PROXY: 'x.org, a.org' }, 'https://a.org', undefined],
    [
      'http.noProxy before NO_PROXY',
      { proxy: 'p:1', noProxy: ['b.org'] },
      { no_proxy: '*' },
      'https://a.org',
      'http://p:1',
    ],
    ['localhost', { proxy: 'p:1' }, {}, 'http://localhost:8', undefined],
    ['127.0.0.1', { proxy: 'p:1' }, {}, 'http://127.0.0.1:8', undefined],
    ['::1', { proxy: 'p:1' }, {}, 'https://[::1]:8', undefined],
  ];
  for (const [what, change, environment, address, proxy] of rows) {
    it(`${what}: ${proxy ?? 'directly'}`, () => {
      assert.equal(findProxy(settings(change, environment), address)?.origin, proxy);
    });
  }

  const exempt: readonly (readonly [entry: string, address: string, isExempt: boolean])[] = [
    ['a.org', 'https://sub.a.org', true],
    ['.a.org', 'https://sub.a.org', true],
    ['*.a.org', 'https://sub.a.org', true],
    ['a.org', 'https://ba.org', false],
    ['A.ORG', 'https://a.org', true],
    ['a.org:443', 'https://a.org', true],
    ['a.org:8443', 'https://a.org', false],
    ['*', 'https://a.org', true],
    ['192.0.2.1', 'https://192.0.2.1', true],
    ['192.0.2.0/24', 'https://192.0.2.77', true],
    ['192.0.2.0/24', 'https://192.0.3.1', false],
    ['192.0.2.0/99', 'https://192.0.2.1', false],
    ['2001:db8::/32', 'https://[2001:db8::5]', true],
    ['2001:db8::5', 'https://[2001:db8::5]', true],
    ['.1', 'https://192.0.2.1', false],
    ['', 'https://a.org', false],
  ];
  for (const [entry, address, isExempt] of exempt) {
    it(`"${entry}" in the exceptions ${isExempt ? 'covers' : 'does not cover'} ${address}`, () => {
      const proxy = findProxy({ ...plainNetwork, proxies: { https: 'p:1' }, noProxy: [entry] }, address);
      assert.equal(proxy === undefined, isExempt);
    });
  }

  it('removes user name and password from the address and decodes them', () => {
    const proxy = findProxy(settings({ proxy: 'http://me%40home:p%3Aw%25@p:1' }), 'https://a.org');
    assert.equal(proxy?.origin, 'http://p:1');
    assert.equal(proxy.authorization, `Basic ${Buffer.from('me@home:p:w%').toString('base64')}`);
  });

  it('uses a password with invalid percent-encoding unchanged', () => {
    const proxy = findProxy(settings({ proxy: 'http://me:50%@p:1' }), 'https://a.org');
    assert.equal(proxy?.authorization, `Basic ${Buffer.from('me:50%').toString('base64')}`);
  });

  it('prefers http.proxyAuthorization to a password in the address', () => {
    const proxy = findProxy(settings({ proxy: 'http://me:pw@p:1', proxyAuthorization: 'Token abcd' }), 'https://a.org');
    assert.equal(proxy?.authorization, 'Token abcd');
  });

  const unusable: readonly (readonly [change: Partial<EditorNetwork>, code: string])[] = [
    [{ proxy: 'http://me:secret-word@' }, 'BAD_PROXY_ADDRESS'],
    [{ proxy: 'socks5://me:secret-word@p:1' }, 'UNSUPPORTED_PROXY'],
    [{ proxy: 'p:1', proxyAuthorization: 'Basic secret-word\r\nX-Evil: 1' }, 'BAD_PROXY_AUTHORIZATION'],
  ];
  for (const [change, code] of unusable) {
    it(`reports an unusable proxy instead of bypassing it: ${code}`, () => {
      assert.throws(
        () => findProxy(settings(change), 'https://a.org'),
        (error) => {
          assert.ok(error instanceof ConnectionError);
          assert.deepEqual([error.reason.kind, error.reason.code], ['proxy', code]);
          assert.doesNotMatch(`${error.message} ${JSON.stringify(error.reason)}`, /secret-word/);
          return true;
        },
      );
    });
  }
});

describe('A service behind a proxy', () => {
  let server: FaultServer;
  let proxy: FaultProxy;
  let client: DataTransferClient;
  let log: MemoryLog;
  let network: NetworkSettings;

  beforeEach(async () => {
    server = await FaultServer.start();
    server.on('GET /', json({ name: 'Behind', version: '1' }));
    server.on('GET /api/v1/databases', json([]));
    proxy = await FaultProxy.start({ leadTo: server.port });
    network = { ...plainNetwork, proxies: { http: proxy.address, https: proxy.address } };
    log = new MemoryLog();
    client = new DataTransferClient({
      log,
      getNetworkSettings: () => network,
      limits: { retryMs: 1, connectMs: 1000 },
    });
  });

  afterEach(async () => {
    client.dispose();
    await proxy.stop();
    await server.stop();
  });

  const connect = async (address = 'http://service.test'): Promise<unknown> =>
    await client.connect({ server: address, apiKey: testKey, allowInsecureHttp: true });

  async function getReason(address?: string): Promise<Reason> {
    try {
      await connect(address);
    } catch (error) {
      assert.ok(error instanceof ConnectionError);
      return error.reason;
    }
    throw new Error('It connected.');
  }

  it('is reached by a name that only the proxy can resolve', async () => {
    await connect();
    assert.deepEqual((await client.databases()).reason, undefined);
    assert.deepEqual([...new Set(proxy.tunnels.map(({ target }) => target))], ['service.test:80']);
  });

  it('is reached over TLS through the tunnel, with a certificate of its own name', async () => {
    const trust = trustTestAuthority();
    const secure = await FaultServer.start(identity('good'));
    try {
      secure.on('GET /', json({ name: 'Secure', version: '1' }));
      proxy.behavior = { leadTo: secure.port };
      await connect('https://service.test');
      assert.equal(proxy.tunnels[0]?.target, 'service.test:443');
      const reason = await getReason('https://other.test');
      assert.deepEqual([reason.kind, reason.code], ['certificate', 'ERR_TLS_CERT_ALTNAME_INVALID']);
    } finally {
      trust.dispose();
      await secure.stop();
    }
  });

  it('never shows the key to the proxy, nor the password of the proxy to the service', async () => {
    network = { ...network, proxies: { http: `http://me:proxy-word@${proxy.host}` } };
    proxy.authorization = `Basic ${Buffer.from('me:proxy-word').toString('base64')}`;
    await connect();
    assert.equal(proxy.tunnels[0]?.headers['authorization'], undefined);
    assert.doesNotMatch(JSON.stringify(server.requests[0]?.headers), /proxy-auth|cHJveHkt|proxy-word/i);
    assert.equal(server.requests[0]?.headers.authorization, `Bearer ${Buffer.from(testKey).toString('base64')}`);
  });

  it('is distinguished from a proxy that requires a password: 407', async () => {
    proxy.authorization = 'Basic abc';
    const reason = await getReason();
    assert.deepEqual([reason.kind, reason.status], ['proxy', 407]);
    assert.equal(proxy.tunnels.length, 1, 'a retry would not help');
    assert.deepEqual(server.requests, []);
  });

  for (const status of [403, 502]) {
    it(`is distinguished from a proxy that refuses the tunnel: ${String(status)}`, async () => {
      proxy.behavior = { refuse: status };
      const reason = await getReason();
      assert.deepEqual([reason.kind, reason.status], ['proxy', status]);
    });
  }

  it('is distinguished from an unreachable proxy', async () => {
    await proxy.stop();
    const reason = await getReason();
    assert.deepEqual([reason.kind, reason.status, reason.code], ['proxy', undefined, 'ECONNREFUSED']);
  });

  it('D16 times out if the proxy never responds', async () => {
    client = new DataTransferClient({ log, getNetworkSettings: () => network, limits: { tries: 1, connectMs: 50 } });
    proxy.behavior = 'silence';
    assert.equal((await getReason()).kind, 'timeout');
  });

  it('D12 was not reached by a submission that the proxy refused', async () => {
    server.on('GET /', json({ name: 'Behind', version: '1' }, 200, { connection: 'close' }));
    await connect();
    proxy.behavior = { refuse: 502 };
    const { reason } = await client.transfer({ orcid: 'o', source: 's', destination: 'd', fileIds: ['f'] });
    assert.deepEqual([reason?.kind, reason?.status, reason?.maybeDone], ['proxy', 502, undefined]);
  });

  it('puts no password into any log or reason', async () => {
    network = { ...network, proxies: { http: `http://me:proxy-word@${proxy.host}` } };
    proxy.authorization = 'Basic other';
    const reason = await getReason();
    assert.doesNotMatch(`${JSON.stringify(reason)} ${log.lines.join(' ')}`, /proxy-word|cHJveHktd29yZA|bWU6cHJv/);
  });

  it('puts no password of the proxy into a log or reason, even if the service repeats it', async () => {
    network = { ...network, proxies: { http: `http://me:proxy-word@${proxy.host}` } };
    const basic = Buffer.from('me:proxy-word').toString('base64');
    server.on('GET /', problem(400, `no proxy-word, nor ${basic}, is wanted`));
    const reason = await getReason();
    assert.equal(reason.detail, 'no [redacted], nor [redacted], is wanted');
    assert.doesNotMatch(log.lines.join(' '), /proxy-word|bWU6cHJv/);
  });

  it('is reached directly after the settings change, which are read at each connection attempt', async () => {
    await connect();
    network = plainNetwork;
    await connect(server.address);
    assert.equal(proxy.tunnels.length, 1);
  });
});
