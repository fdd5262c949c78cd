import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { gzipSync } from 'node:zlib';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { RawConnections, sendRaw, type RawConnection } from '../support/rawHttp.ts';
import { requestText, type RequestParts } from '../support/requestText.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const mebibyte = 1024 * 1024;
const search: RequestParts = {
  method: 'POST',
  target: '/api/v1/files',
  body: JSON.stringify({ database: 'Source Data', orcid, query: '' }),
};
const root: RequestParts = { method: 'GET', target: '/' };

describe('A request to the local service on the wire (D26)', () => {
  let rig: ServiceRig;
  let connections: RawConnections;

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' });
  });

  after(async () => await rig.stop());

  beforeEach(() => (connections = new RawConnections(() => rig.service.address)));

  afterEach(() => connections.end());

  function text(parts: RequestParts): string {
    return requestText(rig.service, parts);
  }

  /** Returns the next response on a connection, after checking it against the OpenAPI document. */
  async function next(connection: RawConnection, { method, target }: RequestParts = search): Promise<Answer> {
    const given = await connection.answer();
    assert.ok(given, 'there was no answer');
    return await rig.checked(method, target, given);
  }

  async function assertServes(): Promise<void> {
    assert.equal((await rig.call('GET', '/')).status, 200);
    assert.ok(!rig.logged.some((line) => line.includes('failed')), rig.logged.join('\n'));
  }

  function assertProblem(answer: Answer, status: number): void {
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal((answer.body as ProblemDocument).status, status);
  }

  describe('gets a problem document and a closed connection when it is malformed:', () => {
    const malformed: [name: string, status: number, text: string][] = [
      ['a line that is not a request', 400, 'hello\r\n\r\n'],
      ['an unknown method', 400, 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['an unknown version', 400, 'GET / HTTP/3.1\r\nHost: a\r\n\r\n'],
      ['a space in the target', 400, 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a header without a name', 400, 'GET / HTTP/1.1\r\n: a\r\n\r\n'],
      ['a header with a NUL', 400, 'GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n'],
      ['a folded header', 400, 'GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n'],
      ['a TLS handshake', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['two lengths', 400, 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      [
        'both a length and chunks',
        400,
        'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['a length that is not a number', 400, 'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n'],
      ['a negative length', 400, 'POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n'],
      ['a target of 20 kB', 431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
      ['headers of 20 kB', 431, `GET / HTTP/1.1\r\n${'A: bbbb\r\n'.repeat(5_000)}\r\n`],
      ['headers that do not end', 431, `GET / HTTP/1.1\r\nA: ${'b'.repeat(100_000)}`],
    ];
    for (const [name, status, sent] of malformed) {
      it(name, async () => {
        const connection = await connections.open();
        connection.write(Buffer.from(sent, 'latin1'));
        const answer = await next(connection, { method: 'GET', target: '/' });
        assertProblem(answer, status);
        assert.equal(answer.headers.get('connection'), 'close');
        await connection.ended();
        await assertServes();
      });
    }

    it('with a method that requests a tunnel', async () => {
      const given = await sendRaw(
        rig.service.address,
        'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n',
      );
      assert.equal(given?.status, 405);
      assert.equal(given.headers.get('allow'), 'GET, POST, DELETE');
    });
  });

  it('may have very many headers: none is dropped', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `${index.toString(36)}:`).join('\r\n');
    const host = `Host: ${new URL(rig.service.address).host}`;
    const head = `GET / HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${rig.service.token}\r\n${lines}`;
    const [one, two] = await Promise.all([
      sendRaw(rig.service.address, `${head}\r\n\r\n`),
      sendRaw(rig.service.address, `${head}\r\n${host}\r\n\r\n`),
    ]);
    assert.equal(one?.status, 200);
    assert.equal(two?.status, 400);
  });

  describe('may have a body', () => {
    function chunkedHead(): string {
      const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      return text({ method: search.method, target: search.target, headers });
    }

    it('in chunks of any size', async () => {
      const body = search.body ?? '';
      const pieces = Array.from(body, (sign) => `1\r\n${sign}\r\n`).join('');
      const connection = await connections.open();
      connection.write(`${chunkedHead()}${pieces}0\r\n\r\n`);
      assert.equal((await next(connection)).status, 200);
    });

    for (const [name, chunks] of [
      ['whose size is not a number', 'zz\r\n{}\r\n0\r\n\r\n'],
      ['whose size is negative', '-1\r\n{}\r\n0\r\n\r\n'],
      ['that is longer than its size', '1\r\n{}}}}}\r\n0\r\n\r\n'],
      ['whose size exceeds the number range', 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ] as const) {
      it(`but not with a chunk ${name}`, async () => {
        const connection = await connections.open();
        connection.write(chunkedHead() + chunks);
        assertProblem(await next(connection), 400);
        await connection.ended();
        await assertServes();
      });
    }

    it('but not an endless one in chunks: 413, and the connection is closed', async () => {
      const connection = await connections.open();
      connection.write(chunkedHead());
      const chunk = `100000\r\n${'x'.repeat(mebibyte)}\r\n`;
      const writeChunk = (): void => {
        if (connection.socket.writable) connection.socket.write(chunk, writeChunk);
      };
      writeChunk();
      assertProblem(await next(connection), 413);
      await connection.ended();
      await assertServes();
    });

    it('but not one with a length of more than 8 MiB: 413 before any of it is read', async () => {
      const connection = await connections.open();
      connection.write(text({ ...search, headers: { 'Content-Length': String(8 * mebibyte + 1) } }));
      assertProblem(await next(connection), 413);
    });

    it('of exactly 8 MiB, but not a byte more', async () => {
      const other = await ServiceRig.start({ 'a.txt': 'a' });
      try {
        const body = search.body ?? '';
        const spaces = ' '.repeat(8 * mebibyte - body.length);
        assert.equal((await other.call('POST', search.target, undefined, { body: spaces + body })).status, 200);
        assert.equal((await other.call('POST', search.target, undefined, { body: ` ${spaces}${body}` })).status, 413);
      } finally {
        await other.stop();
      }
    });

    it('but not a compressed one, which could be of any size', async () => {
      const body = gzipSync(Buffer.alloc(50 * mebibyte));
      const headers = { 'content-encoding': 'gzip' };
      assertProblem(await rig.call('POST', search.target, undefined, { body, headers }), 415);
    });

    it('that is longer than its length: the rest is not a request', async () => {
      const connection = await connections.open();
      connection.write(
        text({
          ...search,
          body: `${search.body ?? ''}garbage`,
          headers: { 'Content-Length': String(search.body?.length) },
        }),
      );
      assert.equal((await next(connection)).status, 200);
      assertProblem(await next(connection), 400);
      await connection.ended();
    });

    it('that is requested with 100-continue only when it would be read', async () => {
      const expect = { Expect: '100-continue' };
      const connection = await connections.open();
      connection.write(text({ ...search, headers: expect }));
      assert.equal((await next(connection)).status, 200);
      const refused = await connections.open();
      refused.write(text({ ...search, headers: { ...expect, 'Content-Length': String(9 * mebibyte) } }));
      assertProblem(await next(refused), 413);
      assert.equal(connection.interim, 1);
      assert.equal(refused.interim, 0);
    });
  });

  describe('must arrive in time:', () => {
    before(async () => await rig.restart({ bodyTimeLimitMs: 300 }));

    after(async () => await rig.restart());

    /** Sends `first` at once, then the characters of `rest` one by one, over and over, until a response arrives. */
    async function sendSlowly(first: string, rest: string): Promise<Answer> {
      const connection = await connections.open();
      connection.write(first);
      let place = 0;
      const timer = setInterval(() => connection.write(rest[place++ % rest.length] ?? ''), 20);
      try {
        return await next(connection);
      } finally {
        clearInterval(timer);
      }
    }

    it('slow headers end with 408', async () => {
      assertProblem(await sendSlowly('POST /api/v1/files HTTP/1.1\r\n', 'a: b\r\n'), 408);
    });

    it('a slow body ends with 408', async () => {
      assertProblem(await sendSlowly(text({ ...search, headers: { 'Content-Length': '100000' } }), ' '), 408);
    });

    it('a body that is shorter than its length ends with 408', async () => {
      const connection = await connections.open();
      connection.write(text({ ...search, headers: { 'Content-Length': '1000' } }));
      assertProblem(await next(connection), 408);
      await connection.ended();
    });

    it('a silent connection is closed', async () => {
      const connection = await connections.open();
      assertProblem(await next(connection), 408);
      await connection.ended();
    });
  });

  describe('can be one of several on a connection:', () => {
    it('pipelined requests get their responses in order', async () => {
      const connection = await connections.open();
      const queries = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? root : search));
      connection.write(queries.map(text).join(''));
      for (const query of queries) {
        const answer = await next(connection, query);
        assert.equal(answer.status, 200);
        assert.equal('name' in (answer.body as object), query === root);
      }
    });

    it('those that wait get their responses, and one beyond 256 of them gets 503 and ends the connection (D40)', async () => {
      const connection = await connections.open();
      connection.write(text(root).repeat(2_000));
      let count = 0;
      let answer = await connection.answer();
      for (; answer?.status === 200; answer = await connection.answer()) count += 1;
      assert.ok(count >= 256, `${count} responses`);
      const { status, title } = JSON.parse(answer?.text ?? '') as ProblemDocument;
      assert.deepEqual([answer?.status, status, title], [503, 503, 'Service Unavailable']);
      await connection.ended();
    });

    it('256 that wait are accepted again after their responses', async () => {
      const connection = await connections.open();
      for (let round = 0; round < 3; round += 1) {
        connection.write(text(root).repeat(256));
        for (let count = 0; count < 256; count += 1) assert.equal((await next(connection, root)).status, 200);
      }
    });

    it('those beyond 256 that wait are not even read, so that they use no memory (D40)', async () => {
      let received = 0;
      const count = (): void => void (received += 1);
      subscribe('http.server.request.start', count);
      const connection = await connections.open();
      connection.write(text(root).repeat(100_000));
      let answer = await connection.answer();
      while (answer?.status === 200) answer = await connection.answer();
      await connection.ended();
      unsubscribe('http.server.request.start', count);
      assert.equal(answer?.status, 503);
      assert.ok(received > 256 && received < 10_000, `${received} requests`);
      await assertServes();
    });

    it('an invalid one gets its response in turn, and ends the connection', async () => {
      const connection = await connections.open();
      connection.write(`${text(search)}${text(root)}garbage\r\n\r\n`);
      assert.equal((await next(connection, search)).status, 200);
      assert.equal((await next(connection, root)).status, 200);
      assertProblem(await next(connection, root), 400);
      await connection.ended();
    });

    it('a rejected one does not end a valid connection', async () => {
      const connection = await connections.open();
      connection.write(text({ ...root, headers: { Authorization: 'Bearer wrong' } }));
      assertProblem(await next(connection, root), 401);
      connection.write(text({ ...root, method: 'HEAD' }));
      assert.equal((await connection.head()).status, 405);
      connection.write(text(root));
      assert.equal((await next(connection, root)).status, 200);
    });

    it('a connection ends after the request with Connection: close', async () => {
      const connection = await connections.open();
      connection.write(text({ ...root, headers: { Connection: 'close' } }));
      assert.equal((await next(connection, root)).headers.get('connection'), 'close');
      await connection.ended();
    });
  });

  it('may be aborted at any point: the service continues, and logs no failure', async () => {
    const whole = text(search);
    for (let length = 1; length < whole.length; length += 7) {
      const connection = await connections.open();
      connection.write(whole.slice(0, length));
      connection.end();
    }
    const connection = await connections.open();
    connection.write(whole.repeat(20));
    connection.end();
    await assertServes();
  });
});
