import assert from 'node:assert/strict';
import { empty, json, problem, text } from '../../support/faultBehaviors.ts';
import { olderPublicLike, publicLike } from '../../support/faultPersonality.ts';
import { returnFilesExcept, getRoute, getIds, metadataSuite, createIds, postRoute } from './metadataBench.ts';

describe('Metadata by IDs (D8)', () => {
  const { start, fetch } = metadataSuite();

  it('are returned in the order of the ids', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept([], false));
    assert.deepEqual(getIds((await fetch(['c', 'a', 'b'])).value), ['c', 'a', 'b']);
  });

  it('§4.4 lack ids that the server omits, and end with files that it adds', async () => {
    const { server } = await start();
    server.on(getRoute, json({ resources: [{ id: 'more' }, { id: 5 }, { id: 'b' }] }));
    assert.deepEqual(getIds((await fetch(['a', 'b'])).value), ['b', 'more', 'unreadable']);
  });

  it('keep their order if the server returns some of them twice, and omits others', async () => {
    const { server } = await start();
    server.on(getRoute, json({ resources: ['b', 'b', 'd'].map((id) => ({ id })) }));
    assert.deepEqual(getIds((await fetch(['a', 'b', 'c', 'd'])).value), ['b', 'b', 'd']);
    server.on(getRoute, json({ resources: ['d', 'b'].map((id) => ({ id })) }));
    assert.deepEqual(getIds((await fetch(['a', 'b', 'c', 'd'])).value), ['b', 'd']);
  });

  it('are read even if the server ignores the ids and responds with all of its files', async () => {
    const { server } = await start();
    const resources = Array.from({ length: 200_000 }, (_, index) => ({ id: String(index) }));
    server.on(getRoute, json({ resources }));
    const { value, reason } = await fetch(['199999', 'a']);
    assert.deepEqual([reason, value.length, getIds(value)[0]], [undefined, resources.length, '199999']);
  });

  it('are requested by POST after 405, and from then on', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept([], false));
    await fetch(['a', 'b'], { offset: 1, limit: 1 });
    await fetch(['c']);
    assert.deepEqual(
      server.requests.map(({ method, body }) => [method, body]),
      [
        ['GET', ''],
        ['POST', '{"database":"D","orcid":"O","file_ids":["a","b"],"offset":1,"limit":1}'],
        ['POST', '{"database":"D","orcid":"O","file_ids":["c"]}'],
      ],
    );
  });

  it('are requested by POST after a 404 without a problem document', async () => {
    const { server } = await start();
    server.on(getRoute, text(404, '404 page not found\n')).on(postRoute, returnFilesExcept([], false));
    assert.deepEqual(getIds((await fetch(['a'])).value), ['a']);
  });

  it('are still requested by GET after a 404 with a problem document', async () => {
    const { server } = await start();
    server.on(getRoute, problem(404, 'no such file')).on(postRoute, returnFilesExcept([], false));
    const reply = await fetch(['a']);
    assert.deepEqual(getIds(reply.value), []);
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.kind]),
      [['a', 'notFound']],
    );
    assert.equal(server.requestsTo(postRoute).length, 0);
  });

  it('fail with a reason if the server supports neither form', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, empty(405));
    const reply = await fetch(['a', 'b']);
    assert.deepEqual(reply.value, []);
    assert.equal(reply.reason?.status, 405);
    assert.equal(server.requests.length, 2);
  });

  it('fail with a reason, without splitting the batch, if the server has neither route', async () => {
    const { server } = await start();
    server.on(getRoute, text(404, '404 page not found\n')).on(postRoute, text(404, '404 page not found\n'));
    const reply = await fetch(createIds(64));
    assert.equal(reply.reason?.kind, 'notFound');
    assert.equal(reply.refusedIds, undefined);
    assert.equal(server.requests.filter(({ path }) => path.endsWith('by-id')).length, 2);
  });

  it('D7 use the name of the database again if its ID is not found either', async () => {
    const { server } = await start();
    server.on('GET /api/v1/databases', json([{ id: 'the-id', name: 'D', organization: '', url: '' }]));
    server.on(
      getRoute,
      problem(404, 'a is unknown'),
      problem(404, 'no such database'),
      json({ resources: [{ id: 'b' }] }),
    );
    await fetch(['a', 'b']);
    const requested = server.requestsTo(getRoute).map(({ query }) => query.get('database'));
    assert.deepEqual(requested.slice(0, 3), ['D', 'the-id', 'D']);
    assert.ok(!requested.slice(2).includes('the-id'));
  });

  it('are requested by GET again if the server no longer accepts POST', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept([], false));
    await fetch(['a']);
    server.on(getRoute, returnFilesExcept([], false)).on(postRoute, empty(405));
    assert.deepEqual(getIds((await fetch(['a'])).value), ['a']);
    assert.deepEqual(
      server.requests.map(({ method }) => method),
      ['GET', 'POST', 'POST', 'GET'],
    );
  });

  it('are sent by GET in addresses under 4 kB', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept([], false));
    const ids = createIds(1200).map((id) => `${id}:with a part that grows when it is encoded`);
    const reply = await fetch(ids);
    assert.deepEqual(getIds(reply.value), ids);
    assert.ok(server.requests.length > 10);
    for (const { url } of server.requests) assert.ok(server.address.length + url.length < 4000);
  });

  it('are sent by POST in batches of 500', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept([], false));
    const reply = await fetch(createIds(1100));
    assert.deepEqual(getIds(reply.value), createIds(1100));
    const sizes = server
      .requestsTo(postRoute)
      .map(({ body }) => (JSON.parse(body) as { file_ids: [] }).file_ids.length);
    assert.deepEqual(sizes, [500, 500, 100]);
  });

  it('are reduced by offset and limit, without sending these, if they need several batches', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept([], false));
    const reply = await fetch(createIds(1100), { offset: 10, limit: 600 });
    assert.deepEqual(getIds(reply.value), createIds(1100).slice(10, 610));
    const posts = server.requestsTo(postRoute);
    assert.equal(posts.length, 2);
    assert.ok(posts.every(({ body }) => !/offset|limit/.test(body)));
  });

  it('are requested by POST for an ID with a comma if the server supports both forms', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept([], false)).on(postRoute, returnFilesExcept([], false));
    const reply = await fetch(['a', 'b,c', 'd']);
    assert.deepEqual(getIds(reply.value), ['a', 'b,c', 'd']);
  });

  it('D8 are requested by GET again after ids with a comma were sent by POST', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept([], false)).on(postRoute, returnFilesExcept([], false));
    await fetch(['a,b', 'c,d']);
    await fetch(['a', 'b,c']);
    await fetch(['a']);
    assert.deepEqual(
      server.requests.map(({ method }) => method),
      ['POST', 'GET', 'POST', 'GET'],
    );
  });

  it('D8 are requested by POST in batches of 500 for ids with a comma too', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept([], false)).on(postRoute, returnFilesExcept([], false));
    const ids = ['a', ...createIds(1100).map((id) => `${id},x`)];
    assert.deepEqual(getIds((await fetch(ids)).value), ids);
    const sizes = server
      .requestsTo(postRoute)
      .map(({ body }) => (JSON.parse(body) as { file_ids: [] }).file_ids.length);
    assert.deepEqual(sizes, [500, 500, 100]);
  });

  it('report an ID with a comma if the server supports only GET, and return the other files', async () => {
    const bench = await start();
    const { server } = bench;
    olderPublicLike(server).files.add('a,b');
    server.on('POST /api/v1/files', json({ resources: [] }));
    await bench.connect();
    const reply = await bench.client.fetchMetadata({ database: 'jdp', orcid: 'O', ids: ['a,b', 'JDP:000001'] });
    assert.deepEqual(getIds(reply.value), ['JDP:000001']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.kind]),
      [['a,b', 'refused']],
    );
    assert.match(JSON.stringify(reply.refusedIds), /the ID contains a comma/);
  });

  it('report all ids if each has a comma and the server supports only GET', async () => {
    const bench = await start();
    const { server } = bench;
    olderPublicLike(server);
    await bench.connect();
    const reply = await bench.client.fetchMetadata({ database: 'jdp', orcid: 'O', ids: ['a,b', 'c,d'] });
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      ['a,b', 'c,d'],
    );
    assert.equal(server.requestsTo(getRoute).length, 0);
  });

  it('D15 are empty for `resources: null`', async () => {
    const bench = await start();
    const { server } = bench;
    publicLike(server);
    server.on(postRoute, json({ resources: null }));
    await bench.connect();
    assert.deepEqual(await bench.client.fetchMetadata({ database: 'jdp', orcid: 'O', ids: ['JDP:1'] }), { value: [] });
  });

  it('D8 report an ID that the public server does not find as not found, although it responds with 500', async () => {
    const bench = await start();
    publicLike(bench.server);
    await bench.connect();
    const request = { database: 'jdp', orcid: 'O', ids: ['JDP:000001', 'JDP:none'] };
    const { refusedIds = [] } = await bench.client.fetchMetadata(request);
    assert.deepEqual(
      refusedIds.map(({ id, reason }) => [id, reason.kind, reason.status]),
      [['JDP:none', 'notFound', 500]],
    );
  });

  it('D8 report a server failure that merely mentions an ID as a server failure', async () => {
    const bench = await start();
    bench.server.on(postRoute, problem(500, 'could not look up "a"')).on(getRoute, empty(405));
    const { refusedIds = [] } = await bench.client.fetchMetadata({ database: 'A', orcid: 'O', ids: ['a'] });
    assert.deepEqual(
      refusedIds.map(({ reason }) => reason.kind),
      ['serverError'],
    );
  });

  it('fail as a whole if a later batch fails', async () => {
    const { server } = await start({ limits: { batchIds: 2 } });
    server.on(getRoute, empty(405)).on(postRoute, json({ resources: [{ id: 'a' }] }), problem(403, 'enough'));
    const reply = await fetch(['a', 'b', 'c', 'd']);
    assert.deepEqual(reply.value, []);
    assert.equal(reply.reason?.kind, 'forbidden');
  });
});
