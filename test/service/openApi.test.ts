import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiCheck, Operation } from '../support/openApiCheck.ts';
import { say } from '../support/rawHttp.ts';
import { requestText, type RequestParts } from '../support/requestText.ts';
import { ServiceRig, type Answer } from '../support/serviceRig.ts';

type Json = Readonly<Record<string, unknown>>;

const orcid = '0000-0002-1825-0097';
const unknownId = '00000000-0000-4000-8000-000000000000';
const api = '/api/v1';

/** A request that every operation answers well; `{done}` stands for the id of a transfer that has ended. */
const good: Readonly<Record<string, RequestParts>> = {
  getRoot: { method: 'GET', target: '/' },
  getHealth: { method: 'GET', target: '/health' },
  getOpenApi: { method: 'GET', target: '/openapi.json' },
  listDatabases: { method: 'GET', target: `${api}/databases` },
  getDatabase: { method: 'GET', target: `${api}/databases/Source%20Data` },
  getSearchParameters: { method: 'GET', target: `${api}/databases/source-data/search-parameters` },
  searchFiles: post('/files', { database: 'Source Data', orcid, query: 'a', limit: 5, specific: { format: 'txt' } }),
  getFilesById: { method: 'GET', target: `${api}/files/by-id?database=source-data&orcid=${orcid}&ids=a.txt,b.csv` },
  fetchFilesById: post('/files/by-id', { database: 'source-data', orcid, file_ids: ['a.txt', 'b.csv'] }),
  submitTransfer: post('/transfers', { orcid, source: 'source-data', destination: 'target', file_ids: ['a.txt'] }),
  getTransferStatus: { method: 'GET', target: `${api}/transfers/{done}` },
  cancelTransfer: { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${orcid}` },
  beginLease: { method: 'POST', target: '/leases', body: '{"databases": []}' },
  getService: { method: 'GET', target: '/service' },
  stopService: { method: 'DELETE', target: '/service?replaced=false' },
};

function post(path: string, body: Json): RequestParts {
  return { method: 'POST', target: api + path, body: JSON.stringify(body) };
}

/** The statuses that every operation answers for the same reasons, with what provokes each. */
const common: Readonly<Record<number, (parts: RequestParts) => RequestParts>> = {
  400: (parts) => withHeaders(parts, { Host: undefined }),
  401: (parts) => withHeaders(parts, { Authorization: undefined }),
  403: (parts) => withHeaders(parts, { Host: 'example.org' }),
  413: (parts) => withHeaders(parts, { 'Content-Length': String(9 * 1024 * 1024) }),
  415: (parts) => withHeaders(parts, { 'Content-Type': 'text/plain' }),
  431: (parts) => withHeaders(parts, { 'X-Large': 'x'.repeat(20_000) }),
};

function withHeaders(parts: RequestParts, headers: Readonly<Record<string, string | undefined>>): RequestParts {
  return { ...parts, headers };
}

const other = '0000-0001-5109-3700';

/** What an operation answers for reasons of its own. */
const own: readonly [operationId: string, status: number, parts: RequestParts][] = [
  ['getDatabase', 404, { method: 'GET', target: `${api}/databases/nothing` }],
  ['getSearchParameters', 404, { method: 'GET', target: `${api}/databases/nothing/search-parameters` }],
  ['searchFiles', 400, { ...post('/files', {}), body: '{' }],
  ['searchFiles', 404, post('/files', { database: 'nothing', orcid, query: '' })],
  ['searchFiles', 422, post('/files', { database: 5, offset: -1, colour: 'red' })],
  ['getFilesById', 404, { method: 'GET', target: `${api}/files/by-id?database=target&orcid=${orcid}&ids=no` }],
  ['getFilesById', 422, { method: 'GET', target: `${api}/files/by-id?ids=` }],
  ['fetchFilesById', 404, post('/files/by-id', { database: 'source-data', orcid, file_ids: ['a.txt', 'no'] })],
  ['fetchFilesById', 422, post('/files/by-id', { file_ids: [1, 'a', null] })],
  ['submitTransfer', 422, post('/transfers', { orcid, source: 'target', destination: 'target', file_ids: ['a'] })],
  [
    'submitTransfer',
    404,
    post('/transfers', { orcid, source: 'source-data', destination: 'target', file_ids: ['no'] }),
  ],
  ['submitTransfer', 404, post('/transfers', { orcid, source: 'no', destination: 'target', file_ids: ['a'] })],
  ['submitTransfer', 422, post('/transfers', { orcid: '', instructions: [] })],
  ['getTransferStatus', 404, { method: 'GET', target: `${api}/transfers/${unknownId}` }],
  ['getTransferStatus', 422, { method: 'GET', target: `${api}/transfers/x` }],
  ['cancelTransfer', 403, { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${other}` }],
  ['cancelTransfer', 404, { method: 'DELETE', target: `${api}/transfers/${unknownId}?orcid=${orcid}` }],
  ['cancelTransfer', 409, { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${orcid}` }],
  ['cancelTransfer', 422, { method: 'DELETE', target: `${api}/transfers/x?more=1` }],
  ['beginLease', 422, { method: 'POST', target: '/leases', body: '{"databases": [{"folder": ""}], "more": 1}' }],
  ['stopService', 422, { method: 'DELETE', target: '/service?replaced=perhaps' }],
];

const everything = { shared: true, configured: true, idleMs: 600_000, bodyTimeLimitMs: 200 };

describe('The OpenAPI document of the local service (D26)', () => {
  let rig: ServiceRig;
  let check: OpenApiCheck;
  let done: string;
  const provoked = new Set<string>();

  before(async () => {
    const dataPackage = JSON.stringify({
      title: 'P',
      resources: [{ path: 'b.csv', title: 'B', sources: [{ title: 'x' }] }],
    });
    const files = { 'a.txt': 'a', 'b.csv': 'b', 'datapackage.json': dataPackage };
    rig = await ServiceRig.start(files, { ...everything, throttleBytesPerSecond: 1_000_000 });
    check = await rig.openApi();
    done = await rig.mustSubmit(['a.txt']);
    await rig.reaches(done, 'succeeded');
  });

  after(async () => await rig.stop());

  /** Restarts the service as the windows share it, which has every operation, over both folders. */
  async function restart(more: object = {}): Promise<void> {
    await rig.restart({ ...everything, ...more });
  }

  /** Says a request, holds the answer against the document, and notes that the status was provoked. */
  async function provoke(operationId: string, status: number, text: string, parts: RequestParts): Promise<Answer> {
    const given = await say(rig.service.address, text);
    assert.ok(given, 'there was no answer');
    const answer = await rig.checked(parts.method, parts.target.replace('{done}', done), given);
    assert.equal(answer.status, status, given.text);
    provoked.add(`${operationId} ${status}`);
    return answer;
  }

  /** The answer to a lease ends with the service at the latest: its lines are looked at then. */
  async function provokeLease(): Promise<void> {
    const response = await fetch(`${rig.service.address}/leases`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rig.service.sharingToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ databases: rig.folders }),
    });
    const { status, headers } = response;
    const text = response.text();
    await restart();
    check.check('POST', '/leases', { status, headers, text: await text });
    assert.deepEqual([status, (await text).trim().split('\n').length], [200, 2]);
    provoked.add('beginLease 200');
  }

  function textOf(parts: RequestParts): string {
    const Authorization = `Bearer ${rig.tokenFor(parts.method, parts.target)}`;
    const target = parts.target.replace('{done}', done);
    return requestText(rig.service, { ...parts, target, headers: { Authorization, ...parts.headers } });
  }

  function operations(): Operation[] {
    return Object.values(check.document.paths).flatMap((methods) => Object.values(methods));
  }

  function isDescribed(operationId: string, status: number): boolean {
    const operation = operations().find((one) => one.operationId === operationId);
    return operation !== undefined && check.response(operation, status) !== undefined;
  }

  it('keeps the rules of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(check.document));
    assert.equal(result.valid, true, JSON.stringify(result.errors));
    assert.equal(validator.version, '3.1');
  });

  it('says of every operation what it is for, and of every parameter what it takes', () => {
    const ids = operations().map((operation) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const operation of operations()) {
      for (const field of ['operationId', 'summary', 'description', 'tags']) assert.ok(operation[field], field);
      for (const parameter of operation.parameters ?? []) {
        assert.ok(parameter['description'], String(parameter['name']));
        assert.ok((parameter['schema'] as Json)['type'], String(parameter['name']));
      }
    }
  });

  it('says of every field what it means', () => {
    for (const [name, schema] of Object.entries(check.document.components.schemas)) {
      if (name === 'OpenApiDocument') continue;
      for (const [field, described] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
        assert.ok(described['description'] ?? described['$ref'], `${name}.${field}`);
      }
    }
  });

  it('gives every body an example that fits its schema', () => {
    const bodies = operations().flatMap((operation) => (operation.requestBody === undefined ? [] : [operation]));
    assert.equal(bodies.length, 4);
    for (const { requestBody, operationId } of bodies) {
      const content = (requestBody?.['content'] as Record<string, { schema: { $ref: string }; example: unknown }>)[
        'application/json'
      ];
      assert.ok(content?.example, operationId);
      check.checkAt(content.schema.$ref, content.example, `the example of ${operationId}`);
    }
  });

  it('repeats no schema: each stands once among the components', () => {
    const { components, paths } = check.document;
    const inline = JSON.stringify(paths).match(/"schema":\{"(?!\$ref)[^}]*"properties"/g);
    assert.equal(inline, null);
    for (const name of Object.keys(components.schemas)) {
      assert.ok(JSON.stringify(check.document).includes(`"#/components/schemas/${name}"`), `${name} is not used`);
    }
  });

  for (const [operationId, parts] of Object.entries(good)) {
    it(`is true of ${operationId}: what it answers when all is well`, async () => {
      const operation = operations().find((one) => one.operationId === operationId);
      const status = Number(Object.keys(operation?.responses ?? {}).find((code) => code.startsWith('2')));
      if (operationId === 'beginLease') {
        await provokeLease();
        return;
      }
      if (operationId !== 'cancelTransfer') {
        await provoke(operationId, status, textOf(parts), parts);
        if (operationId === 'stopService') await restart();
        return;
      }
      await rig.write({ 'slow.bin': 'x'.repeat(900_000) });
      await restart({ throttleBytesPerSecond: 1_000 });
      const running = { ...parts, target: parts.target.replace('{done}', await rig.mustSubmit(['slow.bin'])) };
      await provoke(operationId, status, textOf(running), running);
    });

    it(`is true of ${operationId}: what it refuses as every operation does`, async () => {
      for (const [status, change] of Object.entries(common)) {
        if (!isDescribed(operationId, Number(status))) continue;
        await provoke(operationId, Number(status), textOf(change(parts)), parts);
      }
    });

    it(`is true of ${operationId}: what it answers to headers that do not come`, async () => {
      const [head = ''] = textOf(parts).split('\r\n\r\n');
      await provoke(operationId, 408, head, parts);
    });
  }

  for (const [operationId, status, parts] of own) {
    it(`is true of ${operationId}: ${status} to ${parts.method} ${parts.target} ${parts.body ?? ''}`, async () => {
      await provoke(operationId, status, textOf(parts), parts);
    });
  }

  for (const operationId of ['searchFiles', 'getFilesById', 'fetchFilesById', 'submitTransfer']) {
    it(`is true of ${operationId}: 500 while the folder is away`, async () => {
      const parts = good[operationId];
      assert.ok(parts);
      await fs.rename(rig.source, `${rig.source}-away`);
      try {
        await provoke(operationId, 500, textOf(parts), parts);
      } finally {
        await fs.rename(`${rig.source}-away`, rig.source);
      }
    });
  }

  it('is true of getHealth: 503 while a folder is away', async () => {
    const parts = good['getHealth'];
    assert.ok(parts);
    await fs.rename(rig.source, `${rig.source}-away`);
    try {
      await provoke('getHealth', 503, textOf(parts), parts);
    } finally {
      await fs.rename(`${rig.source}-away`, rig.source);
    }
  });

  it('is true of beginLease: 500 when the names of the folders cannot be written down', async () => {
    const file = nodePath.join(rig.root, 'data', 'databases.json');
    await fs.rm(file);
    await fs.mkdir(file);
    const parts: RequestParts = { method: 'POST', target: '/leases', body: JSON.stringify({ databases: rig.folders }) };
    await provoke('beginLease', 500, textOf(parts), parts);
    await fs.rmdir(file);
  });

  it('is true of the operations on one transfer: 500 when its record cannot be read', async () => {
    await restart({
      whileStopped: () => {
        const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
        journal.prepare("UPDATE transfers SET fixed = '{' WHERE id = ?").run(done);
        journal.close();
      },
    });
    for (const operationId of ['getTransferStatus', 'cancelTransfer']) {
      const parts = good[operationId];
      assert.ok(parts);
      await provoke(operationId, 500, textOf(parts), parts);
    }
  });

  it('describes no status that was not provoked here', () => {
    const described = operations().flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    assert.deepEqual(
      described.filter((one) => !provoked.has(one)),
      [],
    );
  });
});
