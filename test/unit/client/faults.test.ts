import assert from 'node:assert/strict';
import type { Reply } from '../../../src/core/client/reply.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import {
  busy,
  dropBeforeAnswer,
  dropDuringBody,
  empty,
  html,
  interim,
  endlessInterimResponses,
  json,
  notHttp,
  plainProblem,
  problem,
  resetBeforeAnswer,
  silence,
  slowBody,
  slowHeaders,
  stalledBody,
  text,
  tooLarge,
} from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { fault } from '../../support/tally.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, metadata, search, transfer, transferId } from './contractCalls.ts';
import type { Call } from './contractCalls.ts';

interface Operation {
  readonly name: string;
  readonly route: string;
  readonly call: Call;
  /** The value that the specification requires for a failed call (§4.9). */
  readonly value: unknown;
}

const operations: readonly Operation[] = [
  { name: 'databases', route: 'GET /api/v1/databases', call: (client) => client.databases(), value: [] },
  { name: 'search', route: 'POST /api/v1/files', call: search({}), value: [] },
  { name: 'fetchMetadata', route: 'GET /api/v1/files/by-id', call: metadata({ ids: ['a'] }), value: [] },
  { name: 'transfer', route: 'POST /api/v1/transfers', call: transfer({}), value: undefined },
  {
    name: 'transferStatus',
    route: 'GET /api/v1/transfers/*',
    call: (c) => c.transferStatus(transferId),
    value: undefined,
  },
  { name: 'cancelTransfer', route: 'DELETE /api/v1/transfers/*', call: cancel({}), value: undefined },
];

interface Fault {
  readonly name: string;
  readonly behavior: Behavior;
  readonly reason: Partial<Reason>;
}

const faults: readonly Fault[] = [
  { name: 'no headers in time (D16)', behavior: silence(), reason: { kind: 'timeout' } },
  { name: 'endless interim responses (D16)', behavior: endlessInterimResponses(20), reason: { kind: 'timeout' } },
  { name: 'a dropped connection', behavior: dropBeforeAnswer(), reason: { kind: 'dropped' } },
  { name: 'a reset connection', behavior: resetBeforeAnswer(), reason: { kind: 'dropped' } },
  { name: 'something that is not HTTP', behavior: notHttp(), reason: { kind: 'unreadable' } },
  {
    name: '400 with a problem document',
    behavior: problem(400, 'what'),
    reason: { kind: 'refused', status: 400, detail: 'what' },
  },
  { name: '401', behavior: problem(401, 'who'), reason: { kind: 'unauthorized', status: 401, detail: 'who' } },
  { name: '403', behavior: problem(403, 'no'), reason: { kind: 'forbidden', status: 403 } },
  { name: '404 with a problem document', behavior: problem(404, 'where'), reason: { kind: 'notFound', status: 404 } },
  { name: '408', behavior: empty(408), reason: { kind: 'refused', status: 408 } },
  { name: '409', behavior: problem(409, 'x'), reason: { kind: 'refused', status: 409 } },
  {
    name: '429 with a long Retry-After',
    behavior: busy(429, '3600'),
    reason: { kind: 'refused', status: 429, retryAfterMs: 3_600_000 },
  },
  {
    name: '500 with a plain error document',
    behavior: plainProblem(500, 'why'),
    reason: { kind: 'serverError', status: 500, detail: 'unexpected error occurred; why' },
  },
  {
    name: '500 because of one entry of the response (D38)',
    behavior: plainProblem(500, 'I[#] S[#] doesn\'t validate with "data-resource#"'),
    reason: { kind: 'entryRejected', status: 500 },
  },
  {
    name: '500 with plain text',
    behavior: text(500, ' panic '),
    reason: { kind: 'serverError', status: 500, detail: 'panic' },
  },
  {
    name: '502 with a web page',
    behavior: html(502, 'Bad Gateway'),
    reason: { kind: 'serverError', status: 502, detail: 'Bad Gateway' },
  },
  { name: '503 without a body', behavior: empty(503), reason: { kind: 'serverError', status: 503 } },
  {
    name: 'an error whose body is cut off',
    behavior: dropDuringBody('{"detail":"x', 500),
    reason: { kind: 'serverError', status: 500 },
  },
];

const badBodies: readonly Fault[] = [
  { name: 'a web page', behavior: html(200, 'Sign in'), reason: { kind: 'unreadable', status: 200 } },
  { name: 'an empty body', behavior: empty(200), reason: { kind: 'unreadable', status: 200 } },
  { name: 'truncated JSON', behavior: text(200, '{"resources":[{"id":"a"'), reason: { kind: 'unreadable' } },
  { name: 'JSON of another type', behavior: json(5), reason: { kind: 'unreadable' } },
  { name: 'a body that is cut off', behavior: dropDuringBody(), reason: { kind: 'dropped', status: 200 } },
  { name: 'a body that stalls (D16)', behavior: stalledBody(), reason: { kind: 'timeout', status: 200 } },
  { name: 'a body above the size limit (D15)', behavior: tooLarge(70_000), reason: { kind: 'tooLarge', status: 200 } },
  {
    name: 'a body whose declared length exceeds the limit (D15)',
    behavior: tooLarge(70_000, false),
    reason: { kind: 'tooLarge' },
  },
];

