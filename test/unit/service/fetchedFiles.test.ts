import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { json } from 'node:stream/consumers';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';
import { createJobSignal, type JobResult } from '../../../src/service/transfers/fileJobs.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000003';
const paths = ['a.txt', 'deep/b.txt', 'c.txt'];
const createContent = (path: string): string => `content of ${path}`;

/** The part of a batch request that the simulated rclone reads. */
interface BatchRequest {
  readonly dstFs?: string;
}

describe('Small files that rclone fetched (D62)', () => {
  let root: string;
  let server: Server;
  /** The inodes of the fetched files, by path. */
  let inodes: Map<string, number>;
  let getHash: (path: string) => string | undefined;
  let requested: string[];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-fetched-'));
    for (const name of ['target', 'staging']) await fs.mkdir(nodePath.join(root, name));
    inodes = new Map();
    requested = [];
    getHash = (path) => createHash('md5').update(createContent(path)).digest('hex');
    server = createServer((request, response) => {
      requested.push(request.url ?? '');
      if (request.method === 'GET') response.end(createContent(decodeURIComponent(request.url?.split('/')[2] ?? '')));
      else void respond((request.url ?? '').slice(1), json(request)).then((body) => response.end(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await fs.rm(root, { recursive: true });
  });

  async function respond(method: string, body: Promise<unknown>): Promise<string> {
    const { dstFs } = (await body) as BatchRequest;
    if (method === 'sync/copy') for (const path of paths) await fetch(nodePath.join(dstFs ?? '', path), path);
    if (method !== 'operations/list') return '{}';
    const list = paths.map((path) => ({
      Path: path,
      Size: createContent(path).length,
      Hashes: { md5: getHash(path) ?? '' },
    }));
    return JSON.stringify({ list });
  }

  async function fetch(file: string, path: string): Promise<void> {
    await fs.mkdir(nodePath.dirname(file), { recursive: true });
    await fs.writeFile(file, createContent(path));
    await fs.utimes(file, 1, 1);
    inodes.set(path, (await fs.stat(file)).ino);
  }

  async function carry(): Promise<JobResult> {
    return await moveFiles({
      transferId,
      attempt: 'a1b2c3d4',
      source: { location: { remote: 'lab:' }, hash: 'md5' },
      destination: { location: { folder: nodePath.join(root, 'target') }, hash: undefined },
      rclone: {
        port: (server.address() as AddressInfo).port,
        authorization: 'Basic eDp5',
        stagingFolder: nodePath.join(root, 'staging'),
        program: '',
      },
      files: paths.map((path, position) => {
        return { path, position, bytes: createContent(path).length, sha256: '', isPresent: false };
      }),
      isFlushed: true,
      signal: createJobSignal(),
    });
  }

  const getTarget = (path: string): string => nodePath.join(root, 'target', `dts-${transferId}`, path);

  async function listMoved(): Promise<string[]> {
    const isMoved = async (path: string): Promise<boolean> => (await fs.stat(getTarget(path))).ino === inodes.get(path);
    const moved = await Promise.all(paths.map(isMoved));
    return paths.filter((_, index) => moved[index]);
  }

  it('are moved to the destination without a copy, and keep the time that rclone gave them', async () => {
    const { done, failure } = await carry();
    assert.equal(failure, undefined);
    const digests = paths.map((path) => createHash('sha256').update(createContent(path)).digest('hex'));
    const byPosition = [...done].sort((one, other) => one.position - other.position);
    assert.deepEqual(
      byPosition.map(({ sha256, verifiedBy }) => [sha256, verifiedBy]),
      digests.map((digest) => [digest, 'md5']),
    );
    assert.deepEqual(await listMoved(), paths);
    for (const path of paths) assert.ok((await fs.stat(getTarget(path))).mtimeMs === 1_000, path);
  });

  it('are copied and read back if the store has no hash for them', async () => {
    getHash = (path) => (path === 'c.txt' ? undefined : createHash('md5').update(createContent(path)).digest('hex'));
    const { done } = await carry();
    assert.equal(done.find(({ position }) => position === 2)?.verifiedBy, 'reading back');
    assert.deepEqual(await listMoved(), ['a.txt', 'deep/b.txt']);
    assert.equal(await fs.readFile(getTarget('c.txt'), 'utf8'), createContent('c.txt'));
  });

  it('leave nothing at the destination if their hash differs', async () => {
    getHash = () => '0'.repeat(32);
    const { done, failure } = await carry();
    assert.deepEqual(done, []);
    assert.equal(failure?.text, 'it does not have the md5 hash that the store listed for it');
    const entries = await fs.readdir(nodePath.join(root, 'target'), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      entries.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    );
  });

  it('are not requested again one by one', async () => {
    await carry();
    assert.deepEqual(
      requested.filter((url) => url !== '/sync/copy' && url !== '/operations/list'),
      [],
    );
  });
});
