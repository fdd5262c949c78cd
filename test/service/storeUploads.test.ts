import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { StoreClient, waitForAbandonedRequests } from '../../src/service/stores/storeClient.ts';
import { BatchFolder } from '../../src/service/stores/storeBatches.ts';
import { FolderSource } from '../../src/service/transfers/folderSource.ts';
import { BatchUpload } from '../../src/service/transfers/storeSink.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { mustFindRclone } from '../support/storeServers.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000002';
const paths = ['a', 'b', 'c'];
/** Limits the bandwidth of rclone, so that a large upload is still running after its request is aborted. */
const bytesPerSecond = 500_000;

describe('The upload of several small files (D62)', () => {
  let root: string;
  let daemon: RcloneDaemon;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-uploads-'));
    for (const name of ['source', 'store']) await fs.mkdir(nodePath.join(root, name));
    for (const path of paths) await fs.writeFile(nodePath.join(root, 'source', path), `content of ${path}`);
    const stagingFolder = nodePath.join(root, 'staging');
    const options = { rclone: mustFindRclone(), clock: systemClock, logger: new MemoryLog(), stagingFolder };
    daemon = new RcloneDaemon({ ...options, bytesPerSecond });
  });
  afterEach(async () => {
    await daemon.close();
    await fs.rm(root, { recursive: true });
  });

  const files = paths.map((path, position) => {
    const content = `content of ${path}`;
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { path, position, bytes: content.length, isPresent: false, sha256 };
  });

  /** Uploads all files and returns the finished ones. Calls `onRename` before objects get their final names. */
  async function upload(onRename: (unfinished: string) => Promise<void>, attempt = 'a1b2c3d4'): Promise<string[]> {
    const remote = `:local:${nodePath.join(root, 'store')}`;
    return await daemon.use(async (address) => {
      const client = new StoreClient(address, 4);
      const call = client.call.bind(client);
      client.call = async (method, body, signal) => {
        if (method === 'sync/move') await onRename((body as { srcFs: string }).srcFs.replace(':local:', ''));
        return await call(method, body, signal);
      };
      const folder = new BatchFolder(address.stagingFolder);
      const target = { client, remote, hash: 'md5', transferId, attempt };
      const batch = new BatchUpload(target, folder, new AbortController().signal);
      const { done } = await batch.run(files, new FolderSource(nodePath.join(root, 'source')));
      client.dispose();
      return done.map(({ position }) => paths[position] ?? '');
    });
  }

  const listFinished = async (): Promise<string[]> =>
    (await fs.readdir(nodePath.join(root, 'store', `dts-${transferId}`))).sort();

  it('reports the files that have their final names', async () => {
    assert.deepEqual(await upload(async () => await Promise.resolve()), paths);
    assert.deepEqual(await listFinished(), paths);
  });

  it('does not report a file that the store lost before it got its final name', async () => {
    assert.deepEqual(await upload(async (folder) => await fs.rm(nodePath.join(folder, 'b'))), ['a', 'c']);
    assert.deepEqual(await listFinished(), ['a', 'c']);
  });

  it('does not share the folder of unfinished objects with an earlier attempt', async () => {
    const folders: string[] = [];
    const add = async (folder: string): Promise<void> => await Promise.resolve(void folders.push(folder));
    for (const attempt of ['11111111', '22222222']) await upload(add, attempt);
    assert.deepEqual(
      folders.map((folder) => nodePath.basename(folder)),
      ['11111111', '22222222'],
    );
  });

  it('is waited for if rclone continues it after its request was aborted', async () => {
    const content = Buffer.alloc(20 * bytesPerSecond);
    const abort = new AbortController();
    await daemon.use(async (address) => {
      const client = new StoreClient(address, 4, 'group');
      const object = { folder: 'late', name: 'object', bytes: content.length };
      const pieces = ReadableStream.from([content]);
      const upload = client.write(`:local:${nodePath.join(root, 'store')}`, object, pieces, abort.signal);
      const rejection = assert.rejects(upload);
      await eventually(async () => ((await waitForAbandonedRequests(client, 'group', 0)) ? undefined : true));
      abort.abort();
      await rejection;
      assert.equal(await waitForAbandonedRequests(client, 'other', 0), true);
      assert.equal(await waitForAbandonedRequests(client, 'group', 60_000), true);
      // rclone lists the requests that it has finished.
      const { transferred } = await client.call('core/transferred', { group: 'group' });
      const names = (transferred as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(names, ['late/object']);
      client.dispose();
    });
  });
});