/**
 * The only operations whose timeouts are tested, because such tests are slow: one that the client retries after some
 * other faults, and one that it never retries.
 */
const timed: ReadonlySet<string> = new Set(['databases', 'search']);

function getFaults({ name }: Operation): readonly Fault[] {
  // The client ignores the body of the response to a cancel.
  const all = name === 'cancelTransfer' ? faults : [...faults, ...badBodies];
  const tested = timed.has(name) ? all : all.filter(({ reason }) => reason.kind !== 'timeout');
  if (name !== 'databases') return tested;
  // Every service lists its databases, so a 404 means that there is no service.
  return tested.map((one) =>
    one.reason.status === 404 ? { ...one, reason: { kind: 'noService', status: 404 } } : one,
  );
}

describe('Faults of server and network (D2)', () => {
  let bench: Bench;

  beforeEach(async () => {
    await open(30_000);
  });

  afterEach(async () => {
    await bench.end();
  });

  /** Starts a bench. Its client waits at most `waitMs` milliseconds for a response or for the next part of the body. */
  async function open(waitMs: number): Promise<void> {
    bench = await startBench({ limits: { headersMs: waitMs, bodyMs: waitMs, bodyBytes: 50_000, tries: 2 } });
    bench.server.on('GET /api/v1/databases', json([]));
    await bench.connect();
  }

  /** Replaces the client with one whose timeout is short enough for a test to wait for. */
  async function openWithShortTimeout(waitMs: number): Promise<void> {
    await bench.end();
    await open(waitMs);
  }

  async function expectReason({ route, call, value }: Operation, { behavior, reason }: Fault): Promise<void> {
    bench.server.on(route, behavior);
    const reply: Reply<unknown> = await call(bench.client);
    assert.deepEqual(reply.value, value);
    assert.ok(reply.reason);
    assert.deepEqual({ ...reply.reason, ...reason }, reply.reason);
    assert.equal(reply.reason.request, route.replace('*', transferId));
    assert.equal(bench.log.errors.length, 1);
    assert.ok(bench.log.errors[0]?.startsWith(`error ${reply.reason.request ?? ''}: `));
  }

  for (const operation of operations) {
    for (const tested of getFaults(operation)) {
      fault(`§4.9 ${operation.name} survives ${tested.name}, and logs it once`, async () => {
        if (tested.reason.kind === 'timeout') await openWithShortTimeout(200);
        await expectReason(operation, tested);
      });
    }
  }

  fault('§4.7 accepts any response body to a cancel', async () => {
    bench.server.on('DELETE /api/v1/transfers/*', empty(202), html(200, 'x'), json({}));
    for (let times = 0; times < 3; times++) assert.deepEqual(await cancel({})(bench.client), { value: true });
  });

  fault('D16 waits for a body as long as data arrives', async () => {
    await openWithShortTimeout(1_000);
    bench.server.on('GET /api/v1/databases', slowBody([{ id: 'a', name: 'A' }], 8, 150));
    const reply = await bench.client.databases();
    assert.deepEqual(reply.value, [{ id: 'a', name: 'A', organization: '', url: '' }]);
  });

  fault('D16 accepts headers that arrive late but within the time limit', async () => {
    bench.server.on('GET /api/v1/databases', slowHeaders(20, json([])));
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  fault('ignores interim responses (1xx)', async () => {
    bench.server.on('GET /api/v1/databases', interim(json([])));
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  fault("reports a stopped service as unreachable, with the system's code", async () => {
    await bench.server.stop();
    const reply = await bench.client.databases();
    assert.equal(reply.reason?.kind, 'unreachable');
    assert.equal(reply.reason.code, 'ECONNREFUSED');
  });

  it("cancels a request by the caller's signal without an error in the log", async () => {
    bench.server.on('GET /api/v1/databases', silence());
    const aborting = new AbortController();
    const reply = bench.client.databases(aborting.signal);
    await bench.server.received(1);
    aborting.abort();
    assert.equal((await reply).reason?.kind, 'cancelled');
    assert.deepEqual(bench.log.errors, []);
  });

  it('sends nothing if the signal is already aborted', async () => {
    const reply = await bench.client.databases(AbortSignal.abort());
    assert.equal(reply.reason?.kind, 'cancelled');
    assert.deepEqual(bench.server.requests, []);
  });
});
