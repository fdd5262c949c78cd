import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import * as net from 'node:net';
import * as os from 'node:os';
import { mock } from 'node:test';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { checkToken, digestToken } from '../../src/service/http/access.ts';
import { HttpProblem } from '../../src/service/http/httpProblem.ts';
import { sendRaw } from '../support/rawHttp.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

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
    rig = await ServiceRig.start({ 'a.txt': 'a' });
  });

  after(async () => await rig.stop());

  /** Sends a request that `fetch` can't send. If `start` is given, the body starts with it and never ends. */
  async function raw(options: http.RequestOptions, start?: string): Promise<{ status: number }> {
    const request = http.request(rig.service.address, { agent: false, ...options });
    if (start === undefined) request.end();
    else request.write(start);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    request.destroy();
    return { status: response.statusCode ?? 0 };
  }

  for (const path of ['/', '/api/v1/databases', '/api/v1/transfers/x', '/nothing']) {
    it(`responds with 401 to ${path} without a token (§5)`, async () => {
      const response = await fetch(rig.service.address + path);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    });
  }

  const wrongTokens = ['', 'Bearer', 'Bearer wrong', 'Basic TOKEN', 'TOKEN', 'Bearer TOKEN more'];
  for (const wrong of wrongTokens) {
    it(`responds with 401 to the Authorization header ${JSON.stringify(wrong)}`, async () => {
      const authorization = wrong.replace('TOKEN', rig.service.token);
      assertProblem(await rig.call('GET', '/', undefined, { headers: { authorization } }), 401);
    });
  }

  it('accepts the token plain and in base64 (D5)', async () => {
    const plain = { headers: { authorization: `Bearer ${rig.service.token}` } };
    assert.equal((await rig.call('GET', '/', undefined, plain)).status, 200);
    assert.equal((await rig.call('GET', '/')).status, 200);
  });

  /**
   * Sends the given lines and the token as one request. Replaces `PORT` with the service's port. Resolves to the status
   * of the response, if any.
   */
  async function root(...lines: readonly string[]): Promise<number | undefined> {
    const text = [...lines, 'Authorization: Bearer TOKEN', '', ''].join('\r\n');
    const port = new URL(rig.service.address).port;
    const { address, token } = rig.service;
    const sent = await sendRaw(address, text.replaceAll('PORT', port).replaceAll('TOKEN', token));
    if (sent === undefined) return undefined;
    const answer = await rig.checked('GET', '/', sent);
    if (answer.status !== 200) assertProblem(answer, answer.status);
    return answer.status;
  }

  const requests: [name: string, status: number, ...lines: string[]][] = [
    ['its address as Host', 200, 'GET / HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['the name localhost', 200, 'GET / HTTP/1.1', 'Host: localhost:PORT'],
    ['the name in capital letters', 200, 'GET / HTTP/1.1', 'Host: LOCALHOST:PORT'],
    ['the IPv6 address of loopback', 200, 'GET / HTTP/1.1', 'Host: [::1]:PORT'],
    ['an absolute target', 200, 'GET http://127.0.0.1:PORT/ HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['an absolute target without a path', 200, 'GET http://localhost:PORT HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['HTTP/1.0 with a Host', 200, 'GET / HTTP/1.0', 'Host: 127.0.0.1:PORT'],
    ['an absolute target of another host', 403, 'GET http://example.org/ HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['the Host of another server, absolute target', 403, 'GET http://127.0.0.1:PORT/ HTTP/1.1', 'Host: example.org'],
    ['a target with a name before the address', 403, 'GET http://a@127.0.0.1:PORT/ HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    ['another host', 403, 'GET / HTTP/1.1', 'Host: example.org'],
    ['another host with the port', 403, 'GET / HTTP/1.1', 'Host: example.org:PORT'],
    ['no port', 403, 'GET / HTTP/1.1', 'Host: 127.0.0.1'],
    ['another port', 403, 'GET / HTTP/1.1', 'Host: 127.0.0.1:1'],
    ['a name that starts with localhost', 403, 'GET / HTTP/1.1', 'Host: localhost.example.org:PORT'],
    ['a trailing dot', 403, 'GET / HTTP/1.1', 'Host: localhost.:PORT'],
    ['the address in another notation', 403, 'GET / HTTP/1.1', 'Host: 2130706433:PORT'],
    ['an empty Host', 403, 'GET / HTTP/1.1', 'Host:'],
    ['two hosts in one header', 403, 'GET / HTTP/1.1', 'Host: 127.0.0.1:PORT, example.org'],
    ['no Host', 400, 'GET / HTTP/1.1'],
    ['no Host in HTTP/1.0', 400, 'GET / HTTP/1.0'],
    ['two Host headers', 400, 'GET / HTTP/1.1', 'Host: 127.0.0.1:PORT', 'Host: example.org'],
    ['the same Host twice', 400, 'GET / HTTP/1.1', 'Host: 127.0.0.1:PORT', 'Host: 127.0.0.1:PORT'],
    ['a target of another scheme', 400, 'GET file://127.0.0.1:PORT/ HTTP/1.1', 'Host: 127.0.0.1:PORT'],
  ];
  for (const [name, status, ...lines] of requests) {
    it(`responds with ${status} to ${name}`, async () => assert.equal(await root(...lines), status));
  }

  const pages: [name: string, status: number, ...headers: string[]][] = [
    ['a web page of another site', 403, 'Origin: https://example.org'],
    ['a page without an origin', 403, 'Origin: null'],
    ['a page inside the editor', 403, 'Origin: vscode-webview://0abc'],
    ['a page on another port of this machine', 403, 'Origin: http://127.0.0.1:1'],
    ['a page that sends a request without CORS', 403, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
    ['a page on another port that sends a request without CORS', 403, 'Sec-Fetch-Site: same-site'],
    ['its own origin', 200, 'Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-origin'],
    ['a user who types the address', 200, 'Sec-Fetch-Site: none'],
    ['a fetch from a program', 200, 'Sec-Fetch-Mode: cors'],
  ];
  for (const [name, status, ...headers] of pages) {
    it(`responds with ${status} to ${name} with the token`, async () => {
      assert.equal(await root('GET / HTTP/1.1', 'Host: 127.0.0.1:PORT', ...headers), status);
    });
  }

  it('never allows a web page to read a response', async () => {
    const origin = { headers: { origin: 'https://example.org', 'access-control-request-method': 'POST' } };
    for (const [method, path] of [
      ['GET', '/'],
      ['OPTIONS', '/api/v1/files'],
      ['GET', '/openapi.json'],
    ] as const) {
      const { headers } = await rig.call(method, path, undefined, origin);
      assert.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  });

  it('is reachable on loopback only', async () => {
    const port = Number(new URL(rig.service.address).port);
    const others = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
    const addresses = others.map(({ address }) => address).filter((address) => address !== '127.0.0.1');
    assert.equal(new URL(rig.service.address).hostname, '127.0.0.1');
    for (const host of [...addresses.filter((address) => !address.startsWith('fe80')), '::1']) {
      const socket = net.connect({ port, host });
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      assert.ok(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EHOSTUNREACH', 'ENETUNREACH'].includes(error.code ?? ''), host);
    }
  });

  it('compares tokens by digests of equal length', () => {
    const compared: [number, number][] = [];
    const watched = mock.method(crypto, 'timingSafeEqual', (one: Buffer, other: Buffer) => {
      compared.push([one.length, other.length]);
      return one.equals(other);
    });
    syncBuiltinESMExports();
    try {
      for (const sent of ['x', rig.service.token.slice(0, -1), 'y'.repeat(5_000), rig.service.token]) {
        try {
          checkToken({ authorization: `Bearer ${sent}` }, digestToken(rig.service.token));
          assert.equal(sent, rig.service.token);
        } catch (error) {
          assert.ok(error instanceof HttpProblem && error.status === 401);
        }
      }
    } finally {
      watched.mock.restore();
      syncBuiltinESMExports();
    }
    assert.deepEqual(
      compared,
      Array.from({ length: 8 }, () => [32, 32]),
    );
  });

  for (const path of ['/nothing', '/api/v1/nothing/', '/api/v2/databases', '/api/v1/databases/%E0%A4%A']) {
    it(`responds with 404 to ${path}`, async () => assertProblem(await rig.call('GET', path), 404));
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
    it(`responds with 405 to ${method} ${path} and lists the allowed methods`, async () => {
      const answer = await rig.call(method, path);
      assertProblem(answer, 405);
      assert.equal(answer.headers.get('allow'), allow);
    });
  }

  it('responds with 405 to HEAD, without a body', async () => {
    const answer = await rig.call('HEAD', '/');
    assert.equal(answer.status, 405);
    assert.equal(answer.body, undefined);
  });

  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    it(`responds with 415 to a body of type ${contentType}`, async () => {
      const init = { body: '{}', headers: { 'content-type': contentType } };
      assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 415);
    });
  }

  it('responds with 415 to a compressed body', async () => {
    const init = { body: '{}', headers: { 'content-encoding': 'gzip' } };
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 415);
  });

  for (const body of ['', '{', 'nothing', '{"a":}', Buffer.from([0x22, 0xff, 0x22])]) {
    it(`responds with 400 to the invalid JSON body ${JSON.stringify(body.toString())}`, async () => {
      assertProblem(await rig.call('POST', '/api/v1/files', undefined, { body }), 400);
    });
  }

  it('responds with 413 to a body of more than 8 MiB, and continues', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(8 * 1024 * 1024) });
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, { body }), 413);
    const stream = new Blob([body]).stream();
    const init = { body: stream, duplex: 'half' } as RequestInit;
    assertProblem(await rig.call('POST', '/api/v1/files', undefined, init), 413);
    assert.equal((await rig.call('GET', '/')).status, 200);
  });

  it('responds with 408 to a body that does not arrive', async () => {
    await rig.restart({ bodyTimeLimitMs: 500 });
    const headers = {
      authorization: `Bearer ${rig.service.token}`,
      'content-type': 'application/json',
      'content-length': '100',
    };
    assert.equal((await raw({ method: 'POST', path: '/api/v1/files', headers }, '{')).status, 408);
    await rig.restart();
  });

  it('does not echo the request in a problem document', async () => {
    const answer = await rig.call('POST', '/api/v1/files', {
      database: 5,
      orcid: 'secret-value',
      query: ['secret-value'],
    });
    assertProblem(answer, 422);
    assert.ok(!JSON.stringify(answer.body).includes('secret-value'));
  });

  it('exposes the token neither in its log nor in a problem document', async () => {
    const { token } = rig.service;
    const encoded = Buffer.from(token).toString('base64');
    const responses = await Promise.all([
      rig.call('GET', '/', undefined, { headers: { authorization: `Bearer ${token}x` } }),
      rig.call('GET', '/', undefined, { headers: { authorization: `Basic ${encoded}` } }),
      rig.call('PUT', '/', { token }),
    ]);
    assert.ok(responses.every(({ status }) => status >= 400));
    const exposed = [...rig.logged, ...responses.map(({ body }) => JSON.stringify(body))].join('\n');
    assert.ok(!exposed.includes(token) && !exposed.includes(encoded));
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
      'GET /databases/{database}/content',
      'GET /health',
      'GET /openapi.json',
      'GET /service',
      'GET /transfers/{id}/files',
      'POST /api/v1/files',
      'POST /api/v1/files/by-id',
      'POST /api/v1/transfers',
      'POST /databases/{database}/scans',
      'POST /transfers/{id}/pause',
      'POST /transfers/{id}/resume',
    ]);
  });
});
