import assert from 'node:assert/strict';
import { dropBeforeAnswer, dropDuringBody, empty, json, plainProblem, problem } from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import type { RecordedRequest } from '../../support/faultServer.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { getRoute, getIds, metadataSuite, createIds, postRoute } from './metadataBench.ts';

const listIds = ({ body, query }: RecordedRequest): readonly string[] =>
  body === '' ? (query.get('ids') ?? '').split(',') : (JSON.parse(body) as { file_ids: string[] }).file_ids;

/** Responds like a server that drops the connection if an ID is bad and omits the files of unknown IDs. */
function dropping(bad: readonly string[], unknown: readonly string[] = []): Behavior {
  return async (request, response) => {
    const ids = listIds(request);
    const answer = ids.some((id) => bad.includes(id))
      ? dropBeforeAnswer()
      : json({ resources: ids.filter((id) => !unknown.includes(id)).map((id) => ({ id })) });
    await answer(request, response);
  };
}

describe('Metadata of IDs that drop the connection (D8)', () => {
  const { start, fetch } = metadataSuite();

  for (const [form, route] of [
    ['GET', getRoute],
    ['POST', postRoute],
  ] as const) {
    it(`names the id that drops the connection and returns all others, by ${form}`, async () => {
      const { server, log } = await start();
      server.on(getRoute, empty(405)).on(route, dropping(['id-0070']));
      const reply = await fetch(createIds(120));
      assert.deepEqual(
        reply.refusedIds?.map(({ id, reason }) => [id, reason.kind, reason.isIdAtFault]),
        [['id-0070', 'dropped', true]],
      );
      assert.deepEqual([reply.value.length, reply.reason], [119, undefined]);
      assert.ok(server.requests.length < 25, String(server.requests.length));
      assert.equal(log.errors.length, 1);
    });
  }

  it('names several such ids, adjacent or far apart', async () => {
    const { server } = await start();
    const bad = ['id-0000', 'id-0001', 'id-0250', 'id-0499'];
    server.on(getRoute, empty(405)).on(postRoute, dropping(bad));
    const reply = await fetch(createIds(500));
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.isIdAtFault]),
      bad.map((id) => [id, true]),
    );
    assert.equal(reply.value.length, 496);
  });

  it('names the only ID of a list if the service answers other requests', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, dropping(['a']));
    const reply = await fetch(['a']);
    assert.deepEqual([reply.reason?.kind, reply.reason?.isIdAtFault], ['dropped', true]);
  });

  it('names the id that drops the connection without failing as a whole if the server omits all others', async () => {
    const { server } = await start();
    server.on(getRoute, dropping(['a'], ['b']));
    const reply = await fetch(['a', 'b']);
    assert.deepEqual([reply.value, reply.reason], [[], undefined]);
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.isIdAtFault]),
      [['a', true]],
    );
  });

  it('reports no id for a connection that is lost once', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, dropBeforeAnswer(), dropBeforeAnswer(), dropping([]));
    const reply = await fetch(['a', 'b']);
    assert.deepEqual([getIds(reply.value), reply.refusedIds, reply.reason], [['a', 'b'], undefined, undefined]);
  });

  it('reports no ID if the server stops responding, and sends few requests', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, dropBeforeAnswer()).on('GET /api/v1/databases', dropBeforeAnswer());
    const reply = await fetch(createIds(2000));
    assert.deepEqual([reply.reason?.kind, reply.reason?.isIdAtFault], ['dropped', undefined]);
    assert.deepEqual([reply.value, reply.refusedIds], [[], undefined]);
    assert.ok(server.requests.length < 20, String(server.requests.length));
  });

  it('fails as a whole, after few requests, if every metadata request is dropped', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, dropBeforeAnswer());
    const reply = await fetch(createIds(2000));
    assert.deepEqual([reply.reason?.kind, reply.reason?.isIdAtFault], ['dropped', undefined]);
    assert.ok(server.requests.length < 35, String(server.requests.length));
  });

  it('stops after sixty dropped connections and returns the files found so far', async () => {
    const { server } = await start();
    const bad = createIds(500).filter((_, index) => index % 25 === 7);
    server.on(getRoute, empty(405)).on(postRoute, dropping(bad));
    const reply = await fetch(createIds(500));
    const refused = reply.refusedIds ?? [];
    assert.equal(reply.reason, undefined);
    assert.ok(reply.value.length > 50, String(reply.value.length));
    assert.ok(refused.some(({ reason }) => reason.isIdAtFault) && refused.some(({ reason }) => !reason.isIdAtFault));
    assert.ok(
      refused.every(({ id, reason }) => reason.kind === 'dropped' && (!reason.isIdAtFault || bad.includes(id))),
    );
    assert.equal(reply.value.length + refused.length, 500, 'every id is accounted for');
    assert.ok(server.requests.length < 160, String(server.requests.length));
  });

  it('fails as a whole if the server stops meanwhile', async () => {
    const bench = await start();
    const { server } = bench;
    const stopping: Behavior = (request, response) => {
      void dropBeforeAnswer()(request, response);
      void server.stop();
    };
    server.on(getRoute, empty(405)).on(postRoute, stopping);
    const reply = await fetch(createIds(20));
    assert.deepEqual([reply.reason?.kind, reply.refusedIds], ['unreachable', undefined]);
  });

  it('learns the form only from responses, not from a dropped connection', async () => {
    const { server } = await start();
    server.on(getRoute, dropBeforeAnswer(), empty(405)).on(postRoute, dropping([]));
    assert.deepEqual(getIds((await fetch(['a', 'b'])).value), ['a', 'b']);
  });

  it('applies the page before it halves a dropped batch', async () => {
    const { server } = await start();
    server.on(getRoute, dropping(['b']));
    const reply = await fetch(['a', 'b', 'c', 'd'], { offset: 1, limit: 2 });
    assert.deepEqual([getIds(reply.value), reply.refusedIds?.map(({ id }) => id)], [['c'], ['b']]);
  });

  it('retries a GET whose response is cut off (D16)', async () => {
    const { server } = await start();
    server.on(getRoute, dropDuringBody(), dropping([]));
    assert.deepEqual(getIds((await fetch(['a', 'b'])).value), ['a', 'b']);
    assert.equal(server.requests.length, 2);
  });

  it('finds the id without a colon that the public server crashes on', async () => {
    const bench = await start();
    publicLike(bench.server).crashingIds.add('nmdc-bad');
    await bench.connect();
    const ids = ['JDP:000001', 'nmdc-bad', 'JDP:000002'];
    const reply = await bench.client.fetchMetadata({
      database: 'National Microbiome Data Collaborative',
      orcid: 'O',
      ids,
    });
    assert.deepEqual(getIds(reply.value), ['JDP:000001', 'JDP:000002']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.isIdAtFault]),
      [['nmdc-bad', true]],
    );
  });
});

