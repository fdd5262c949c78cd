import assert from 'node:assert/strict';
import {
  dropBeforeAnswer,
  dropDuringBody,
  empty,
  html,
  json,
  problem,
  resetBeforeAnswer,
  silence,
  slowHeaders,
  text,
} from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { fault } from '../../support/tally.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { transfer, transferId } from './contractCalls.ts';

const route = 'POST /api/v1/transfers';
const otherId = '99999999-9999-4999-8999-999999999999';

describe('A submission (D12)', () => {
  let bench: Bench;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    bench = await startBench({ clock, limits: { bodyMs: 60, headersMs: 60 } });
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  it('§4.5 returns the ID in its canonical form', async () => {
    bench.server.on(route, json({ id: transferId.toUpperCase() }, 201));
    assert.deepEqual(await transfer({})(bench.client), { value: transferId });
    assert.equal(clock.waitingCount, 0);
  });

  const unclear: Readonly<Record<string, Behavior>> = {
    'a dropped connection': dropBeforeAnswer(),
    'a reset connection': resetBeforeAnswer(),
    'a truncated response': dropDuringBody('{"id":"', 201),
    'an empty response': empty(201),
    'a web page': html(200, 'x'),
    'a response without an ID': json({}, 201),
    'an invalid ID': json({ id: '../../x' }, 201),
    'a bad gateway': html(502, 'x'),
    'a gateway timeout': html(504, 'x'),
  };

  for (const [name, behavior] of Object.entries(unclear)) {
    fault(`D12 may have been accepted after ${name}, and is not sent again`, async () => {
      bench.server.on(route, behavior);
      const reply = await transfer({})(bench.client);
      assert.equal(reply.value, undefined);
      assert.equal(reply.reason?.maybeDone, true);
      assert.equal(bench.server.requests.length, 1);
    });
  }

  for (const status of [400, 401, 403, 404, 409, 413, 422, 429, 500, 503]) {
    fault(`D12 was not accepted after ${String(status)}`, async () => {
      bench.server.on(route, problem(status, 'no'));
      const reply = await transfer({})(bench.client);
      assert.equal(reply.reason?.status, status);
      assert.equal(reply.reason.maybeDone, undefined);
    });
  }

  fault('D12 was not accepted if no connection could be opened', async () => {
    await bench.server.stop();
    const reply = await transfer({})(bench.client);
    assert.equal(reply.reason?.kind, 'unreachable');
    assert.equal(reply.reason.maybeDone, undefined);
  });

  it('D16 waits ten minutes by default', async () => {
    bench.server.on(route, silence());
    const reply = transfer({})(bench.client);
    await bench.server.received(1);
    await clock.pass(599_999);
    assert.equal(clock.waitingCount, 1);
    await clock.pass(1);
    const { reason } = await reply;
    assert.equal(reason?.kind, 'timeout');
    assert.equal(reason.maybeDone, true);
  });

  it('D16 is not ended by the time limit of other requests', async () => {
    bench.server.on(route, slowHeaders(1500, json({ id: transferId }, 201)));
    assert.deepEqual(await transfer({})(bench.client), { value: transferId });
  });

  it('§4.5 waits for `timeout` seconds', async () => {
    bench.server.on(route, silence());
    const reply = transfer({ timeout: 2.5 })(bench.client);
    await bench.server.received(1);
    await clock.pass(2499);
    assert.equal(clock.waitingCount, 1);
    await clock.pass(1);
    assert.equal((await reply).reason?.kind, 'timeout');
    assert.equal(bench.server.requests.length, 1);
  });

  it('D12 may have been accepted if the caller stops waiting for it', async () => {
    bench.server.on(route, silence());
    const aborting = new AbortController();
    const request = { orcid: 'O', source: 'S', destination: 'T', fileIds: ['a'] };
    const reply = bench.client.transfer(request, { signal: aborting.signal });
    await bench.server.received(1);
    aborting.abort();
    assert.equal((await reply).reason?.maybeDone, true);
  });

  it('D12 was not accepted if the caller stopped before it was sent', async () => {
    const request = { orcid: 'O', source: 'S', destination: 'T', fileIds: ['a'] };
    const { reason } = await bench.client.transfer(request, { signal: AbortSignal.abort() });
    assert.equal(reason?.kind, 'cancelled');
    assert.equal(reason.maybeDone, undefined);
    assert.deepEqual(bench.server.requests, []);
  });

  it('is the only operation that can be doubtful', async () => {
    bench.server.on('POST /api/v1/files', dropBeforeAnswer());
    const { reason } = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    assert.equal(reason?.kind, 'dropped');
    assert.equal(reason.maybeDone, undefined);
  });
});

