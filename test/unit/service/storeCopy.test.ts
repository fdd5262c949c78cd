import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { text } from 'node:stream/consumers';
import { StoreClient } from '../../../src/service/stores/storeClient.ts';
import { BatchFolder } from '../../../src/service/stores/storeBatches.ts';
import { createJobSignal, type DoneFile, type FileToMove } from '../../../src/service/transfers/fileJobs.ts';
import { StoreCopy } from '../../../src/service/transfers/storeSink.ts';

const content = 'content';
const md5 = createHash('md5').update(content).digest('hex');
const sha256 = createHash('sha256').update(content).digest('hex');
const verification = { copyOptions: 'copy=1', listOptions: 'list=1', hasOwnHashes: true };
const transferId = '2c1d5e0a-0000-4000-8000-000000000002';

interface ListRequest {
  readonly fs: string;
  readonly remote: string;
}

/** The behavior of a simulated rclone: the listed hash and size of a copy, its content, and a method that fails. */
interface FakeStore {
  readonly hash?: string;
  readonly bytes?: number;
  readonly copy?: string;
  readonly failing?: string;
  /** True if the hash may be metadata set by the uploader, rather than computed by the store. */
  readonly hasNotes?: boolean;
}

describe('The copies that a store makes (D66)', () => {
  let staging: string;
  let server: Server;
  let store: FakeStore;
  let methods: string[];
  let bodies: string;

  beforeEach(async () => {
    staging = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-copy-'));
    methods = [];
    bodies = '';
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const method = request.method === 'GET' ? 'read' : (request.url ?? '').slice(1);
        methods.push(method);
        bodies += `${method} ${body}\n`;
        if (method === store.failing) response.writeHead(500).end('{}');
        else if (method === 'read') response.end((request.url ?? '').includes('.part-') ? store.copy : content);
        else
          response.end(
            JSON.stringify(method === 'operations/list' ? { list: list(JSON.parse(body) as ListRequest) } : {}),
          );
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await fs.rm(staging, { recursive: true });
  });

  function list({ fs: remote, remote: path }: ListRequest): readonly object[] {
    const { hash, bytes = content.length } = store;
    const object = { Size: bytes, Hashes: hash === undefined ? {} : { md5: hash } };
    return [{ ...object, Path: path === '' ? 'a.txt' : `${path}/a.txt`, remote }];
  }

  async function copy(fake: FakeStore, more: Partial<FileToMove> = {}): Promise<readonly DoneFile[]> {
    store = fake;
    const client = new StoreClient(
      {
        port: (server.address() as AddressInfo).port,
        authorization: 'Basic eDp5',
        stagingFolder: staging,
        program: '',
      },
      2,
    );
    const declared = { algorithm: 'md5', hex: md5 };
    const file = { position: 0, path: 'a.txt', bytes: content.length, sha256: '', declared, isPresent: false, ...more };
    const side = (remote: string) => ({ location: { remote }, hash: 'md5' });
    const job = {
      transferId,
      attempt: 'a1b2c3d4',
      source: side('lab:from'),
      destination: side('lab:to'),
      files: [file],
      rclone: { port: 0, authorization: '', stagingFolder: staging, program: '' },
      isFlushed: false,
      signal: createJobSignal(),
    };
    const { signal } = new AbortController();
    const chosen = { ...verification, hasOwnHashes: fake.hasNotes !== true };
    const { done } = await new StoreCopy(job, chosen, client, new BatchFolder(staging), signal).run();
    client.dispose();
    return done;
  }

  it('are verified by the hash of the store, without reading them', async () => {
    assert.deepEqual(await copy({ hash: md5 }), [
      { position: 0, bytes: 7, storeHash: `md5:${md5}`, verifiedBy: 'md5 within the store' },
    ]);
    assert.deepEqual(methods, ['sync/copy', 'operations/list', 'sync/move', 'operations/list']);
  });

  for (const [name, fake, more] of [
    ['the store has no hash', {}, {}],
    ['neither the store nor the catalog has a hash', {}, { declared: undefined }],
    ['the hashes differ', { hash: '0'.repeat(32) }, {}],
    ['the hash may be metadata set by the uploader', { hash: md5, hasNotes: true }, {}],
  ] as const) {
    it(`are read together with their originals if ${name}`, async () => {
      assert.deepEqual(await copy({ ...fake, copy: content }, more), [
        { position: 0, bytes: 7, sha256, verifiedBy: 'reading back' },
      ]);
      assert.equal(methods.filter((method) => method === 'read').length, 2);
    });
  }

  it('are created and listed with the options that make the store compute their hashes', async () => {
    await copy({ hash: md5 });
    assert.match(bodies, /^sync\/copy \{"srcFs":"lab,copy=1:from","dstFs":"lab,copy=1:to\//);
    assert.match(bodies, /^operations\/list \{"fs":"lab,list=1:to"/m);
    assert.match(bodies, /^sync\/move \{"srcFs":"lab:to\//m);
  });

  it('are verified by the hash of the store up to a size of 4 GiB', async () => {
    const bytes = 4 * 1024 ** 3;
    assert.equal((await copy({ hash: md5, bytes }, { bytes }))[0]?.verifiedBy, 'md5 within the store');
  });

  it('are read if they may be so large that they inherit their hash', async () => {
    const bytes = 4 * 1024 ** 3 + 1;
    assert.deepEqual(await copy({ hash: md5, bytes, copy: content }, { bytes }), []);
    assert.ok(methods.includes('read'));
  });

  it('are never renamed to their final names if their content differs', async () => {
    assert.deepEqual(await copy({ copy: 'CONTENT' }), []);
    assert.ok(!methods.includes('sync/move'), methods.join());
  });

  it('are never renamed to their final names if the original no longer has the hash of the catalog', async () => {
    const declared = { algorithm: 'md5', hex: '0'.repeat(32) };
    assert.deepEqual(await copy({ copy: content }, { declared }), []);
    assert.ok(!methods.includes('sync/move'), methods.join());
  });

  it('are listed only once before they are read, because their hashes prove nothing', async () => {
    await copy({ hash: md5, hasNotes: true, copy: content });
    assert.deepEqual(methods.slice(0, 2), ['sync/copy', 'operations/list']);
    assert.equal(methods.filter((method) => method === 'operations/list').length, 2);
  });

  it('are never renamed to their final names if their size differs', async () => {
    assert.deepEqual(await copy({ hash: md5, bytes: 6, copy: content }), []);
    assert.ok(!methods.includes('sync/move'), methods.join());
  });

  it('replace the object of an earlier run', async () => {
    assert.equal((await copy({ hash: md5 }, { isPresent: true })).length, 1);
    assert.deepEqual(
      methods.filter((method) => method !== 'operations/list'),
      ['sync/copy', 'operations/deletefile', 'sync/move'],
    );
    assert.ok(bodies.includes(`"fs":"lab:to","remote":"dts-${transferId}/a.txt"`), bodies);
  });

  for (const failing of ['operations/list', 'sync/move']) {
    it(`are replaced by moving files one by one if ${failing} fails`, async () => {
      const done = await copy({ hash: md5, failing });
      assert.equal(done.length, 0);
      assert.ok(methods.includes(failing), methods.join());
    });
  }
});
