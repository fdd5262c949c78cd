import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { findQueryMistakes } from '../../src/core/util/searchSyntax.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { requestText } from '../support/requestText.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const secret = 'this must never be disclosed';

interface Resource {
  readonly id: string;
  readonly path: string;
}

function listResources(response: Answer): Resource[] {
  return (response.body as { resources: Resource[] }).resources;
}

function listLocations(response: Answer): string[] {
  return ((response.body as ProblemDocument).errors ?? []).map((error) => error.location ?? '');
}

describe('A hostile request to the local service (D26)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'data/b.csv': 'b', '%2e%2e/c.txt': 'c', 'data/%00.txt': 'd' });
    await fs.writeFile(nodePath.join(rig.root, 'outside.txt'), secret);
  });

  after(async () => await rig.stop());

  async function search(fields: object): Promise<Answer> {
    return await rig.call('POST', '/api/v1/files', { database: 'Source Data', orcid, query: '', ...fields });
  }

  async function metadata(ids: readonly string[]): Promise<Answer> {
    return await rig.call('POST', '/api/v1/files/by-id', { database: 'Source Data', orcid, file_ids: ids });
  }

  const ids = [
    ...[
      '../outside.txt',
      '..',
      '.',
      '/',
      '',
      './a.txt',
      'a.txt/',
      'data//b.csv',
      'data/../a.txt',
      'data/../../outside.txt',
    ],
    ...[
      '/etc/passwd',
      'C:\\Windows\\win.ini',
      'C:/a',
      '\\\\host\\share',
      'data\\b.csv',
      '..\\outside.txt',
      'file:///etc/passwd',
    ],
    ...[
      '%2e%2e/outside.txt',
      '..%2foutside.txt',
      '..%252foutside.txt',
      '%252e%252e/outside.txt',
      '..%c0%afoutside.txt',
    ],
    ...['a.txt%00', 'a.txt\u0000', 'a.txt\u0000.csv', 'a.txt\n', 'a.txt ', 'A.TXT', 'ａ.txt', '\ud800', '\u202ea.txt'],
    ...['CON', 'NUL', 'aux.txt', 'a.txt::$DATA', '~root', '$HOME', '`id`', '__proto__', 'constructor', 'x'.repeat(255)],
    ...['é'.repeat(2_000), '../'.repeat(1_000), "a.txt' OR '1'='1", '*', 'a.*', '?.txt'],
  ];
  for (const id of ids) {
    it(`finds no file by the id ${JSON.stringify(id).slice(0, 40)}`, async () => {
      const response = await metadata([id]);
      assert.equal(response.status, 404);
      assert.deepEqual(listLocations(response), ['body.file_ids.0']);
      assert.equal((await rig.submit([id])).status, 404);
      const path = `/api/v1/files/by-id?database=source-data&orcid=${orcid}&ids=${encodeURIComponent(Buffer.from(id).toString())}`;
      assert.ok([404, 422].includes((await rig.call('GET', path)).status));
      assert.ok(!JSON.stringify(response.body).includes(secret));
    });
  }

  const paths = [
    '/..',
    '/../../etc/passwd',
    '/%2e%2e/',
    '/api/v1/../../etc',
    '/api/v1/databases//search-parameters',
    '//api/v1/nothing/',
  ];
  const encoded = [
    '/api/v1/databases/%00',
    '/api/v1/databases/..%2f..',
    '/api/v1/databases/%2e%2e',
    '/%5c..%5c',
    '/./',
  ];
  for (const path of [
    ...paths,
    ...encoded,
    '/api/v1/databases/a%2fb',
    '/API/V1/databases',
    '/api/v1/databases;a',
    '/*',
  ]) {
    it(`gets 404 for the path ${path}`, async () => {
      const given = await sendRaw(rig.service.address, requestText(rig.service, { method: 'GET', target: path }));
      assert.ok(given);
      assert.equal((await rig.checked('GET', path, given)).status, 404);
    });
  }

  const queries = [
    ...[
      "'",
      '"',
      '""',
      "'; DROP TABLE files; --",
      '" OR 1=1 --',
      '%',
      '_',
      '\\',
      'NEAR(a b, 5)',
      'NEAR(',
      '*',
      '*a',
      '^a',
    ],
    ...[
      '{name}: a',
      '{',
      'name:a',
      'name : a',
      '-name:a',
      'AND',
      'OR NOT',
      'a AND',
      '(((',
      '+',
      '-',
      '--a',
      '|',
      '| |',
      '"a "b',
    ],
    ...[
      'a\u0000b',
      '\u0000',
      '\ud800',
      '\udfff a',
      '\u202ea',
      '\ufeff',
      '👩‍👩‍👧‍👦',
      'ﷺ'.repeat(500),
      'a'.repeat(10_000),
      'path:',
      'path:"',
    ],
    ...[
      'path:../*',
      'path:/etc/*',
      `path:${'*'.repeat(400)}a`,
      `path:${'?'.repeat(400)}`,
      'path:[',
      'path:(a+)+$',
      'format:',
      "format:'",
    ],
    ...[
      'bytes:',
      'bytes:>',
      'bytes:>1e9',
      'bytes:>99999999999999999999999',
      'bytes:-1',
      '-path:*',
      '-format:csv',
      '-"a b"',
    ],
  ];
  for (const query of queries) {
    it(`searches for ${JSON.stringify(query).slice(0, 40)}, or gets a syntax error`, async () => {
      const response = await search({ query });
      assert.equal(response.status, findQueryMistakes(query).length === 0 ? 200 : 422);
      assert.ok(!JSON.stringify(response.body).includes(secret));
    });
  }

  const tooMuch: [name: string, fields: object, location: string][] = [
    ['100 kB of text', { query: 'a'.repeat(100_000) }, 'body.query'],
    ['10,000 words', { query: 'a '.repeat(10_000) }, 'body.query'],
    ['201 words', { query: 'a '.repeat(201) }, 'body.query'],
    ['a very long pattern', { query: `path:${'**/'.repeat(2_000)}` }, 'body.query'],
    ['many patterns', { query: `path:${'*'.repeat(99)} `.repeat(9) }, 'body.query'],
    ['a very long pattern in the parameters', { specific: { path: '*a'.repeat(300) } }, 'body.specific.path'],
  ];
  for (const [name, fields, location] of tooMuch) {
    it(`is rejected for ${name}, with the limit`, async () => {
      const response = await search(fields);
      assert.equal(response.status, 422);
      assert.deepEqual(listLocations(response), [location]);
      assert.match((response.body as ProblemDocument).errors?.[0]?.message ?? '', /\d/);
    });
  }

  const specifics: [json: string, locations: string[]][] = [
    ['{"minBytes":1e400}', ['body.specific.minBytes']],
    ['{"minBytes":-1,"maxBytes":"NaN"}', ['body.specific.minBytes', 'body.specific.maxBytes']],
    ['{"minBytes":[1],"format":{"a":1}}', ['body.specific.format', 'body.specific.minBytes']],
    ['{"sort":["name"],"order":true}', ['body.specific.sort', 'body.specific.order']],
    ['{"path":7,"modifiedAfter":20261120}', ['body.specific.path', 'body.specific.modifiedAfter']],
    ['{"modifiedAfter":"2026-13-45"}', ['body.specific.modifiedAfter']],
    ['{"__proto__":{"format":"csv"}}', ['body.specific.__proto__']],
    ['{"constructor":1,"toString":2}', ['body.specific.constructor', 'body.specific.toString']],
    [`{"path":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, ['body.specific.path']],
    ['[]', ['body.specific']],
    ['null', ['body.specific']],
    ['"format=csv"', ['body.specific']],
  ];
  for (const [json, locations] of specifics) {
    it(`is rejected for the search parameters ${json.slice(0, 40)}, with an error for each invalid one`, async () => {
      const start = JSON.stringify({ database: 'Source Data', orcid, query: '' }).slice(0, -1);
      const response = await rig.call('POST', '/api/v1/files', undefined, { body: `${start},"specific":${json}}` });
      assert.equal(response.status, 422);
      assert.deepEqual(listLocations(response), locations);
    });
  }

  const greatest = Number.MAX_SAFE_INTEGER;
  const bounds: [fields: object, found: number][] = [
    [{ minBytes: Number.MAX_VALUE }, 0],
    [{ maxBytes: Number.MAX_VALUE }, 4],
    [{ minBytes: 0.5 }, 4],
    [{ modifiedAfter: '+275760-09-13T00:00:00Z' }, 0],
    [{ format: null, path: '', sort: '', order: null }, 4],
  ];
  for (const [specific, found] of bounds) {
    it(`finds ${found} files with the search parameters ${JSON.stringify(specific)}`, async () => {
      assert.equal(listResources(await search({ specific })).length, found);
    });
  }

  const pages: [page: object, found: number | string][] = [
    [{ offset: greatest }, 0],
    [{ limit: greatest }, 4],
    [{ offset: greatest, limit: greatest }, 0],
    [{ offset: 3, limit: greatest }, 1],
    [{ offset: 0, limit: 1 }, 1],
    [{ offset: greatest + 1 }, 'body.offset'],
    [{ limit: greatest + 1 }, 'body.limit'],
    [{ offset: -1 }, 'body.offset'],
    [{ limit: 0 }, 'body.limit'],
  ];
  for (const [page, found] of pages) {
    it(`gets ${found} for the page ${JSON.stringify(page)} (§4.3)`, async () => {
      const response = await search(page);
      if (typeof found === 'number') assert.equal(listResources(response).length, found);
      else assert.deepEqual([response.status, ...listLocations(response)], [422, found]);
    });
  }

  it('is rejected immediately when a list has millions of invalid entries', async () => {
    const list = `[${'1,'.repeat(4_000_000)}1]`;
    const body = `{"database":"Source Data","orcid":"${orcid}","file_ids":${list}}`;
    const response = await rig.call('POST', '/api/v1/files/by-id', undefined, { body });
    assert.equal(response.status, 422);
    assert.equal(listLocations(response).length, 101, 'a hundred entries, and how many more there are');
  });

  it('is rejected with a limited number of names for very many unknown fields', async () => {
    const fields = Array.from({ length: 300_000 }, (_, index) => `"f${index}":0`).join();
    const response = await rig.call('POST', '/api/v1/files', undefined, { body: `{${fields}}` });
    assert.equal(response.status, 422);
    assert.equal(listLocations(response).length, 103, 'a hundred of them, and the three that are missing');
  });
});
