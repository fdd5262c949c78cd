import assert from 'node:assert/strict';
import type { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { json } from '../../support/faultBehaviors.ts';
import { contractRow } from '../../support/tally.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, metadata, search, transfer, transferId } from './contractCalls.ts';
import type { Call } from './contractCalls.ts';
import { answerAll } from './contractServer.ts';

interface WireRequest {
  readonly rule: string;
  readonly call: Call;
  /** Method, URL and body, byte for byte. */
  readonly sent: readonly [method: string, url: string, body: string];
}

const searchStart = '{"database":"D","orcid":"O","query":"Q"';
const searches = (rest: string): WireRequest['sent'] => ['POST', '/api/v1/files', `${searchStart}${rest}}`];
const byId = '/api/v1/files/by-id?database=D&orcid=O';
const fetches = (rest: string): WireRequest['sent'] => ['GET', `${byId}${rest}`, ''];
const transferStart = '{"orcid":"O","source":"S","destination":"T","file_ids":["a","b"]';
const submits = (rest: string): WireRequest['sent'] => ['POST', '/api/v1/transfers', `${transferStart}${rest}}`];

const rows: readonly WireRequest[] = [
  {
    rule: '§4.2 §9 D27 the listing has no body and no parameters, and is under version 1 of the API',
    call: (c) => c.databases(),
    sent: ['GET', '/api/v1/databases', ''],
  },

  { rule: '§4.3 a search sends the required fields', call: search({}), sent: searches('') },
  {
    rule: '§4.3 an integer as query is converted to a string',
    call: search({ query: 7 }),
    sent: ['POST', '/api/v1/files', '{"database":"D","orcid":"O","query":"7"}'],
  },
  {
    rule: '§4.3 a fraction as query is converted to a string',
    call: search({ query: -1.5 }),
    sent: ['POST', '/api/v1/files', '{"database":"D","orcid":"O","query":"-1.5"}'],
  },
  {
    rule: '§4.3 the number 0 as query is sent',
    call: search({ query: -0 }),
    sent: ['POST', '/api/v1/files', '{"database":"D","orcid":"O","query":"0"}'],
  },
  {
    rule: '§4.3 a large number as query is converted as by JavaScript',
    call: search({ query: 1e21 }),
    sent: ['POST', '/api/v1/files', '{"database":"D","orcid":"O","query":"1e+21"}'],
  },
  {
    rule: '§4.3 empty strings are sent',
    call: search({ database: '', orcid: '', query: '' }),
    sent: ['POST', '/api/v1/files', '{"database":"","orcid":"","query":""}'],
  },
  {
    rule: '§4.3 text is sent as UTF-8',
    call: search({ query: 'Käse "🧀"' }),
    sent: ['POST', '/api/v1/files', '{"database":"D","orcid":"O","query":"Käse \\"🧀\\""}'],
  },
  { rule: '§4.3 status staged is sent', call: search({ status: 'staged' }), sent: searches(',"status":"staged"') },
  {
    rule: '§4.3 status unstaged is sent',
    call: search({ status: 'unstaged' }),
    sent: searches(',"status":"unstaged"'),
  },
  { rule: '§4.3 an empty status is left out', call: search({ status: '' }), sent: searches('') },
  { rule: '§4.3 a status that is not given is left out', call: search({ status: undefined }), sent: searches('') },
  { rule: 'D3 status null is left out', call: search({ status: null }), sent: searches('') },
  { rule: '§4.3 an offset that is not given is left out', call: search({ offset: undefined }), sent: searches('') },
  { rule: '§4.3 offset 0 is left out', call: search({ offset: 0 }), sent: searches('') },
  { rule: 'D3 offset "0" is left out', call: search({ offset: '0' }), sent: searches('') },
  { rule: 'D3 offset -0 is left out', call: search({ offset: -0 }), sent: searches('') },
  { rule: '§4.3 an offset is sent', call: search({ offset: 3 }), sent: searches(',"offset":3') },
  { rule: 'D3 an offset in digits is sent as a number', call: search({ offset: '5' }), sent: searches(',"offset":5') },
  {
    rule: 'D3 the largest exact offset is sent',
    call: search({ offset: 9_007_199_254_740_991 }),
    sent: searches(',"offset":9007199254740991'),
  },
  { rule: '§4.3 an offset needs no limit', call: search({ offset: 7, limit: 0 }), sent: searches(',"offset":7') },
  { rule: '§4.3 a limit that is not given is left out', call: search({ limit: undefined }), sent: searches('') },
  { rule: '§4.3 a limit is sent', call: search({ limit: 1 }), sent: searches(',"limit":1') },
  { rule: 'D3 a limit in digits is sent as a number', call: search({ limit: '5' }), sent: searches(',"limit":5') },
  { rule: '§4.3 limit 0 is left out', call: search({ limit: 0 }), sent: searches('') },
  { rule: 'D3 limit "0" is left out', call: search({ limit: '0' }), sent: searches('') },
  { rule: 'D3 limit null is left out', call: search({ limit: null }), sent: searches('') },
  { rule: 'D3 limit "" is left out', call: search({ limit: '' }), sent: searches('') },
  { rule: '§4.3 an empty specific is left out', call: search({ specific: {} }), sent: searches('') },
  { rule: '§4.3 a specific that is not given is left out', call: search({ specific: undefined }), sent: searches('') },
  { rule: 'D3 specific null is left out', call: search({ specific: null }), sent: searches('') },
  {
    rule: 'D3 a specific without serializable fields is left out',
    call: search({ specific: { a: undefined } }),
    sent: searches(''),
  },
  {
    rule: '§4.3 a specific is sent unchanged',
    call: search({ specific: { f: 'ssr', n: 1, deep: { list: [true, null] } } }),
    sent: searches(',"specific":{"f":"ssr","n":1,"deep":{"list":[true,null]}}'),
  },
  {
    rule: '§4.3 all fields are sent in the order of the specification',
    call: search({ specific: { f: 'x' }, limit: 10, offset: 20, status: 'staged' }),
    sent: searches(',"status":"staged","offset":20,"limit":10,"specific":{"f":"x"}'),
  },

  { rule: '§4.4 one id is sent', call: metadata({ ids: ['a'] }), sent: fetches('&ids=a') },
  { rule: '§4.4 ids are joined by a comma', call: metadata({ ids: ['a', 'b', 'c'] }), sent: fetches('&ids=a,b,c') },
  {
    rule: 'D8 a duplicate ID is requested once',
    call: metadata({ ids: ['a', 'b', 'a'] }),
    sent: fetches('&ids=a,b'),
  },
  {
    rule: '§4.4 characters with a meaning in a URL are encoded',
    call: metadata({ database: 'D & E', orcid: 'O#1', ids: ['JDP:1', 'x/y?z=ü 1'] }),
    sent: ['GET', '/api/v1/files/by-id?database=D%20%26%20E&orcid=O%231&ids=JDP%3A1,x%2Fy%3Fz%3D%C3%BC%201', ''],
  },
  {
    rule: '§4.4 a lone surrogate is replaced',
    call: metadata({ ids: ['a\ud800'] }),
    sent: fetches('&ids=a%EF%BF%BD'),
  },
  { rule: '§4.4 offset 0 is left out', call: metadata({ offset: 0 }), sent: fetches('&ids=a,b') },
  { rule: '§4.4 an offset is sent', call: metadata({ offset: 1 }), sent: fetches('&ids=a,b&offset=1') },
  { rule: 'D3 an offset in digits is sent', call: metadata({ offset: '1' }), sent: fetches('&ids=a,b&offset=1') },
  { rule: '§4.4 an absent offset is left out', call: metadata({ offset: undefined }), sent: fetches('&ids=a,b') },
  { rule: '§4.4 a limit is sent', call: metadata({ limit: '2' }), sent: fetches('&ids=a,b&limit=2') },
  { rule: '§4.4 limit 0 is left out', call: metadata({ limit: 0 }), sent: fetches('&ids=a,b') },
  { rule: '§4.4 limit "" is left out', call: metadata({ limit: '' }), sent: fetches('&ids=a,b') },
  { rule: 'D3 limit null is left out', call: metadata({ limit: null }), sent: fetches('&ids=a,b') },
  { rule: '§4.4 an absent limit is left out', call: metadata({ limit: undefined }), sent: fetches('&ids=a,b') },
  {
    rule: '§4.4 empty strings are sent',
    call: metadata({ database: '', orcid: '', ids: [''] }),
    sent: ['GET', '/api/v1/files/by-id?database=&orcid=&ids=', ''],
  },
  {
    rule: 'D8 ids with a comma are sent by POST',
    call: metadata({ ids: ['a,b'], limit: 1 }),
    sent: ['POST', '/api/v1/files/by-id', '{"database":"D","orcid":"O","file_ids":["a,b"],"limit":1}'],
  },
  { rule: '§4.4 a page is sent', call: metadata({ offset: 1, limit: 1 }), sent: fetches('&ids=a,b&offset=1&limit=1') },

  { rule: '§4.5 a submission sends the required fields', call: transfer({}), sent: submits('') },
  {
    rule: '§4.5 file ids are sent unchanged, including duplicates',
    call: transfer({ fileIds: ['b', 'a', 'b', 'x,y', ''] }),
    sent: [
      'POST',
      '/api/v1/transfers',
      '{"orcid":"O","source":"S","destination":"T","file_ids":["b","a","b","x,y",""]}',
    ],
  },
  {
    rule: '§4.5 an empty list of file ids is sent',
    call: transfer({ fileIds: [] }),
    sent: ['POST', '/api/v1/transfers', '{"orcid":"O","source":"S","destination":"T","file_ids":[]}'],
  },
  {
    rule: '§4.5 a description is sent',
    call: transfer({ description: '# Title\n*x*' }),
    sent: submits(',"description":"# Title\\n*x*"'),
  },
  { rule: '§4.5 an empty description is left out', call: transfer({ description: '' }), sent: submits('') },
  { rule: 'D3 description null is left out', call: transfer({ description: null }), sent: submits('') },
  {
    rule: '§4.5 a description of spaces only is sent',
    call: transfer({ description: ' ' }),
    sent: submits(',"description":" "'),
  },
  {
    rule: '§4.5 instructions are sent unchanged',
    call: transfer({ instructions: { protocol: 'KBase', objects: [] } }),
    sent: submits(',"instructions":{"protocol":"KBase","objects":[]}'),
  },
  { rule: '§4.5 empty instructions are left out', call: transfer({ instructions: {} }), sent: submits('') },
  { rule: 'D3 instructions null are left out', call: transfer({ instructions: null }), sent: submits('') },
  { rule: '§4.5 the timeout is not sent', call: transfer({ timeout: 2.5 }), sent: submits('') },
  { rule: '§4.5 a null timeout counts as absent', call: transfer({ timeout: null }), sent: submits('') },
  {
    rule: '§4.5 all fields are sent in the order of the specification',
    call: transfer({ instructions: { a: 1 }, description: 'x', timeout: 5 }),
    sent: submits(',"description":"x","instructions":{"a":1}'),
  },

  {
    rule: '§4.6 a status request has the id in its path',
    call: (c) => c.transferStatus(transferId),
    sent: ['GET', `/api/v1/transfers/${transferId}`, ''],
  },
  {
    rule: '§4.6 an id in another UUID notation is sent in canonical form',
    call: (c) => c.transferStatus(`{${transferId.replaceAll('-', '').toUpperCase()}}`),
    sent: ['GET', `/api/v1/transfers/${transferId}`, ''],
  },
  {
    rule: '§4.7 a cancel has the ORCID iD in its query, and no body',
    call: cancel({ orcid: '0000-0002-1825-0097' }),
    sent: ['DELETE', `/api/v1/transfers/${transferId}?orcid=0000-0002-1825-0097`, ''],
  },
  {
    rule: '§4.7 characters with a meaning in a URL are encoded',
    call: cancel({ orcid: 'a&b=c/?#d e' }),
    sent: ['DELETE', `/api/v1/transfers/${transferId}?orcid=a%26b%3Dc%2F%3F%23d%20e`, ''],
  },
  {
    rule: '§4.7 the id of a cancel may be a URN',
    call: cancel({ id: `urn:uuid:${transferId}` }),
    sent: ['DELETE', `/api/v1/transfers/${transferId}?orcid=O`, ''],
  },
  {
    rule: 'D26 a request for search parameters has the encoded database ID in its path',
    call: (c) => c.searchParameters('a/b'),
    sent: ['GET', '/api/v1/databases/a%2Fb/search-parameters', ''],
  },
];

describe('Requests of the client (§4)', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
    answerAll(bench.server);
  });

  beforeEach(async () => {
    await bench.connect();
  });

  after(async () => {
    await bench.end();
  });

  for (const { rule, call, sent } of rows) {
    contractRow(rule, async () => {
      const reply = await call(bench.client);
      assert.equal(reply.reason, undefined);
      assert.deepEqual(
        bench.server.requests.map(({ method, url, body }) => [method, url, body]),
        [sent],
      );
    });
  }

  contractRow('§5 every request carries the token, and only bodies have a media type', async () => {
    await bench.client.databases();
    await transfer({})(bench.client);
    const expected = `Bearer ${Buffer.from(testKey).toString('base64')}`;
    assert.deepEqual(
      bench.server.requests.map(({ headers }) => [headers.authorization, headers['content-type']]),
      [
        [expected, undefined],
        [expected, 'application/json'],
      ],
    );
  });
});

describe('The root request (§4.1)', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
  });

  afterEach(async () => {
    await bench.end();
  });

  contractRow('§4.1 requests only the base address, with the token', async () => {
    await bench.client.connect({ server: bench.server.address, apiKey: testKey });
    assert.deepEqual(
      bench.server.requests.map(({ method, url, body, headers }) => [method, url, body, headers.authorization]),
      [['GET', '/', '', `Bearer ${Buffer.from(testKey).toString('base64')}`]],
    );
  });

  contractRow('§4 the path of the API is appended to the path of the base address', async () => {
    bench.server.on('GET /some/where', json({ name: 'n', version: '1' }));
    bench.server.on('GET /some/where/api/v1/databases', json([]));
    const client: DataTransferClient = bench.client;
    await client.connect({ server: `${bench.server.address}/some/where/`, apiKey: testKey });
    await client.databases();
    assert.deepEqual(
      bench.server.requests.map(({ url }) => url),
      ['/some/where', '/some/where/api/v1/databases'],
    );
  });
});
