import assert from 'node:assert/strict';
import { ServerDialects } from '../../../src/core/client/serverDialect.ts';
import { html, json, plainProblem, problem } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';

const listing = [
  { id: 'jdp', name: 'JGI Data Portal', organization: 'JGI', url: '' },
  { id: 'nmdc', name: 'NMDC', organization: 'N', url: '' },
];

describe('The name of a database in requests (D7)', () => {
  let bench: Bench;
  const dialects = new ServerDialects();

  beforeEach(async () => {
    bench = await startBench({ dialects });
    bench.server.on('GET /api/v1/databases', json(listing));
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  const search = { database: 'JGI Data Portal', orcid: 'O', query: '' };

  function databasesSent(): unknown[] {
    return bench.server
      .requestsTo('POST /api/v1/files')
      .map(({ body }) => (JSON.parse(body) as typeof search).database);
  }

  it('§2.2 is its name', async () => {
    bench.server.on('POST /api/v1/files', json({ resources: [] }));
    await bench.client.search(search);
    assert.deepEqual(databasesSent(), ['JGI Data Portal']);
    assert.equal(bench.server.requestsTo('GET /api/v1/databases').length, 0);
  });

  it('D7 is its ID after a 404, and in all later requests', async () => {
    const state = publicLike(bench.server);
    await bench.connect();
    const first = await bench.client.search(search);
    const second = await bench.client.search(search);
    assert.deepEqual(databasesSent(), ['JGI Data Portal', 'jdp', 'jdp']);
    assert.equal(first.reason, undefined);
    assert.equal(second.value.length, 50);
    assert.equal(second.value[0]?.kind === 'file' && second.value[0].database, 'JGI Data Portal');
    assert.deepEqual(bench.log.errors, []);
    assert.equal(state.key, testKey);
  });

  it('D7 lists the databases first if there is no listing yet, and only once', async () => {
    publicLike(bench.server);
    await bench.connect();
    await bench.client.search(search);
    await bench.client.search(search);
    assert.equal(bench.server.requestsTo('GET /api/v1/databases').length, 1);
  });

  it('D7 is not the ID if that is the name of another database', async () => {
    bench.server.on('GET /api/v1/databases', json([...listing, { id: 'x', name: 'jdp', organization: '', url: '' }]));
    bench.server.on('POST /api/v1/files', problem(404, 'not found'));
    const reply = await bench.client.search(search);
    assert.deepEqual(databasesSent(), ['JGI Data Portal']);
    assert.equal(reply.reason?.kind, 'notFound');
  });

  it('D7 is not learned if the ID is not found either; the first response is reported', async () => {
    bench.server.on('POST /api/v1/files', problem(404, 'first'), problem(404, 'second'));
    const reply = await bench.client.search(search);
    assert.equal(reply.reason?.detail, 'first');
    bench.server.on('POST /api/v1/files', json({ resources: [] }));
    await bench.client.search(search);
    assert.deepEqual(databasesSent(), ['JGI Data Portal', 'jdp', 'JGI Data Portal']);
  });

  it('D7 is not learned from an ID that is refused for another reason, which is reported', async () => {
    bench.server.on('POST /api/v1/files', problem(404, 'first'), problem(400, 'bad parameter'));
    const reply = await bench.client.search(search);
    assert.equal(reply.reason?.detail, 'bad parameter');
    assert.deepEqual(dialects.get({ address: bench.server.address, name: '', version: '1.2' }), {});
  });

  it('D7 stays as given if no database has that name', async () => {
    bench.server.on('POST /api/v1/files', problem(404, 'not found'));
    await bench.client.search({ ...search, database: 'unheard of' });
    assert.deepEqual(databasesSent(), ['unheard of']);
  });

  it('D7 stays as given if the listing fails', async () => {
    bench.server.on('GET /api/v1/databases', html(400, 'no'));
    bench.server.on('POST /api/v1/files', problem(404, 'not found'));
    const reply = await bench.client.search(search);
    assert.equal(reply.reason?.kind, 'notFound');
    assert.equal(bench.log.errors.length, 1);
  });

  it('D7 is never guessed by a submission', async () => {
    bench.server.on('POST /api/v1/transfers', problem(404, 'not found'));
    const reply = await bench.client.transfer({ orcid: 'O', source: 'NMDC', destination: 'x', fileIds: ['a'] });
    assert.equal(reply.reason?.kind, 'notFound');
    assert.equal(bench.server.requests.length, 1);
  });

  it('D7 is learned by a metadata request for the source and destination of a submission', async () => {
    const state = publicLike(bench.server);
    await bench.connect();
    await bench.client.fetchMetadata({ database: 'JGI Data Portal', orcid: 'O', ids: [...state.files].slice(0, 2) });
    const reply = await bench.client.transfer({
      orcid: 'O',
      source: 'JGI Data Portal',
      destination: 'KBase Workspace Service (KSS)',
      fileIds: ['JDP:000001'],
    });
    assert.equal(reply.reason, undefined);
    assert.match(bench.server.requests.at(-1)?.body ?? '', /"source":"jdp","destination":"kbase"/);
  });

  it('D7 is learned by a metadata request even if its first ids are refused', async () => {
    publicLike(bench.server);
    await bench.connect();
    const ids = ['JDP:bad', 'JDP:000001'];
    const reply = await bench.client.fetchMetadata({ database: 'JGI Data Portal', orcid: 'O', ids });
    assert.deepEqual(
      reply.value.map((file) => file.kind === 'file' && file.id),
      ['JDP:000001'],
    );
    assert.deepEqual(
      reply.refusedIds?.map(({ id }) => id),
      ['JDP:bad'],
    );
    const service = bench.client.service;
    assert.ok(service);
    assert.deepEqual(dialects.get(service), { idsWanted: true, metadataForm: 'post' });
  });

  it('D7 is learned for one version of one server', () => {
    const learned = new ServerDialects();
    const service = { address: 'https://a.example', name: 'n', version: '1' };
    learned.learn(service, { idsWanted: true });
    assert.deepEqual(learned.get({ ...service, version: '2' }), {});
    assert.deepEqual(learned.get({ ...service, address: 'https://b.example' }), {});
    learned.learn({ ...service, version: '2' }, { metadataForm: 'post' });
    assert.deepEqual(learned.get({ ...service, version: '2' }), { metadataForm: 'post' });
  });

  it('D7 is stored for the last fifty servers', () => {
    const learned = new ServerDialects();
    const services = Array.from({ length: 52 }, (_, place) => ({
      address: `http://127.0.0.1:${String(place + 1)}`,
      name: 'n',
      version: '1',
    }));
    for (const service of services) learned.learn(service, { idsWanted: true });
    assert.deepEqual(
      Object.keys(learned.toJSON()),
      services.slice(2).map(({ address }) => address),
    );
  });

  it('D7 is saved across restarts, with an event for each change', () => {
    const service = { address: 'https://a.example', name: 'n', version: '1' };
    const learned = new ServerDialects();
    let events = 0;
    learned.onDidLearn(() => events++);
    learned.learn(service, { idsWanted: true });
    learned.learn(service, { idsWanted: true });
    learned.learn(service, { metadataForm: 'get' });
    assert.equal(events, 2);
    const again = new ServerDialects(JSON.parse(JSON.stringify(learned)));
    assert.deepEqual(again.get(service), { ...learned.get(service) });
  });

  for (const saved of [
    undefined,
    null,
    5,
    'x',
    [],
    { a: 5 },
    { a: { version: 5 } },
    { a: { version: '1', dialect: [] } },
  ]) {
    it(`D7 ignores invalid saved data: ${JSON.stringify(saved)}`, () => {
      assert.deepEqual(new ServerDialects(saved).toJSON(), {});
    });
  }

  it("D14 reports an unknown database with the server's text", async () => {
    bench.server.on('POST /api/v1/files', plainProblem(500, 'search is not implemented'));
    const reply = await bench.client.search(search);
    assert.equal(reply.reason?.detail, 'unexpected error occurred; search is not implemented');
  });
});
