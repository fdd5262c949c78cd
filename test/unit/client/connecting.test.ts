import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { toBaseAddress } from '../../../src/core/client/serverAddress.ts';
import { ConnectionError, RuntimeError } from '../../../src/core/client/reply.ts';
import { dropBeforeAnswer, empty, html, json, problem, silence, text, tooLarge } from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { contractRow } from '../../support/tally.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';

describe('Connecting (§4.9)', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench({ limits: { bodyBytes: 50_000, headersMs: 500 } });
  });

  afterEach(async () => {
    await bench.end();
  });

  it('stores the address, and name and version of the root document', async () => {
    const service = await bench.client.connect({ server: `${bench.server.address}/`, apiKey: testKey });
    assert.deepEqual(service, { address: bench.server.address, name: 'Test service', version: '1.2' });
    assert.deepEqual(bench.client.service, service);
  });

  it('joins server and port with a colon', async () => {
    const service = await bench.client.connect({
      server: 'http://127.0.0.1',
      port: bench.server.port,
      apiKey: testKey,
    });
    assert.equal(service.address, bench.server.address);
  });

  it('D5 sends the token unencoded with the plain scheme', async () => {
    await bench.client.connect({ server: bench.server.address, apiKey: testKey, scheme: 'plain' });
    assert.equal(bench.server.requests[0]?.headers.authorization, `Bearer ${testKey}`);
  });

  it('accepts a root without name and version', async () => {
    bench.server.on('GET /', json({ uptime: 3 }));
    const service = await bench.client.connect({ server: bench.server.address, apiKey: testKey });
    assert.deepEqual([service.name, service.version], ['', '']);
  });

  const failures: readonly (readonly [name: string, behavior: Behavior, kind: string, status?: number])[] = [
    ['401', problem(401, 'no'), 'unauthorized', 401],
    ['404', empty(404), 'noService', 404],
    ['500', problem(500, 'no'), 'serverError', 500],
    ['a dropped connection', dropBeforeAnswer(), 'dropped'],
    ['no response', silence(), 'timeout'],
    ['a web page', html(200, 'Sign in'), 'unreadable', 200],
    ['a list', json([]), 'unreadable', 200],
    ['a response that is too large', tooLarge(60_000), 'tooLarge', 200],
  ];

  for (const [name, behavior, kind, status] of failures) {
    contractRow(`§4.8 row 17 a root request that gets ${name} causes a ConnectionError, logged once`, async () => {
      bench.server.on('GET /', behavior);
      await assert.rejects(bench.client.connect({ server: bench.server.address, apiKey: testKey }), (error) => {
        assert.ok(error instanceof ConnectionError);
        assert.ok(error instanceof RuntimeError);
        assert.equal(error.reason.kind, kind);
        assert.equal(error.reason.status, status);
        assert.ok(error.message.includes(bench.server.address));
        return true;
      });
      assert.equal(bench.client.service, undefined);
      assert.equal(bench.log.errors.length, 1);
    });
  }

  for (const path of ['/api/v1', '/api/v1/', '/dts/api/v1']) {
    it(`suggests the service's own address for ${path}`, async () => {
      const server = `${bench.server.address}${path}`;
      await assert.rejects(bench.client.connect({ server, apiKey: testKey }), (error) => {
        assert.ok(error instanceof ConnectionError);
        const { kind, detail } = error.reason;
        const expected = bench.server.address + (path.startsWith('/dts') ? '/dts' : '');
        assert.deepEqual([kind, detail], ['noService', expected]);
        return true;
      });
    });
  }

  it('finds no service at an address with a web page but no list of databases', async () => {
    bench.server.on('GET /', json({})).on('GET /api/v1/databases', text(404, '404 page not found'));
    await bench.client.connect({ server: bench.server.address, apiKey: testKey });
    const { reason } = await bench.client.databases();
    assert.deepEqual([reason?.kind, reason?.detail], ['noService', undefined]);
  });

  contractRow('§4.8 row 17 an unreachable service is a ConnectionError', async () => {
    await bench.server.stop();
    await assert.rejects(bench.client.connect({ server: bench.server.address, apiKey: testKey }), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.reason.kind, 'unreachable');
      assert.equal(error.reason.code, 'ECONNREFUSED');
      return true;
    });
  });

  it('D6 does not prove the key if the server checks it later', async () => {
    publicLike(bench.server, 'another key');
    await bench.client.connect({ server: bench.server.address, apiKey: testKey });
    assert.equal((await bench.client.databases()).reason?.kind, 'unauthorized');
  });

  it('§4.9 disconnecting clears everything, and later calls fail with a RuntimeError', async () => {
    await bench.connect();
    bench.client.disconnect();
    assert.equal(bench.client.service, undefined);
    await assert.rejects(bench.client.databases(), RuntimeError);
    assert.doesNotMatch(JSON.stringify(Object.values(bench.client)), new RegExp(testKey));
  });

  it('§4.9 connects again after disconnecting', async () => {
    await bench.connect();
    bench.client.disconnect();
    bench.server.on('GET /api/v1/databases', json([]));
    await bench.connect();
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  it('keeps the open connection after a failed attempt', async () => {
    await bench.connect();
    await assert.rejects(
      bench.client.connect({ server: 'http://127.0.0.1', port: 1, apiKey: 'other' }),
      ConnectionError,
    );
    assert.equal(bench.client.service?.address, bench.server.address);
    bench.server.on('GET /api/v1/databases', json([]));
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  it('ends an attempt when a later one starts', async () => {
    bench.server.on('GET /', silence(), json({ name: 'second', version: '2' }));
    const first = bench.client.connect({ server: bench.server.address, apiKey: testKey });
    const failed = assert.rejects(first, { name: 'ConnectionError', reason: { kind: 'cancelled', request: 'GET /' } });
    await bench.server.received(1);
    await bench.client.connect({ server: bench.server.address, apiKey: testKey });
    await failed;
    assert.equal(bench.client.service?.name, 'second');
  });

  it('ends a pending attempt by disconnecting', async () => {
    bench.server.on('GET /', silence());
    const failed = assert.rejects(
      bench.client.connect({ server: bench.server.address, apiKey: testKey }),
      ConnectionError,
    );
    await bench.server.received(1);
    bench.client.disconnect();
    await failed;
    assert.equal(bench.client.service, undefined);
  });

  it('stays disconnected if disconnecting coincides with the response of the root', async () => {
    const { log } = bench;
    const { trace } = log;
    mock.method(log, 'trace', (message: string) => {
      trace(message);
      bench.client.disconnect();
    });
    const options = { server: bench.server.address, apiKey: testKey };
    await assert.rejects(bench.client.connect(options), { name: 'ConnectionError', reason: { kind: 'cancelled' } });
    assert.equal(bench.client.service, undefined);
  });

  it('cancels the pending requests of the older connection', async () => {
    await bench.connect();
    bench.server.on('GET /api/v1/databases', silence());
    const reply = bench.client.databases();
    await bench.server.received(1);
    await bench.client.connect({ server: bench.server.address, apiKey: 'another key' });
    assert.equal((await reply).reason?.kind, 'cancelled');
  });

  it('D16 retries a server that accepts connections but never responds, and fails in time', async () => {
    let connections = 0;
    const silent = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = new DataTransferClient({ log: new MemoryLog(), limits: { connectMs: 50, tries: 2, retryMs: 1 } });
    try {
      await assert.rejects(client.connect({ server: 'https://127.0.0.1', port, apiKey: testKey }), (error) => {
        assert.ok(error instanceof ConnectionError);
        assert.equal(error.reason.kind, 'timeout');
        assert.equal(error.reason.code, 'UND_ERR_CONNECT_TIMEOUT');
        return true;
      });
      assert.equal(connections, 2);
    } finally {
      client.dispose();
      silent.close();
    }
  });

  it("ends an attempt by the caller's signal", async () => {
    const options = { server: bench.server.address, apiKey: testKey };
    await assert.rejects(bench.client.connect(options, AbortSignal.abort()), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.reason.kind, 'cancelled');
      return true;
    });
  });
});

describe('The base address (D4)', () => {
  const rows: readonly (readonly [server: string, port: number | undefined, address: string])[] = [
    ['https://example.org', undefined, 'https://example.org'],
    ['https://example.org/', undefined, 'https://example.org'],
    [' https://example.org// ', undefined, 'https://example.org'],
    ['HTTPS://Example.ORG', 8443, 'https://example.org:8443'],
    ['https://example.org/', 8443, 'https://example.org:8443'],
    ['https://example.org/dts/', undefined, 'https://example.org/dts'],
    ['http://localhost', 8080, 'http://localhost:8080'],
    ['http://127.0.0.1:1', undefined, 'http://127.0.0.1:1'],
    ['http://127.1.2.3', undefined, 'http://127.1.2.3'],
    ['http://[::1]', 8080, 'http://[::1]:8080'],
  ];

  for (const [server, port, address] of rows) {
    it(`of "${server}" and ${port === undefined ? 'no port' : String(port)} is ${address}`, () => {
      assert.equal(toBaseAddress({ server, port }), address);
    });
  }

  it('may be plain http on other machines if the connection allows it', () => {
    assert.equal(toBaseAddress({ server: 'http://192.0.2.1', allowInsecureHttp: true }), 'http://192.0.2.1');
  });
});
