import assert from 'node:assert/strict';
import { busy, dropBeforeAnswer, empty, json, problem, redirect, silence } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { fault } from '../../support/tally.ts';
import { HastyClock, startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, search, transfer } from './contractCalls.ts';

const route = 'GET /api/v1/databases';

describe('Retries (D16)', () => {
  let bench: Bench;
  let clock: HastyClock;

  beforeEach(async () => {
    clock = new HastyClock();
    bench = await startBench({ clock, limits: { retryMs: 1000 } });
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  for (const status of [408, 429, 500, 502, 503, 504]) {
    fault(`retries a GET after ${String(status)} until it succeeds`, async () => {
      bench.server.on(route, empty(status), empty(status), json([]));
      assert.deepEqual(await bench.client.databases(), { value: [] });
      assert.equal(bench.server.requests.length, 3);
      assert.deepEqual(bench.log.errors, []);
    });
  }

  fault('retries a GET whose connection was dropped', async () => {
    bench.server.on(route, dropBeforeAnswer(), json([]));
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  fault('sends at most three times, with growing delays and jitter', async () => {
    bench.server.on(route, empty(503));
    await bench.client.databases();
    assert.equal(bench.server.requests.length, 3);
    const [first = 0, second = 0, ...more] = clock.waits;
    assert.deepEqual(more, []);
    assert.ok(first >= 750 && first < 1250, String(first));
    assert.ok(second >= 1500 && second < 2500, String(second));
  });

  fault('waits for the duration in Retry-After', async () => {
    bench.server.on(route, busy(429, '7'), busy(503, new Date(clock.now() + 9000).toUTCString()), json([]));
    assert.deepEqual(await bench.client.databases(), { value: [] });
    assert.deepEqual(clock.waits, [7000, 9000]);
  });

  fault('does not retry if Retry-After is too long, but reports it', async () => {
    bench.server.on(route, busy(503, '120'));
    const reply = await bench.client.databases();
    assert.equal(reply.reason?.retryAfterMs, 120_000);
    assert.equal(bench.server.requests.length, 1);
  });

  fault('ignores an invalid Retry-After', async () => {
    bench.server.on(route, busy(503, 'later'), busy(503, '-5'), json([]));
    assert.deepEqual(await bench.client.databases(), { value: [] });
    assert.equal(bench.server.requests.length, 3);
  });

  for (const status of [400, 401, 403, 404, 405, 409, 422, 501]) {
    fault(`never retries after ${String(status)}`, async () => {
      bench.server.on(route, problem(status, 'no'), json([]));
      assert.equal((await bench.client.databases()).reason?.status, status);
      assert.equal(bench.server.requests.length, 1);
    });
  }

  fault('never retries a search, a submission or a cancel', async () => {
    bench.server.on('POST /api/v1/files', empty(503), json({ resources: [] }));
    bench.server.on('POST /api/v1/transfers', dropBeforeAnswer(), json({ id: 'x' }));
    bench.server.on('DELETE /api/v1/transfers/*', empty(503), empty(202));
    await search({})(bench.client);
    await transfer({})(bench.client);
    await cancel({})(bench.client);
    assert.equal(bench.server.requests.length, 3);
  });

  it('stops once the caller aborts', async () => {
    const aborting = new AbortController();
    const server = bench.server.on(route, (request, response) => {
      aborting.abort();
      return empty(503)(request, response);
    });
    const reply = await bench.client.databases(aborting.signal);
    assert.equal(reply.reason?.kind, 'cancelled');
    assert.equal(server.requests.length, 1);
  });
});

describe('Redirects (D18)', () => {
  let bench: Bench;
  let elsewhere: FaultServer;

  beforeEach(async () => {
    bench = await startBench();
    elsewhere = await FaultServer.start();
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
    await elsewhere.stop();
  });

  for (const status of [301, 302, 303, 307, 308]) {
    fault(`a GET follows ${String(status)} on the same origin`, async () => {
      bench.server.on(route, redirect('../v1/other?x=1', status)).on('GET /api/v1/other', json([]));
      assert.deepEqual(await bench.client.databases(), { value: [] });
      assert.equal(bench.server.requests.at(-1)?.url, '/api/v1/other?x=1');
    });

    fault(`a POST does not follow ${String(status)}, and a submission was not accepted`, async () => {
      bench.server.on('POST /api/v1/transfers', redirect('/api/v1/other', status));
      const reply = await transfer({})(bench.client);
      assert.equal(reply.reason?.kind, 'redirect');
      assert.equal(reply.reason.status, status);
      assert.equal(reply.reason.maybeDone, undefined);
      assert.equal(bench.server.requests.length, 1);
    });
  }

  fault('never send the key to another origin', async () => {
    bench.server.on(route, redirect(`${elsewhere.address}/api/v1/databases?code=1`));
    const reply = await bench.client.databases();
    assert.equal(reply.reason?.kind, 'redirect');
    assert.equal(reply.reason.detail, `redirected to ${elsewhere.address}`);
    assert.equal(elsewhere.socketsEver, 0);
  });

  fault('do not confuse a similar address with the same origin', async () => {
    bench.server.on(route, redirect(`//127.0.0.1:${String(elsewhere.port)}/`));
    assert.equal((await bench.client.databases()).reason?.kind, 'redirect');
    assert.equal(elsewhere.socketsEver, 0);
  });

  fault('end after a limited number', async () => {
    bench.server.on(route, redirect('/api/v1/databases'));
    assert.equal((await bench.client.databases()).reason?.kind, 'redirect');
    assert.equal(bench.server.requests.length, 6);
  });

  for (const location of ['', 'http://[', 'http://']) {
    fault(`to "${location}" are reported, not followed`, async () => {
      bench.server.on(route, redirect(location));
      assert.equal((await bench.client.databases()).reason?.kind, 'redirect');
      assert.equal(bench.server.requests.length, 1);
    });
  }
});

describe('Idle connections (D17)', () => {
  it('are reused, and closed after the time limit regardless of the server', async () => {
    const bench = await startBench({ limits: { idleMs: 1000 } });
    try {
      await bench.connect();
      bench.server.on(route, json([], 200, { 'keep-alive': 'timeout=600' }));
      for (let times = 0; times < 8; times++) await bench.client.databases();
      assert.ok(bench.server.socketsEver <= 2, String(bench.server.socketsEver));
      await bench.server.allClosed();
      assert.equal(bench.server.socketCount, 0);
    } finally {
      await bench.end();
    }
  });

  it('are closed immediately by disconnecting, which cancels pending requests', async () => {
    const bench = await startBench();
    try {
      await bench.connect();
      bench.server.on(route, silence());
      const reply = bench.client.databases();
      await bench.server.received(1);
      bench.client.disconnect();
      assert.equal((await reply).reason?.kind, 'cancelled');
      await bench.server.allClosed();
      assert.equal(bench.server.socketCount, 0);
    } finally {
      await bench.end();
    }
  });
});
