import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { DataTransferClient, type ClientOptions } from '../../../src/core/client/dataTransferClient.ts';
import type { RouteObserver } from '../../../src/core/client/route.ts';
import { ConnectionTest } from '../../../src/core/connections/connectionTest.ts';
import { KeyWatch, OpenConnections } from '../../../src/core/connections/openConnections.ts';
import type { Connection, TestStep, TestStepName } from '../../../src/core/model/connection.ts';
import { plainNetwork, type NetworkSettings } from '../../../src/core/model/networkSettings.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { identity, trustTestAuthority } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { html, json, problem, silence } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultProxy } from '../../support/faultProxy.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

function createTest(keys: KeyWatch, options: ClientOptions = { log: new MemoryLog() }): ConnectionTest {
  const createClient = (observer: RouteObserver): Promise<DataTransferClient> =>
    Promise.resolve(new DataTransferClient({ ...options, observer }));
  return new ConnectionTest({ keys, createClient });
}

describe('Testing a connection', () => {
  const ends: (() => unknown)[] = [];
  let network: NetworkSettings;
  let started: TestStepName[];

  beforeEach(() => {
    network = plainNetwork;
    started = [];
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(...given: Parameters<typeof FaultServer.start>): Promise<FaultServer> {
    const server = await FaultServer.start(...given);
    ends.push(() => server.stop());
    publicLike(server, 'the-key');
    return server;
  }

  /** Starts a server that accepts connections and never responds. Resolves to its port. */
  async function startSilentServer(): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.on('error', () => socket.destroy())));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  async function startProxy(behavior: FaultProxy['behavior']): Promise<FaultProxy> {
    const proxy = await FaultProxy.start(behavior);
    ends.push(() => proxy.stop());
    network = { ...plainNetwork, proxies: { http: proxy.address, https: proxy.address } };
    return proxy;
  }

  async function run(
    change: Partial<Connection> & { readonly server: string },
    apiKey: string | undefined = 'the-key',
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly TestStep[]> {
    const sessions = new OpenConnections();
    const keys = new KeyWatch(sessions, systemClock);
    ends.push(() => keys.dispose());
    const log = new MemoryLog();
    const limits = { retryMs: 1, headersMs: 500 };
    const test = createTest(keys, { log, limits, getNetworkSettings: () => network });
    const connection = { id: 'c', name: 'Tested', ...change };
    return await test.run({ connection, apiKey }, signal, (step) => started.push(step));
  }

  const outcomes = (steps: readonly TestStep[]): string =>
    steps.map(({ name, outcome }) => `${name} ${outcome}`).join(', ');
  const failedStep = (steps: readonly TestStep[]): TestStep => {
    const failed = steps.filter(({ outcome }) => outcome === 'failed');
    assert.equal(failed.length, 1, outcomes(steps));
    const [step] = failed;
    assert.ok(step);
    const after = steps.slice(steps.indexOf(step) + 1);
    assert.ok(after.every(({ outcome }) => outcome === 'notTried'));
    return step;
  };

  it('goes from the address to the accepted key, and reports each step when it starts', async () => {
    const server = await start();
    const steps = await run({ server: server.address });
    assert.equal(
      outcomes(steps),
      'address passed, name passed, connect passed, tls notNeeded, root passed, key passed',
    );
    assert.deepEqual(started, ['address', 'name', 'connect', 'root', 'key']);
    assert.deepEqual(steps[4]?.facts.service, { name: 'DTS prototype', version: '0.12.1' });
    assert.equal(steps[5]?.facts.databaseCount, 3);
  });

  it('shows the issuer and the end of validity of the certificate', async () => {
    const trust = trustTestAuthority();
    ends.push(() => trust.dispose());
    const server = await start(identity('good'));
    const steps = await run({ server: server.address });
    assert.equal(outcomes(steps.slice(3)), 'tls passed, root passed, key passed');
    const { certificate } = steps[3]?.facts ?? {};
    assert.equal(certificate?.issuer, 'Test Authority');
    assert.equal(certificate.names, 'localhost, service.test, 127.0.0.1');
    assert.match(certificate.validTo, /2125/);
  });

  it('connects through the proxy, which resolves the name', async () => {
    const server = await start();
    const proxy = await startProxy({ leadTo: server.port });
    const steps = await run({ server: 'http://service.test', allowInsecureHttp: true });
    assert.equal(steps[0]?.facts.proxy, proxy.address);
    assert.equal(steps[1]?.facts.host, '127.0.0.1');
    assert.equal(outcomes(steps.slice(4)), 'root passed, key passed');
  });

  it('skips the network steps for the transport of the editor', async () => {
    const server = await start();
    const steps = await run({ server: server.address, transport: 'editor' });
    assert.equal(
      outcomes(steps),
      'address passed, name notNeeded, connect notNeeded, tls notNeeded, root passed, key passed',
    );
  });

  describe('stops at', () => {
    it('an unusable address', async () => {
      const step = failedStep(await run({ server: 'dts.example.org' }));
      assert.deepEqual([step.name, step.reason?.kind], ['address', 'badAddress']);
    });

    it('plain http to another machine (D4)', async () => {
      const step = failedStep(await run({ server: 'http://192.0.2.1' }));
      assert.deepEqual([step.name, step.reason?.kind], ['address', 'insecureAddress']);
    });

    it('an unusable proxy', async () => {
      network = { ...plainNetwork, proxies: { https: 'socks5://p:1' } };
      const step = failedStep(await run({ server: 'https://service.test' }));
      assert.deepEqual([step.name, step.reason?.code], ['address', 'UNSUPPORTED_PROXY']);
    });

    it('an unknown host name', async () => {
      const step = failedStep(await run({ server: 'https://no-such-service.invalid' }));
      assert.deepEqual([step.name, step.facts.host], ['name', 'no-such-service.invalid']);
      assert.match(step.reason?.code ?? '', /^(ENOTFOUND|EAI_AGAIN)$/);
    });

    it('a closed port', async () => {
      const server = await start();
      await server.stop();
      const step = failedStep(await run({ server: server.address }));
      assert.deepEqual([step.name, step.reason?.kind, step.reason?.code], ['connect', 'unreachable', 'ECONNREFUSED']);
    });

    it('an unreachable proxy', async () => {
      const proxy = await startProxy('drop');
      await proxy.stop();
      const step = failedStep(await run({ server: 'https://service.test' }));
      assert.deepEqual([step.name, step.reason?.kind, step.reason?.code], ['connect', 'proxy', 'ECONNREFUSED']);
    });

    it('a proxy that requires a password', async () => {
      await startProxy({ refuse: 407 });
      const step = failedStep(await run({ server: 'https://service.test' }));
      assert.deepEqual([step.name, step.reason?.kind, step.reason?.status], ['connect', 'proxy', 407]);
    });

    for (const [name, code] of [
      ['expired', 'CERT_HAS_EXPIRED'],
      ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ] as const) {
      it(`an invalid certificate, and shows it: ${name}`, async () => {
        const trust = trustTestAuthority();
        ends.push(() => trust.dispose());
        const server = await start(identity(name));
        const step = failedStep(await run({ server: server.address }));
        assert.deepEqual([step.name, step.reason?.kind, step.reason?.code], ['tls', 'certificate', code]);
        assert.equal(step.facts.certificate?.issuer, 'Test Authority');
        assert.deepEqual(server.requests, []);
      });
    }

    it('a certificate of an unknown issuer', async () => {
      const server = await start(identity('good'));
      const step = failedStep(await run({ server: server.address }));
      assert.deepEqual([step.name, step.reason?.code], ['tls', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
    });

    it('a server that does not speak TLS', async () => {
      const server = await start();
      const step = failedStep(await run({ server: server.address.replace('http:', 'https:') }));
      assert.deepEqual([step.name, step.reason?.kind], ['tls', 'unreachable']);
    });

    it('a root that is a web page', async () => {
      const server = await start();
      server.on('GET /', html(200, 'Welcome'));
      const step = failedStep(await run({ server: server.address }));
      assert.deepEqual([step.name, step.reason?.kind], ['root', 'unreadable']);
    });

    it('a rejected key', async () => {
      const server = await start();
      const step = failedStep(await run({ server: server.address }, 'another-key'));
      assert.deepEqual([step.name, step.reason?.kind, step.reason?.status], ['key', 'unauthorized', 401]);
    });

    it('a key that the root rejects, which counts as a response', async () => {
      const server = await start();
      server.on('GET /', problem(401, 'who'));
      const steps = await run({ server: server.address });
      assert.equal(outcomes(steps.slice(4)), 'root passed, key failed');
    });
  });

  it('reports a missing key after all other steps', async () => {
    const server = await start();
    const sessions = new OpenConnections();
    const keys = new KeyWatch(sessions, systemClock);
    const test = createTest(keys);
    const connection = { id: 'c', name: 'Tested', server: server.address };
    const tested = { connection, apiKey: undefined };
    const step = failedStep(await test.run(tested, new AbortController().signal, () => undefined));
    assert.deepEqual([step.name, step.reason], ['key', { kind: 'unauthorized' }]);
    assert.equal(server.requestsTo('GET /api/v1/databases').length, 0);
  });

  it('can be canceled at any step', async () => {
    const server = await start();
    server.on('GET /', silence());
    const ending = new AbortController();
    const steps = run({ server: server.address }, 'the-key', ending.signal);
    await server.received(1);
    ending.abort();
    assert.equal(failedStep(await steps).reason?.kind, 'cancelled');
    assert.equal(failedStep(await run({ server: server.address }, 'k', ending.signal)).reason?.kind, 'cancelled');
  });

  it('can be canceled during the TLS handshake, directly and through a proxy', async () => {
    const silentPort = await startSilentServer();
    for (const isProxied of [false, true]) {
      const ending = new AbortController();
      started = [];
      if (isProxied) await startProxy({ leadTo: silentPort });
      const server = isProxied ? 'https://service.test' : `https://127.0.0.1:${String(silentPort)}`;
      const steps = run({ server }, 'the-key', ending.signal);
      await eventually(async () => (started.at(-1) === 'tls' ? true : undefined));
      ending.abort();
      const step = failedStep(await steps);
      assert.deepEqual([step.name, step.reason?.kind], ['tls', 'cancelled']);
    }
  });

  it('uses TLS through the tunnel of a proxy', async () => {
    const trust = trustTestAuthority();
    ends.push(() => trust.dispose());
    const server = await start(identity('good'));
    const proxy = await startProxy({ leadTo: server.port });
    assert.equal(
      outcomes((await run({ server: 'https://service.test' })).slice(3)),
      'tls passed, root passed, key passed',
    );
    const step = failedStep(await run({ server: 'https://other.test' }));
    assert.deepEqual([step.name, step.reason?.code], ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID']);
    assert.ok(proxy.tunnels.every(({ headers }) => headers['authorization'] === undefined));
  });

  it('clears a doubt about the key once it is accepted (D28)', async () => {
    const server = await start();
    server.on('GET /', json({ name: 'X', version: '1' }));
    const keys = new KeyWatch(new OpenConnections(), systemClock);
    keys.recordReply('c', { kind: 'unauthorized' });
    const test = createTest(keys);
    const connection = { id: 'c', name: 'Tested', server: server.address };
    await test.run({ connection, apiKey: 'the-key' }, new AbortController().signal, () => undefined);
    assert.equal(keys.getStatus('c'), 'good');
  });

  it('reports that a rejected key worked before while it is only doubted (D28)', async () => {
    const server = await start();
    const keys = new KeyWatch(new OpenConnections(), systemClock);
    keys.recordReply('c', { kind: 'unauthorized' });
    const test = createTest(keys);
    const connection = { id: 'c', name: 'Tested', server: server.address };
    const tested = { connection, apiKey: 'another-key' };
    const { name, reason } = failedStep(await test.run(tested, new AbortController().signal, () => undefined));
    assert.deepEqual([name, reason?.signIn, reason?.keyWorked], ['key', 'key', true]);
  });
});
