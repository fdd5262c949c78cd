import assert from 'node:assert/strict';
import type { Fetch } from '../../../src/core/client/transport.ts';
import { toReason } from '../../../src/core/client/failures.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import {
  busy,
  dropBeforeAnswer,
  dropDuringBody,
  html,
  json,
  problem,
  redirect,
  silence,
  stalledBody,
  tooLarge,
} from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { search, transfer } from './contractCalls.ts';

const limits = { headersMs: 400, bodyMs: 400, bodyBytes: 50_000, tries: 2 };

for (const transport of ['direct', 'editor'] as const) {
  describe(`the ${transport} transport`, () => {
    let bench: Bench;

    beforeEach(async () => {
      bench = await startBench({ limits });
      bench.server.on('GET /api/v1/databases', json([]));
      await bench.connect({ transport });
    });

    afterEach(() => bench.end());

    it('§4.3 sends method, path, body and headers as the contract specifies', async () => {
      bench.server.on('POST /api/v1/files', json({ resources: [] }));
      assert.deepEqual(await search({ query: 'é' })(bench.client), { value: [] });
      const request = bench.server.requestsTo('POST /api/v1/files')[0];
      assert.ok(request);
      assert.deepEqual(JSON.parse(request.body), { database: 'D', orcid: 'O', query: 'é' });
      const { authorization, accept, ...headers } = request.headers;
      assert.equal(authorization, `Bearer ${Buffer.from(testKey).toString('base64')}`);
      assert.equal(accept, 'application/json');
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['content-length'], String(Buffer.byteLength(request.body)));
      assert.equal(headers['cookie'], undefined);
    });

    const faults: readonly (readonly [what: string, behavior: Behavior, reason: Partial<Reason>])[] = [
      ['no headers in time (D16)', silence(), { kind: 'timeout' }],
      ['a body that stalls (D16)', stalledBody(), { kind: 'timeout', status: 200 }],
      ['a dropped connection', dropBeforeAnswer(), { kind: 'dropped' }],
      ['a body that is cut off', dropDuringBody(), { kind: 'dropped', status: 200 }],
      ['a body above the size limit (D15)', tooLarge(70_000), { kind: 'tooLarge', status: 200 }],
      ['a web page (D15)', html(200, 'Sign in'), { kind: 'unreadable', status: 200 }],
      ['401', problem(401, 'who'), { kind: 'unauthorized', status: 401, detail: 'who' }],
      ['429', busy(429, '3600'), { kind: 'refused', status: 429, retryAfterMs: 3_600_000 }],
      ['500 (D14)', problem(500, 'why', ['really']), { kind: 'serverError', status: 500, detail: 'why; really' }],
      ['a redirect of a POST (D18)', redirect('/elsewhere', 307), { kind: 'redirect', status: 307 }],
    ];
    for (const [what, behavior, expected] of faults) {
      it(`reports ${what} like the other transport`, async () => {
        bench.server.on('POST /api/v1/files', behavior);
        const { value, reason } = await search({})(bench.client);
        assert.deepEqual(value, []);
        assert.deepEqual({ ...reason, ...expected }, reason);
      });
    }

    it('D18 follows a redirect of a GET on the same origin, with the key', async () => {
      bench.server.on('GET /api/v1/databases', redirect('/moved?x=1')).on('GET /moved', json([]));
      assert.deepEqual(await bench.client.databases(), { value: [] });
      assert.ok(bench.server.requestsTo('GET /moved')[0]?.headers.authorization);
    });

    it('D18 never sends the key to another origin', async () => {
      const other = await startBench();
      try {
        bench.server.on('GET /api/v1/databases', redirect(`${other.server.address}/stolen`));
        assert.equal((await bench.client.databases()).reason?.kind, 'redirect');
        assert.deepEqual(other.server.requests, []);
      } finally {
        await other.end();
      }
    });

    it('D16 retries only a GET', async () => {
      bench.server.on('GET /api/v1/databases', dropBeforeAnswer(), json([]));
      assert.deepEqual(await bench.client.databases(), { value: [] });
      bench.server.on('POST /api/v1/transfers', dropBeforeAnswer());
      await transfer({})(bench.client);
      assert.equal(bench.server.requestsTo('POST /api/v1/transfers').length, 1);
    });

    it('D12 reports that a submission without a response may have been accepted', async () => {
      bench.server.on('POST /api/v1/transfers', dropBeforeAnswer());
      const { reason } = await transfer({})(bench.client);
      assert.deepEqual([reason?.kind, reason?.maybeDone], ['dropped', true]);
    });

    it('D12 reports that a submission without a connection was not accepted', async () => {
      await bench.server.stop();
      await bench.client.databases();
      const { reason } = await transfer({})(bench.client);
      assert.deepEqual([reason?.kind, reason?.code, reason?.maybeDone], ['unreachable', 'ECONNREFUSED', undefined]);
    });

    it('cancels pending requests when the caller aborts or the connection ends', async () => {
      bench.server.on('GET /api/v1/databases', silence());
      const aborting = new AbortController();
      const first = bench.client.databases(aborting.signal);
      await bench.server.received(1);
      aborting.abort();
      assert.equal((await first).reason?.kind, 'cancelled');
      const second = bench.client.databases();
      await bench.server.received(2);
      bench.client.disconnect();
      assert.equal((await second).reason?.kind, 'cancelled');
    });
  });
}

