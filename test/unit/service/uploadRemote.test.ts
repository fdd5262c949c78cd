import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreClient } from '../../../src/service/stores/storeClient.ts';
import { createJobSignal, FileBytes } from '../../../src/service/transfers/fileJobs.ts';
import { StreamDigests } from '../../../src/service/transfers/openFiles.ts';
import { StoreSink } from '../../../src/service/transfers/storeSink.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000006';
const gib = 1024 ** 3;

/**
 * Uploads a file of `bytes` bytes to `lab:bucket`, but sends only a few bytes. The simulated rclone reports
 * `description` and `name` for the remote. Returns the remote that the upload request names.
 */
async function upload(bytes: number, description = 'S3 bucket bucket', name = 'lab'): Promise<string | null> {
  let remote: string | null = null;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/operations/uploadfile') remote = searchParams.get('fs');
    response.end(JSON.stringify({ Name: name, String: description, Features: {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = { port, authorization: 'Basic eDp5', stagingFolder: '', program: '' };
  const client = new StoreClient(address, 1);
  const [source, destination] = ['far:', 'lab:bucket'].map((one) => ({ location: { remote: one }, hash: undefined }));
  assert.ok(source && destination);
  const signal = createJobSignal();
  const job = { transferId, attempt: '', source, destination, rclone: address, files: [], isFlushed: false, signal };
  const read = async function* (): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from('content'));
  };
  const digests = new StreamDigests([]);
  const untimed = { findModified: async () => await Promise.resolve(undefined) };
  const content = { digests, counter: new FileBytes(signal, bytes), canResume: false, read, source: untimed };
  const file = { position: 0, path: 'a', bytes, sha256: '', isPresent: false };
  try {
    await new StoreSink(job, 'lab:bucket', client).write(file, content, new AbortController().signal);
    return remote;
  } finally {
    client.dispose();
    server.closeAllConnections();
    server.close();
  }
}

describe('The upload of a file to S3 (D62)', () => {
  it('uses parts so large that 10,000 of them are enough', async () => {
    assert.equal(await upload(100 * gib), 'lab,chunk_size=11Mi:bucket');
    assert.equal(await upload(5_120 * gib), 'lab,chunk_size=525Mi:bucket');
  });

  it('keeps the configured part size if even the smallest possible size is large enough', async () => {
    const maxBytes = 10_000 * 5 * 1024 ** 2;
    assert.equal(await upload(maxBytes), 'lab:bucket');
    assert.equal(await upload(maxBytes + 1), 'lab,chunk_size=6Mi:bucket');
  });

  it('sets no part size for other stores, or for an alias, which would ignore it', async () => {
    assert.equal(await upload(100 * gib, 'Swift container bucket'), 'lab:bucket');
    assert.equal(await upload(100 * gib, 'S3 bucket bucket', 'other'), 'lab:bucket');
  });
});
