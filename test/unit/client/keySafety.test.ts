import assert from 'node:assert/strict';
import { ConnectionError } from '../../../src/core/client/reply.ts';
import { json, redirect } from '../../support/faultBehaviors.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, metadata, search, transfer, transferId, type Call } from './contractCalls.ts';

const hostile = [
  'x\r\nX-Evil: 1',
  'x\nX-Evil: 1',
  'x\r\n\r\nGET /evil HTTP/1.1\r\n\r\n',
  '../../evil',
  'a/b?c=d#e&orcid=other',
  '%0d%0aX-Evil:%201',
  '\u0000\u2028\ud800',
];

describe('The API key in requests', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
    for (const route of ['GET /api/*', 'POST /api/*', 'DELETE /api/*']) bench.server.on(route, json({ resources: [] }));
  });
  afterEach(() => bench.end());

  const calls: readonly (readonly [what: string, make: (text: string) => Call])[] = [
    ['the orcid of a search', (orcid) => search({ orcid })],
    ['the database of a search', (database) => search({ database })],
    ['the query of a search', (query) => search({ query })],
    ['the orcid of a metadata request', (orcid) => metadata({ orcid })],
    ['the database of a metadata request', (database) => metadata({ database })],
    ['an id of a metadata request', (id) => metadata({ ids: [id] })],
    ['the orcid of a submission', (orcid) => transfer({ orcid })],
    ['the source of a submission', (source) => transfer({ source })],
    ['a file id of a submission', (id) => transfer({ fileIds: [id] })],
    ['the orcid of a cancel', (orcid) => cancel({ orcid })],
    ['the id of a database', (id) => (client) => client.searchParameters(id)],
  ];
  for (const [what, make] of calls) {
    it(`no header, second request or other path results from ${what}`, async () => {
      await bench.connect();
      for (const text of hostile) await make(text)(bench.client);
      assert.ok(bench.server.requests.length >= hostile.length);
      for (const { path, url, headers } of bench.server.requests) {
        assert.match(
          path,
          /^\/api\/v1\/(files|files\/by-id|transfers|transfers\/[\da-f-]{36}|databases|databases\/[^/]+\/search-parameters)$/,
        );
        assert.doesNotMatch(url, /[\r\n\0#]|\.\.\//);
        assert.equal(headers['x-evil'], undefined);
        assert.equal(headers.authorization, `Bearer ${Buffer.from(testKey).toString('base64')}`);
      }
    });
  }

  it('no transfer ID other than a UUID is ever sent', async () => {
    await bench.connect();
    for (const id of [...hostile, `${transferId}/../..`, `${transferId}?x=1`, '']) {
      await assert.rejects(bench.client.transferStatus(id), { name: 'ValueError' });
      await assert.rejects(bench.client.cancelTransfer({ id, orcid: 'O' }), { name: 'ValueError' });
    }
    assert.deepEqual(bench.server.requests, []);
  });

  for (const scheme of ['base64', 'plain'] as const) {
    it(`no header can be injected by the key itself (${scheme}), and the error does not repeat it`, async () => {
      for (const apiKey of ['secret-word\r\nX-Evil: 1', 'secret-word\n', 'secret-wörd', 'secret-word\0']) {
        await assert.rejects(bench.client.connect({ server: bench.server.address, apiKey, scheme }), (error) => {
          assert.ok(error instanceof TypeError);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        });
      }
      assert.deepEqual(bench.server.requests, []);
    });
  }

  for (const transport of ['direct', 'editor'] as const) {
    it(`D4 is not sent over plain http to another machine by default (${transport})`, async () => {
      const fetched: string[] = [];
      const other = await startBench({
        fetch: async (address) => {
          fetched.push(address);
          return Response.json({});
        },
      });
      try {
        for (const server of [
          'http://192.0.2.1',
          'http://service.test',
          'http://localhost.evil.test',
          'http://service.localhost',
          'http://127.0.0.1.evil.test',
        ]) {
          await assert.rejects(other.client.connect({ server, apiKey: testKey, transport }), (error) => {
            assert.ok(error instanceof ConnectionError);
            return error.reason.kind === 'insecureAddress';
          });
        }
        assert.deepEqual(fetched, []);
      } finally {
        await other.end();
      }
    });

    it(`D18 is not sent elsewhere by a redirect: other port, scheme or host, a user name (${transport})`, async () => {
      const thief = await startBench();
      try {
        thief.server.on('GET /*', json([]));
        const port = String(thief.server.port);
        await bench.connect({ transport });
        for (const location of [
          thief.server.address,
          `//127.0.0.1:${port}/`,
          `http://localhost:${port}/`,
          bench.server.address.replace('http:', 'https:'),
          `http://${new URL(bench.server.address).host}@127.0.0.1:${port}/`,
          'file:///etc/passwd',
          'data:application/json,[]',
        ]) {
          bench.server.on('GET /api/v1/databases', redirect(location));
          assert.equal((await bench.client.databases()).reason?.kind, 'redirect', location);
        }
        assert.deepEqual(thief.server.requests, []);
      } finally {
        await thief.end();
      }
    });
  }
});
