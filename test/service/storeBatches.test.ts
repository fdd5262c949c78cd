import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { BatchFolder, StoreBatches } from '../../src/service/stores/storeBatches.ts';
import { StoreClient } from '../../src/service/stores/storeClient.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { mustFindRclone } from '../support/storeServers.ts';

/** Enough paths that rclone can't look up and queue all of the objects at once. */
const paths = Array.from({ length: 20 }, (_, index) => `file-${index}`);
const content = 'x'.repeat(10_000);
const config = `[dead]
type = s3
provider = Other
endpoint = http://127.0.0.1:1
access_key_id = lab
secret_access_key = planted
`;

describe('A batch of objects (D62)', () => {
  let root: string;
  let environment: NodeJS.ProcessEnv;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-batches-'));
    for (const name of ['source', 'copies']) await fs.mkdir(nodePath.join(root, name));
    for (const path of paths) await fs.writeFile(nodePath.join(root, 'source', path), content);
    environment = { RCLONE_CONFIG: process.env['RCLONE_CONFIG'] };
    process.env['RCLONE_CONFIG'] = nodePath.join(root, 'rclone.conf');
    await fs.writeFile(process.env['RCLONE_CONFIG'], config);
  });
  afterEach(async () => {
    if (environment['RCLONE_CONFIG'] === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = environment['RCLONE_CONFIG'];
    await fs.rm(root, { recursive: true });
  });

  async function run<T>(
    stallMs: number,
    bytesPerSecond: number | undefined,
    work: (batches: StoreBatches, folder: BatchFolder) => Promise<T>,
  ): Promise<T> {
    const stagingFolder = nodePath.join(root, 'staging');
    const options = { rclone: mustFindRclone(), clock: systemClock, logger: new MemoryLog(), stagingFolder };
    const daemon = new RcloneDaemon({ ...options, bytesPerSecond });
    try {
      return await daemon.use(async (address) => {
        const client = new StoreClient(address, 4, 'batch');
        const limit = { ms: stallMs, msPerObject: 0 };
        const batches = new StoreBatches(client, new AbortController().signal, limit);
        return await work(batches, new BatchFolder(address.stagingFolder)).finally(() => client.dispose());
      });
    } finally {
      await daemon.close();
    }
  }

  it('is given up if rclone does not answer after the server of the store has ended', async () => {
    const copies = nodePath.join(root, 'copies');
    await run(500, undefined, async (batches, folder) => {
      const copied = batches.copy('dead:lab', copies, folder.createList(paths));
      await assert.rejects(copied, { name: 'StoreError', kind: 'unreachable' });
      const described = await batches.describe('dead:lab', folder.createLists([...paths, ...paths]), undefined);
      assert.equal(described.size, 0);
    });
    assert.deepEqual(await fs.readdir(copies), []);
  });

  it('takes as long as it needs while rclone makes progress', async () => {
    const copies = nodePath.join(root, 'copies');
    await run(500, 50_000, async (batches, folder) => {
      await batches.copy(nodePath.join(root, 'source'), copies, folder.createList(paths));
    });
    assert.deepEqual((await fs.readdir(copies)).sort(), [...paths].sort());
  });
});
