import assert from 'node:assert/strict';
import { empty, plainProblem, problem, json } from '../../support/faultBehaviours.ts';
import { answering, getRoute, idsOf, metadataSuite, numbered, postRoute } from './metadataBench.ts';

describe('metadata of ids that are refused (D8)', () => {
  const { start, fetch } = metadataSuite();

  for (const [named, isNaming] of [
    ['names them', true],
    ['names none', false],
  ] as const) {
    for (const status of [400, 404, 410, 413, 414, 422, 500]) {
      it(`a batch refused with ${String(status)} gives all but the bad ids when the server ${named}`, async () => {
        const { server, log } = await start();
        const bad = ['id-0007', 'id-0008', 'id-0090'];
        server.on(getRoute, empty(405)).on(postRoute, answering(bad, isNaming, status));
        const reply = await fetch(numbered(120));
        assert.deepEqual(reply.refusedIds?.map(({ id }) => id).sort(), bad);
        assert.deepEqual(
          idsOf(reply.value),
          numbered(120).filter((id) => !bad.includes(id)),
        );
        assert.equal(reply.reason, undefined);
        assert.equal(log.errors.length, 1);
      });
    }
  }

  for (const [form, quote] of [
    ['in quotes', '"'],
    ['without quotes', ''],
  ] as const) {
    it(`an id is not taken for refused because a refused one, named ${form}, holds it`, async () => {
      const { server } = await start();
      const bad = ['data/a.txt.gz', 'x-data/a.txt'];
      server.on(getRoute, empty(405)).on(postRoute, async (request, response) => {
        const { file_ids: ids } = JSON.parse(request.body) as { file_ids: string[] };
        const found = ids.filter((id) => bad.includes(id)).map((id) => `${quote}${id}${quote}`);
        const answer =
          found.length > 0
            ? problem(404, `no file ${found.join(', ')}.`)
            : json({ resources: ids.map((id) => ({ id })) });
        await answer(request, response);
      });
      const reply = await fetch(['data/a.txt', ...bad, 'a']);
      assert.deepEqual(idsOf(reply.value), ['data/a.txt', 'a']);
      assert.deepEqual(
        reply.refusedIds?.map(({ id }) => id),
        bad,
      );
    });
  }

  it('bad ids here and there are found, however many refusals that takes', async () => {
    const { server } = await start();
    const bad = numbered(120).filter((_, index) => index % 11 === 5);
    server.on(getRoute, empty(405)).on(postRoute, answering(bad, false));
    const reply = await fetch(numbered(120));
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      bad,
    );
    assert.equal(reply.value.length, 120 - bad.length);
  });

  it('a batch refused by GET with a plain 500 is halved, not repeated', async () => {
    const { server } = await start();
    server.on(getRoute, answering(['b'], true, 500));
    await fetch(['a', 'b']);
    assert.deepEqual(
      server.requests.map(({ query }) => query.get('ids')),
      ['a,b', 'a', 'b'],
    );
  });

  it('hundreds of bad ids that the server names need few requests', async () => {
    const { server } = await start();
    const bad = numbered(300);
    server.on(getRoute, empty(405)).on(postRoute, answering(bad, true));
    const reply = await fetch([...bad, 'good-1', 'good-2']);
    assert.deepEqual(idsOf(reply.value), ['good-1', 'good-2']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      bad,
    );
    assert.ok(server.requests.length < 20, String(server.requests.length));
  });

  it('a server that refuses everything is not asked for each id', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, plainProblem(500, 'the database is away'));
    const reply = await fetch(numbered(500));
    assert.deepEqual(reply.value, []);
    assert.match(reply.reason?.detail ?? '', /the database is away/);
    assert.equal(reply.refusedIds, undefined);
    assert.ok(server.requests.length < 30, String(server.requests.length));
  });

  for (const [where, from] of [
    ['first', 0],
    ['in the middle', 230],
    ['last', 450],
  ] as const) {
    it(`bad ids that stand together are found although the server names none: ${where}`, async () => {
      const { server } = await start();
      const bad = numbered(500).slice(from, from + 50);
      server.on(getRoute, empty(405)).on(postRoute, answering(bad, false));
      const reply = await fetch(numbered(500));
      assert.equal(reply.reason, undefined);
      assert.deepEqual(
        reply.refusedIds?.map(({ id }) => id),
        bad,
      );
      assert.equal(reply.value.length, 450);
    });
  }

  const lookalikes: readonly (readonly [ids: readonly string[], bad: readonly string[]])[] = [
    [['id-1', 'id-10', 'id-2', 'id-3'], ['id-10']],
    [
      ['id-1', 'id-1-b', 'a-id-1', 'id-3'],
      ['id-1-b', 'a-id-1'],
    ],
    [['n', 'o', 't', 'f', 'u', 'd'], ['o']],
    [['é', 'né', 'x', 'y'], ['né']],
    [['x', 'x/y', 'z', ''], ['x/y']],
  ];
  for (const [ids, bad] of lookalikes) {
    it(`a good id is not taken for a bad one because a refusal holds its letters: ${bad.join(', ')}`, async () => {
      const { server } = await start();
      server.on(getRoute, empty(405)).on(postRoute, answering(bad, true));
      const reply = await fetch(ids);
      assert.deepEqual(reply.refusedIds?.map(({ id }) => id).sort(), [...bad].sort());
      assert.equal(reply.value.length, ids.length - bad.length);
    });
  }

  for (const status of [401, 403, 429]) {
    it(`a ${String(status)} is about the whole request, so nothing is halved`, async () => {
      const { server } = await start({ limits: { tries: 1 } });
      server.on(getRoute, problem(status, 'no'));
      const reply = await fetch(['a', 'b']);
      assert.equal(reply.reason?.status, status);
      assert.equal(server.requests.length, 1);
    });
  }

  it('a page that is refused is cut out of the ids before they are halved', async () => {
    const { server } = await start();
    server.on(getRoute, answering(['b'], false));
    const reply = await fetch(['a', 'b', 'c', 'd'], { offset: 1, limit: 2 });
    assert.deepEqual(idsOf(reply.value), ['c']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      ['b'],
    );
    assert.ok(server.requests.slice(1).every(({ url }) => !/offset|limit/.test(url)));
  });
});