describe('Metadata of a database that is down (D8)', () => {
  const { start, fetch } = metadataSuite();

  it('fails as a whole if each ID fails with a 500 that names none', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, plainProblem(500, 'an error occurred with the JDP database (500)'));
    const reply = await fetch(['a', 'b', 'c']);
    assert.deepEqual([reply.reason?.kind, reply.refusedIds, reply.value], ['serverError', undefined, []]);
  });

  for (const status of [503, 502]) {
    it(`fails as a whole with ${String(status)}`, async () => {
      const { server } = await start();
      server.on(getRoute, empty(405)).on(postRoute, problem(status, "Cannot reach database 'jdp': unavailable"));
      const reply = await fetch(['a', 'b', 'c']);
      assert.deepEqual(
        [reply.reason?.kind, reply.reason?.status, reply.refusedIds],
        ['serverError', status, undefined],
      );
    });
  }

  for (const [name, answer, kind] of [
    ['404', problem(404, 'not here'), 'notFound'],
    ['410', problem(410, 'gone'), 'notFound'],
    ['a 500 that says that the id is not found', plainProblem(500, "in database 'JDP' were not found: b"), 'notFound'],
    ['a 500 that does not name the id', plainProblem(500, 'study not found'), 'serverError'],
    ['a 500 that names the id and something else', plainProblem(500, 'cannot fetch b: 503'), 'serverError'],
    ['400', problem(400, 'odd id: b'), 'refused'],
  ] as const) {
    it(`reports "${kind}" for one of several ids after ${name}`, async () => {
      const { server } = await start();
      server.on(getRoute, empty(405)).on(postRoute, async (request, response) => {
        const isBad = listIds(request).includes('b');
        await (isBad ? answer : json({ resources: listIds(request).map((id) => ({ id })) }))(request, response);
      });
      const reply = await fetch(['a', 'b', 'c']);
      assert.deepEqual(
        reply.refusedIds?.map(({ id, reason }) => [id, reason.kind]),
        [['b', kind]],
      );
      assert.deepEqual(getIds(reply.value), ['a', 'c']);
    });
  }
});
