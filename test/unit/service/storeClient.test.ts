import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type LookupFunction } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mock } from 'node:test';
import { StoreClient } from '../../../src/service/stores/storeClient.ts';
import { StoreError, toStoreError } from '../../../src/service/stores/storeError.ts';

describe('The client of rclone', () => {
  it('writes an object that rclone does not hash, because the caller verifies it', async () => {
    const requests: { readonly url: URL; readonly body: string }[] = [];
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      void buffer(request).then((body) => response.end(String(requests.push({ url, body: body.toString() }))));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new StoreClient({ port, authorization: 'Basic eDp5', stagingFolder: '', program: '' }, 1);
    const pieces = (async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('content'));
    })();
    const object = { folder: 'a & b', name: 'part-1', bytes: 7 };
    await client.write('lab:x=y&z', object, pieces, new AbortController().signal);
    client.dispose();
    server.close();
    const [{ url, body } = { url: new URL('http://localhost'), body: '' }] = requests;
    const fields = ['fs', 'remote', '_config'].map((name) => url.searchParams.get(name));
    assert.deepEqual(
      [url.pathname, ...fields],
      ['/operations/uploadfile', 'lab:x=y&z', 'a & b', '{"IgnoreChecksum":true}'],
    );
    assert.match(body, /filename="part-1"\r\n\r\ncontent\r\n--/);
  });

  /** Sends a request to a server that cuts off the body of its response, and returns the resulting error. */
  async function breakOff(status: number, request: (client: StoreClient) => Promise<unknown>): Promise<unknown> {
    const respond = (response: ServerResponse): void => {
      response.writeHead(status, { 'Content-Length': '100' }).write('{', () => response.destroy());
    };
    const server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new StoreClient({ port, authorization: 'Basic eDp5', stagingFolder: '', program: '' }, 1);
    try {
      return await request(client).catch((error: unknown) => error);
    } finally {
      client.dispose();
      server.close();
    }
  }

  it('reports an error of the store if rclone aborts its error response', async () => {
    const error = await breakOff(404, async (client) => {
      return await client.read('lab:', 'a.txt', 0, new AbortController().signal).next();
    });
    assert.deepEqual(error, new StoreError('failed', 'the store reported an error'));
  });

  for (const [version, answer, kind] of [
    ['1.60.1', '{"error":"failed to find object: object not found","status":404}', 'missing'],
    ['1.75.2', 'Not Found\n', 'failed'],
    ['1.60.1, of a combination', '{"error":"combine for remote \\"a\\": directory not found","status":404}', 'missing'],
  ] as const)
    it(`tells a missing object from one that can't be opened by what rclone says: ${version}`, () => {
      assert.equal(toStoreError(answer).kind, kind);
    });

  it('tries again, a limited number of times, to store an object whose hashes differ', () => {
    const answer = JSON.stringify({ error: 'corrupted on transfer: md5 hash differ "fedc" vs "fe16"', status: 500 });
    const { kind, message } = toStoreError(answer);
    assert.equal(kind, 'failed');
    assert.equal(message, 'the hashes in the store differ');
  });

  it('reports that rclone ended if it aborts the response of a method', async () => {
    const error = await breakOff(200, async (client) => await client.call('operations/list', {}));
    assert.deepEqual(error, new StoreError('unreachable', 'rclone exited'));
  });

  it('reports why the content of an object could not be read while it was being written', async () => {
    const changed = new Error('it changed');
    const pieces = (async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('con'));
      throw changed;
    })();
    const object = { folder: 'a', name: 'part-1', bytes: 7 };
    const error = await breakOff(200, async (client) => {
      await client.write('lab:', object, pieces, new AbortController().signal);
    });
    assert.equal(error, changed);
  });

  const requests: [name: string, send: (client: StoreClient) => Promise<unknown>][] = [
    ['a method', async (client) => await client.call('operations/list', {})],
    ['an object', async (client) => await client.read('lab:', 'a.txt', 0, new AbortController().signal).next()],
    [
      'an upload',
      async (client) => {
        const pieces = (async function* (): AsyncGenerator<Buffer> {
          yield await Promise.resolve(Buffer.from('content'));
        })();
        await client.write('lab:', { folder: 'a', name: 'part-1', bytes: 7 }, pieces, new AbortController().signal);
      },
    ],
  ];
  for (const [name, send] of requests)
    it(`reports a temporary failure if too many files are open to connect for ${name} (D23)`, async () => {
      const error = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
      const lookup: LookupFunction = (_host, _options, done) => done(error, '');
      mock.method(Agent.prototype, 'createConnection', () => connect({ port: 1, host: 'localhost', lookup }));
      const reported = await breakOff(200, send).finally(() => mock.restoreAll());
      assert.deepEqual(reported, new StoreError('unreachable', 'too many files are open'));
    });

  it('reports the abort of a request whose response arrives', async () => {
    const abort = new AbortController();
    const reason = new Error('stopped');
    const error = await breakOff(200, async (client) => {
      setImmediate(() => abort.abort(reason));
      return await client.call('operations/list', {}, abort.signal);
    });
    assert.equal(error, reason);
  });
});