describe('The status of a transfer (D11)', () => {
  let bench: Bench;
  const statusRoute = 'GET /api/v1/transfers/*';
  const own = { id: transferId, status: 'active', num_files: 2, num_files_transferred: 1 };
  const mixed = { ...own, status: 'failed', message: `Transfer ${otherId}: failed (x)` };

  beforeEach(async () => {
    bench = await startBench();
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  fault('D39 is reported without invalid counts', async () => {
    bench.server.on(statusRoute, json({ ...own, num_files: -5, num_files_transferred: 1e300 }));
    const { value } = await bench.client.transferStatus(transferId);
    assert.deepEqual(value, { id: transferId, status: 'active' });
  });

  const foreign: Readonly<Record<string, unknown>> = {
    'another id': { ...own, id: otherId },
    'an id that is none': { ...own, id: 'x' },
    'a message about another transfer': mixed,
    'a message about another transfer, with spaces before': { ...own, message: ` Transfer ${otherId}: canceled` },
  };

  for (const [name, status] of Object.entries(foreign)) {
    fault(`D11 is requested again after ${name}`, async () => {
      bench.server.on(statusRoute, json(status), json(status), json(own));
      const reply = await bench.client.transferStatus(transferId);
      assert.equal(reply.value?.status, 'active');
      assert.equal(reply.value.doubtful, undefined);
      assert.equal(bench.server.requests.length, 3);
    });
  }

  fault('D11 is reported as doubtful after three foreign responses in a row', async () => {
    bench.server.on(statusRoute, json(mixed), json(mixed), json({ ...mixed, num_files: 9 }), json(own));
    const reply = await bench.client.transferStatus(transferId);
    assert.deepEqual(reply.value, { ...reply.value, doubtful: true, status: 'failed', fileCount: 9 });
    assert.equal(bench.server.requests.length, 3);
  });

  const ordinary: readonly string[] = [
    `Transfer ${transferId}: staging 4 file(s) (0.66 GB)`,
    `Transfer ${transferId.toUpperCase()}: canceled`,
    `Transfer {${transferId}}: canceled`,
    'Transfer of everything: going on',
    `the transfer ${otherId}: is a friend`,
    '',
  ];

  for (const message of ordinary) {
    it(`D11 is accepted with the message ${JSON.stringify(message)}`, async () => {
      bench.server.on(statusRoute, json({ ...own, message }));
      const reply = await bench.client.transferStatus(transferId);
      assert.equal(reply.value?.message, message);
      assert.equal(bench.server.requests.length, 1);
    });
  }

  for (const id of [transferId.toUpperCase(), transferId.replaceAll('-', ''), `{${transferId}}`]) {
    it(`D11 is accepted with its id written as ${id}`, async () => {
      bench.server.on(statusRoute, json({ ...own, id }));
      assert.equal((await bench.client.transferStatus(transferId)).value?.status, 'active');
      assert.equal(bench.server.requests.length, 1);
    });
  }

  it('D11 is requested for one transfer at a time, in the order of the calls', async () => {
    const release: (() => void)[] = [];
    bench.server.on('GET /api/v1/databases', json([]));
    bench.server.on(statusRoute, async (request, response) => {
      await new Promise<void>((resolve) => release.push(resolve));
      await json({ status: 'active' })(request, response);
    });
    const ids = Array.from({ length: 4 }, (_, index) => transferId.slice(0, -2) + String(index + 10));
    const replies = ids.map((id) => bench.client.transferStatus(id));
    for (let answered = 1; answered <= ids.length; answered++) {
      // When these requests have completed, the server would have received a second status request, too.
      for (let times = 0; times < 3; times++) await bench.client.databases();
      assert.equal(bench.server.requestsTo(statusRoute).length, answered);
      release.at(-1)?.();
      await replies[answered - 1];
    }
    const requested = bench.server.requestsTo(statusRoute).map(({ path }) => path.split('/').at(-1));
    assert.deepEqual(requested, ids);
  });

  it('is released immediately if the caller aborts while it waits in the queue, which continues', async () => {
    const release: (() => void)[] = [];
    bench.server.on(
      statusRoute,
      async (request, response) => {
        await new Promise<void>((resolve) => release.push(resolve));
        await json(own)(request, response);
      },
      json({ status: 'active' }),
    );
    const first = bench.client.transferStatus(transferId);
    await bench.server.received(1);
    const aborting = new AbortController();
    const second = bench.client.transferStatus(otherId, aborting.signal);
    const third = bench.client.transferStatus(otherId);
    aborting.abort();
    assert.equal((await second).reason?.kind, 'cancelled');
    assert.equal(bench.server.requests.length, 1);
    for (const go of release) go();
    assert.equal((await first).value?.status, 'active');
    assert.equal((await third).value?.status, 'active');
  });

  it('does not block the queue if a request fails', async () => {
    bench.server.on(statusRoute, problem(404, 'no'), text(200, 'x'), json(own));
    const replies = await Promise.all([1, 2, 3].map(() => bench.client.transferStatus(transferId)));
    assert.deepEqual(
      replies.map(({ reason }) => reason?.kind),
      ['notFound', 'unreadable', undefined],
    );
  });

  it('is correct even if a public-like server mixes up two responses', async () => {
    const state = publicLike(bench.server);
    await bench.connect();
    const submitted = await bench.client.transfer({ orcid: 'O', source: 'jdp', destination: 'kbase', fileIds: ['a'] });
    state.mixedUpAnswers = 2;
    const { value } = await bench.client.transferStatus(submitted.value ?? '');
    assert.equal(value?.status, 'staging');
    assert.equal(value.fileCount, 1);
  });

  it('D13 does not change on the public-like server after a cancel during staging', async () => {
    const state = publicLike(bench.server);
    await bench.connect();
    const { value: id = '' } = await bench.client.transfer({
      orcid: 'O',
      source: 'jdp',
      destination: 'kbase',
      fileIds: ['a'],
    });
    assert.deepEqual(await bench.client.cancelTransfer({ id, orcid: 'O' }), { value: true });
    assert.equal((await bench.client.transferStatus(id)).value?.status, 'staging');
    const refused = await bench.client.cancelTransfer({ id, orcid: 'somebody else' });
    assert.equal(refused.value, undefined);
    assert.match(refused.reason?.detail ?? '', /invalid Orcid/);
    const unknown = await bench.client.cancelTransfer({ id: otherId, orcid: 'O' });
    assert.equal(unknown.reason?.kind, 'notFound', 'the public server responds with 500');
    assert.equal(state.transfers.get(id)?.status, 'staging');
  });
});