describe('The fetch of an editor', () => {
  it('is the given one, and follows no redirects', async () => {
    const calls: Parameters<Fetch>[] = [];
    const fetch: Fetch = async (address, init) => {
      calls.push([address, init]);
      return Response.json({ name: 'X', version: '1' });
    };
    const bench = await startBench({ fetch });
    try {
      await bench.client.connect({ server: 'https://only.the.editor', apiKey: testKey, transport: 'editor' });
      assert.equal(bench.client.service?.name, 'X');
      const [address, init] = calls[0] ?? [];
      assert.equal(address, 'https://only.the.editor/');
      assert.deepEqual([init?.redirect, init?.cache, init?.credentials], ['manual', 'no-store', 'omit']);
    } finally {
      await bench.end();
    }
  });

  const never = (): Promise<never> => new Promise(() => undefined);
  const stalled: Readonly<Record<string, Fetch>> = {
    'never responds': never,
    'never ends its body': async () => new Response(new ReadableStream({ pull: never, cancel: never })),
  };
  for (const [what, fetch] of Object.entries(stalled)) {
    it(`D16 has a time limit even if it ${what} and ignores its signal`, async () => {
      const bench = await startBench({ fetch, limits: { headersMs: 20, bodyMs: 20 } });
      try {
        await assert.rejects(bench.connect({ transport: 'editor' }), /: could not connect .* timeout, ETIMEDOUT/);
      } finally {
        await bench.end();
      }
    });

    it(`can be canceled even if it ${what} and ignores its signal`, async () => {
      const bench = await startBench({ fetch });
      try {
        const connecting = bench.connect({ transport: 'editor' });
        setImmediate(() => bench.client.disconnect());
        await assert.rejects(connecting, /: could not connect .* cancelled$/);
      } finally {
        await bench.end();
      }
    });
  }

  it('D18 may hide the details of a redirect', async () => {
    const opaque = Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' });
    const bench = await startBench({ fetch: async () => opaque });
    try {
      await assert.rejects(bench.connect({ transport: 'editor' }), {
        cause: { kind: 'redirect', request: 'GET /', status: 302 },
      });
    } finally {
      await bench.end();
    }
  });

  const rows: readonly (readonly [code: string, kind: string])[] = [
    ['ERR_CERT_AUTHORITY_INVALID', 'certificate'],
    ['ERR_PROXY_CONNECTION_FAILED', 'proxy'],
    ['ERR_TUNNEL_CONNECTION_FAILED', 'proxy'],
    ['ERR_NAME_NOT_RESOLVED', 'unreachable'],
    ['ERR_CONNECTION_REFUSED', 'unreachable'],
    ['ERR_INTERNET_DISCONNECTED', 'unreachable'],
    ['ERR_CONNECTION_TIMED_OUT', 'timeout'],
    ['ERR_CONNECTION_RESET', 'dropped'],
  ];
  for (const [code, kind] of rows) {
    it(`fails like a browser with net::${code}, which is ${kind}`, () => {
      const error = new TypeError('fetch failed', { cause: new Error(`net::${code}`) });
      assert.deepEqual(toReason(error), { kind, code, detail: `net::${code}` });
    });
  }
});
