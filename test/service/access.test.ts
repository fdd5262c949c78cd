import assert from 'node:assert/strict';
import * as http from 'node:http';
import { once } from 'node:events';
import type { ProblemDocument } from '../../src/contract/problem.ts';
import { ServiceRig, type Answer } from '../support/serviceRig.ts';

function assertProblem(answer: Answer, status: number, location?: string): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const problem = answer.body as ProblemDocument;
  assert.equal(problem.status, status);
  assert.ok(problem.detail);
  if (location !== undefined)
    assert.deepEqual(
      problem.errors?.map((error) => error.location),
      [location],
    );
}

describe('Access to the local service (D26)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { bodyTimeLimitMs: 100 });
  });

  after(async () => await rig.stop());

  /** A request as no `fetch` would send it; with a `start` the body is begun and never ended. */
  async function raw(options: http.RequestOptions, start?: string): Promise<{ status: number }> {
    const request = http.request(rig.service.address, { agent: false, ...options });
    if (start === undefined) request.end();
    else request.write(start);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    request.destroy();
    return { status: response.statusCode ?? 0 };
  }

  for (const path of ['/', '/api/v1/databases', '/api/v1/transfers/x', '/nothing']) {
    it(`answers 401 to ${path} without a token (§5)`, async () => {
      const response = await fetch(rig.service.address + path);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    });
  }

  const wrongTokens = ['', 'Bearer', 'Bearer wrong', 'Basic TOKEN', 'TOKEN', 'Bearer TOKEN more'];
  for (const wrong of wrongTokens) {
    it(`answers 401 to the authorization ${JSON.stringify(wrong)}`, async () => {
      const authorization = wrong.replace('TOKEN', rig.service.token);
      assertProblem(await rig.call('GET', '/', undefined, { headers: { authorization } }), 401);
    });
  }

  it('takes the token plain and in base64 (D5)', async () => {
    const plain = { headers: { authorization: `Bearer ${rig.service.token}` } };
    assert.equal((await rig.call('GET', '/', undefined, plain)).status, 200);
    assert.equal((await rig.call('GET', '/')).status, 200);
  });

  for (const host of ['example.org', 'example.org:80', '127.0.0.1', '127.0.0.1:1', 'localhost.example.org']) {
    it(`answers 403 when the Host is ${host}`, async () => {
      const headers = { host, authorization: `Bearer ${rig.service.token}` };
      assert.equal((await raw({ path: '/', headers })).status, 403);
    });
  }

  it('answers to the name localhost as well', async () => {
    const host = `localhost:${new URL(rig.service.address).port}`;
    assert.equal(
      (await raw({ path: '/', headers: { host, authorization: `Bearer ${rig.service.token}` } })).status,
      200,
    );
  });

  for (const path of ['/nothing', '/api/v1/databases/', '/api/v2/databases', '//', '/api/v1/databases/%E0%A4%A']) {
    it(`answers 404 to ${path}`, async () => assertProblem(await rig.call('GET', path), 404));
  }

  const methods: [method: string, path: string, allow: string][] = [
    ['POST', '/', 'GET'],
    ['PUT', '/api/v1/databases', 'GET'],
    ['GET', '/api/v1/files', 'POST'],
    ['DELETE', '/api/v1/files/by-id', 'GET, POST'],
    ['GET', '/api/v1/transfers', 'POST'],
    ['PATCH', '/api/v1/transfers/x', 'GET, DELETE'],
    ['OPTIONS', '/api/v1/files', 'POST'],
  ];
  for (const [method, path, allow] of methods) {
    it(`answers 405 to ${method} ${path} and says what is possible`, async () => {
      const answer = await rig.call(method, path);
      assertProblem(answer, 405);
      assert.equal(answer.headers.get('allow'), allow);
    });
  }

  it('answers 405 to HEAD, with no body', async () => {
    const answer = await rig.call('HEAD', '/');
    assert.equal(answer.status, 405);
    assert.equal(answer.body, undefined);
  });

  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    it(`answers 415 to a body of type ${contentType}`, async () => {
      const init = { body: '{}', headers: { 'content-type': contentType } };
      assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 415);
    });
  }

  it('answers 415 to a compressed body', async () => {
    const init = { body: '{}', headers: { 'content-encoding': 'gzip' } };
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 415);
  });

  for (const body of ['', '{', 'nothing', '{"a":}', Buffer.from([0x22, 0xff, 0x22])]) {
    it(`answers 400 to the body ${JSON.stringify(body.toString())}, which is no JSON`, async () => {
      assertProblem(await rig.call('POST', '/api/v1/files', undefined, { body }), 400);
    });
  }

  it('answers 413 to a body of more than 8 MiB, and lives on', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(8 * 1024 * 1024) });
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, { body }), 413);
    const stream = new Blob([body]).stream();
    const init = { body: stream, duplex: 'half' } as RequestInit;
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 413);
    assert.equal((await rig.call('GET', '/')).status, 200);
  });

  it('answers 408 to a body that does not come', async () => {
    const headers = {
      authorization: `Bearer ${rig.service.token}`,
      'content-type': 'application/json',
      'content-length': '100',
    };
    assert.equal((await raw({ method: 'POST', path: '/api/v1/files', headers }, '{')).status, 408);
  });

  it('does not repeat what was sent in a problem', async () => {
    const answer = await rig.call('POST', '/api/v1/files', {
      database: 5,
      orcid: 'secret-value',
      query: ['secret-value'],
    });
    assertProblem(answer, 422);
    assert.ok(!JSON.stringify(answer.body).includes('secret-value'));
  });

  it('never writes the token to its log', () => {
    assert.ok(!rig.logged.join('\n').includes(rig.service.token));
  });

  it('describes itself in an OpenAPI document that needs no token', async () => {
    const response = await fetch(`${rig.service.address}/openapi.json`);
    const document = (await response.json()) as { openapi: string; paths: Record<string, Record<string, unknown>> };
    assert.equal(document.openapi, '3.1.0');
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(operations.sort(), [
      'DELETE /api/v1/transfers/{id}',
      'GET /',
      'GET /api/v1/databases',
      'GET /api/v1/databases/{database}',
      'GET /api/v1/databases/{database}/search-parameters',
      'GET /api/v1/files/by-id',
      'GET /api/v1/transfers/{id}',
      'GET /openapi.json',
      'POST /api/v1/files',
      'POST /api/v1/files/by-id',
      'POST /api/v1/transfers',
    ]);
  });
});
