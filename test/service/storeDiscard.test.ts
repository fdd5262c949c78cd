import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { isRcloneBelow, readRcloneVersion } from '../../src/core/util/remote.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { StoreClient } from '../../src/service/stores/storeClient.ts';
import { discardInStore } from '../../src/service/transfers/storeRoute.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { describeWithEachRclone } from '../support/rclones.ts';
import { mustFindRclone, StoreServers } from '../support/storeServers.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000006';
const folder = `dts-${transferId}`;
const leftovers = { remote: 'sftp:', transferId, manifest: '' };

describeWithEachRclone(
  'The removal of unfinished objects from an SFTP server that hides them until their connection is closed (D62)',
  () => {
    let root: string;
    let servers: StoreServers;
    let daemon: RcloneDaemon;
    let previousConfig: string | undefined;
    /** The names of the objects that an aborted upload leaves: none with a recent rclone, which closes the connection. */
    let left: readonly string[];

    beforeEach(async () => {
      root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-discard-'));
      servers = await StoreServers.start(['sftp']);
      const version = (await readRcloneVersion(mustFindRclone())) ?? '';
      left = isRcloneBelow(version, [1, 75]) ? [`0-a1b2c3d4.part-${transferId}`] : [];
      previousConfig = process.env['RCLONE_CONFIG'];
      process.env['RCLONE_CONFIG'] = servers.configFile;
      const stagingFolder = nodePath.join(root, 'staging');
      daemon = new RcloneDaemon({
        rclone: mustFindRclone(),
        clock: systemClock,
        logger: new MemoryLog(),
        stagingFolder,
      });
    });
    afterEach(async () => {
      await daemon.close();
      await servers.stop();
      if (previousConfig === undefined) delete process.env['RCLONE_CONFIG'];
      else process.env['RCLONE_CONFIG'] = previousConfig;
      await fs.rm(root, { recursive: true });
    });

    const listStored = async (): Promise<string[]> => await fs.readdir(nodePath.join(servers.folder('sftp'), folder));

    /** Aborts an upload after half of its content. Resolves once the server hides the object. */
    async function abortUpload(): Promise<void> {
      const abort = new AbortController();
      const pieces = (async function* (): AsyncGenerator<Buffer> {
        yield Buffer.alloc(10_000_000);
        await new Promise((resolve) => abort.signal.addEventListener('abort', resolve));
      })();
      await daemon.use(async (address) => {
        const client = new StoreClient(address, 2, folder);
        const object = { folder, name: `0-a1b2c3d4.part-${transferId}`, bytes: 20_000_000 };
        const rejection = assert.rejects(client.write('sftp:', object, pieces, abort.signal));
        await eventually(async () => ((await listStored().catch(() => [])).length > 0 ? true : undefined));
        abort.abort();
        await rejection;
        await eventually(async () => ((await client.list('sftp:', folder)).length === 0 ? true : undefined));
        client.dispose();
      });
      assert.deepEqual(await listStored(), left);
    }

    it('closes the connections, so that a later removal finds the objects', async () => {
      await abortUpload();
      await eventually(async () => {
        await discardInStore(daemon, leftovers);
        return (await listStored().catch(() => [])).length === 0 ? true : undefined;
        // rclone itself closes unused connections after a minute.
      }, 40_000);
    });

    it('is incomplete while other work with rclone prevents connections from being closed', async () => {
      await abortUpload();
      await daemon.use(async () => assert.equal(await discardInStore(daemon, leftovers), 'incomplete'));
      await eventually(async () => ((await discardInStore(daemon, leftovers)) === 'complete' ? true : undefined));
    });
  },
);
