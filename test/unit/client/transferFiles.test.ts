import assert from 'node:assert/strict';
import { empty, json, problem, text, type Behavior } from '../../support/faultBehaviors.ts';
import { startBench, type Bench } from './clientBench.ts';

const id = '0b9f3a51-6a3c-4a55-8f0e-3f2a8d1c7e11';
const route = `GET /transfers/${id}/files`;

describe('A request for the files of a transfer (D71)', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench();
    await bench.connect();
  });
  afterEach(() => bench.end());

  const countRequests = (): number => bench.server.requestsTo(route).length;

  it('resolves to the files and counts, and passes on state, limit and cursor', async () => {
    const file = { position: 3, id: 'a,b', path: 'x/a.csv', state: 'failed', bytes: 5 };
    const why = { failedAttempts: 2, problem: 'could not read it: permission denied' };
    bench.server.on(route, json({ files: [{ ...file, ...why }], counts: { failed: 4, transferred: 6 }, cursor: '4' }));
    const { value, reason } = await bench.client.transferFiles({ id, state: 'failed', limit: 1, cursor: '3' });
    assert.equal(reason, undefined);
    assert.deepEqual(value, {
      files: [{ position: 3, id: 'a,b', path: 'x/a.csv', state: 'failed', sizeBytes: 5, ...why }],
      counts: { failed: 4, transferred: 6 },
      cursor: '4',
    });
    assert.equal(bench.server.requests[0]?.url, `/transfers/${id}/files?state=failed&limit=1&cursor=3`);
  });

  it('leaves out files that are invalid, and states of a later version (D15)', async () => {
    const file = { position: 0, id: 'a', path: 'a', state: 'waiting' };
    const others = [null, { ...file, position: -1 }, { ...file, state: 'mended' }, { ...file, path: 5 }];
    const counts = { waiting: 1, mended: 2, staged: -1, failed: 'x' };
    bench.server.on(route, json({ files: [...others, { ...file, bytes: null, node: 'dtn1' }], counts, cursor: null }));
    assert.deepEqual(await bench.client.transferFiles({ id }), { value: { files: [file], counts: { waiting: 1 } } });
  });

  const lacking: Readonly<Record<string, Behavior>> = {
    'responds like the public server to an unknown path': text(404, '404 page not found'),
    'knows the path, but not for GET': empty(405),
    'responds to an unknown path with JSON': problem(404, 'Not Found'),
    'does not implement the route': problem(501, 'not implemented'),
  };
  for (const [title, behavior] of Object.entries(lacking)) {
    it(`asks a service that ${title} only once per connection`, async () => {
      bench.server.on(route, behavior);
      const replies: unknown[] = [];
      bench.client.onDidReply((reason) => replies.push(reason));
      for (let count = 0; count < 3; count += 1)
        assert.deepEqual(await bench.client.transferFiles({ id }), { value: undefined });
      assert.deepEqual([countRequests(), replies], [1, []]);
      await bench.connect();
      await bench.client.transferFiles({ id });
      assert.equal(countRequests(), 1);
    });
  }

  it('asks again after a 404 about the transfer itself, and after a failure, which has a reason', async () => {
    bench.server.on(
      route,
      problem(404, `There is no transfer ${id}.`),
      problem(403, 'no'),
      json({ files: [], counts: {} }),
    );
    assert.deepEqual(await bench.client.transferFiles({ id }), { value: undefined });
    assert.equal((await bench.client.transferFiles({ id })).reason?.kind, 'forbidden');
    assert.deepEqual(await bench.client.transferFiles({ id }), { value: { files: [], counts: {} } });
  });

  it('is refused before it is sent if the state is unknown', async () => {
    await assert.rejects(bench.client.transferFiles({ id, state: 'mended' as never }), TypeError);
    assert.equal(countRequests(), 0);
  });
});
