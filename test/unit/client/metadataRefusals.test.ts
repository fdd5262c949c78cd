import assert from 'node:assert/strict';
import { empty, plainProblem, problem, json } from '../../support/faultBehaviors.ts';
import { returnFilesExcept, getRoute, getIds, metadataSuite, createIds, postRoute } from './metadataBench.ts';

describe('Metadata of refused IDs (D8)', () => {
  const { start, fetch } = metadataSuite();

  for (const [named, isNaming] of [
    ['names them', true],
    ['names none', false],
  ] as const) {
    for (const status of [400, 404, 410, 413, 414, 422, 500]) {
      it(`returns all but the bad ids of a batch refused with ${String(status)} if the server ${named}`, async () => {
        const { server, log } = await start();
        const bad = ['id-0007', 'id-0008', 'id-0090'];
        server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept(bad, isNaming, status));
        const reply = await fetch(createIds(120));
        assert.deepEqual(reply.refusedIds?.map(({ id }) => id).sort(), bad);
        assert.deepEqual(
          getIds(reply.value),
          createIds(120).filter((id) => !bad.includes(id)),
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
    it(`does not confuse an ID with a longer refused one, named ${form}`, async () => {
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
      assert.deepEqual(getIds(reply.value), ['data/a.txt', 'a']);
      assert.deepEqual(
        reply.refusedIds?.map(({ id }) => id),
        bad,
      );
    });
  }

  for (const status of [404, 410, 500]) {
    it(`does not fail as a whole if one id is refused with ${String(status)} and the server omits all others`, async () => {
      const { server } = await start();
      server.on(getRoute, async (request, response) => {
        const isBad = (request.query.get('ids') ?? '').split(',').includes('a');
        await (isBad ? plainProblem(status, 'no') : json({ resources: [] }))(request, response);
      });
      const reply = await fetch(['a', 'b', 'c']);
      assert.deepEqual([reply.value, reply.reason], [[], undefined]);
      assert.deepEqual(
        reply.refusedIds?.map(({ id }) => id),
        ['a'],
      );
    });
  }

  it('fails as a whole if each id of the requested page is refused', async () => {
    const { server } = await start();
    server.on(getRoute, problem(404, 'no'));
    const reply = await fetch(['a', 'b', 'c'], { offset: 1, limit: 1 });
    assert.deepEqual([reply.reason?.status, reply.refusedIds?.map(({ id }) => id)], [404, ['b']]);
  });

  it('finds scattered bad ids, however many refusals that takes', async () => {
    const { server } = await start();
    const bad = createIds(120).filter((_, index) => index % 11 === 5);
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept(bad, false));
    const reply = await fetch(createIds(120));
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      bad,
    );
    assert.equal(reply.value.length, 120 - bad.length);
  });

  it('halves a batch refused by GET with a plain 500, without retrying it', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept(['b'], true, 500));
    await fetch(['a', 'b']);
    assert.deepEqual(
      server.requests.map(({ query }) => query.get('ids')),
      ['a,b', 'a', 'b'],
    );
  });

  it('needs few requests for hundreds of bad ids that the server names', async () => {
    const { server } = await start();
    const bad = createIds(300);
    server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept(bad, true));
    const reply = await fetch([...bad, 'good-1', 'good-2']);
    assert.deepEqual(getIds(reply.value), ['good-1', 'good-2']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      bad,
    );
    assert.ok(server.requests.length < 20, String(server.requests.length));
  });

  it('does not request each ID of a server that refuses everything', async () => {
    const { server } = await start();
    server.on(getRoute, empty(405)).on(postRoute, plainProblem(500, 'the database is away'));
    const reply = await fetch(createIds(500));
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
    it(`finds adjacent bad ids although the server names none: ${where}`, async () => {
      const { server } = await start();
      const bad = createIds(500).slice(from, from + 50);
      server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept(bad, false));
      const reply = await fetch(createIds(500));
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
    it(`does not reject a good ID whose letters a refusal contains: ${bad.join(', ')}`, async () => {
      const { server } = await start();
      server.on(getRoute, empty(405)).on(postRoute, returnFilesExcept(bad, true));
      const reply = await fetch(ids);
      assert.deepEqual(reply.refusedIds?.map(({ id }) => id).sort(), [...bad].sort());
      assert.equal(reply.value.length, ids.length - bad.length);
    });
  }

  for (const status of [401, 403, 429]) {
    it(`does not halve after a ${String(status)}, which is about the whole request`, async () => {
      const { server } = await start({ limits: { tries: 1 } });
      server.on(getRoute, problem(status, 'no'));
      const reply = await fetch(['a', 'b']);
      assert.equal(reply.reason?.status, status);
      assert.equal(server.requests.length, 1);
    });
  }

  it('applies the page before it halves a refused batch', async () => {
    const { server } = await start();
    server.on(getRoute, returnFilesExcept(['b'], false));
    const reply = await fetch(['a', 'b', 'c', 'd'], { offset: 1, limit: 2 });
    assert.deepEqual(getIds(reply.value), ['c']);
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      ['b'],
    );
    assert.ok(server.requests.slice(1).every(({ url }) => !/offset|limit/.test(url)));
  });
});
