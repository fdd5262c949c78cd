import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { StoreClient } from '../../../src/service/stores/storeClient.ts';

describe('The client of rclone', () => {
  it('writes an object that rclone does not hash, because the caller verifies it', async () => {
    const requests: { readonly url: URL; readonly body: string }[] = [];
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      void buffer(request).then((body) => response.end(String(requests.push({ url, body: body.toString() }))));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new StoreClient({ port, authorization: 'Basic eDp5', stagingFolder: '' }, 1);
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
});
