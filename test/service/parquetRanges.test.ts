import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createParquetPreview, maxParquetBytes } from '../../src/core/tables/parquetPreview.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import type { DatabaseLocation } from '../../src/service/catalog/servedDatabases.ts';
import { ContentReader } from '../../src/service/content/contentReader.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { writeSparseParquet } from '../support/parquetFiles.ts';
import { mustFindRclone, StoreServers } from '../support/storeServers.ts';

describe('The first rows of a Parquet file of 290 MB', () => {
  let root: string;
  let servers: StoreServers;
  let daemon: RcloneDaemon;
  let reader: ContentReader;
  let previousConfig: string | undefined;

  before(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-parquet-'));
    servers = await StoreServers.start(['sftp']);
    await writeSparseParquet('wide', nodePath.join(servers.folder('sftp'), 'wide.parquet'));
    previousConfig = process.env['RCLONE_CONFIG'];
    process.env['RCLONE_CONFIG'] = servers.configFile;
    const stagingFolder = nodePath.join(root, 'staging');
    daemon = new RcloneDaemon({ rclone: mustFindRclone(), clock: systemClock, logger: new MemoryLog(), stagingFolder });
    reader = new ContentReader(daemon, systemClock);
  });
  after(async () => {
    await reader.close();
    await daemon.close();
    await servers.stop();
    if (previousConfig === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = previousConfig;
    await fs.rm(root, { recursive: true });
  });

  const places: Readonly<Record<string, () => DatabaseLocation>> = {
    'a folder': () => ({ folder: servers.folder('sftp') }),
    'an SFTP server': () => ({ remote: servers.remote('sftp') }),
  };
  for (const [place, locate] of Object.entries(places)) {
    it(`are in a few ranges, with at most 512 kB, of ${place}`, async () => {
      let bytesRead = 0;
      const read = async (from: number, limit: number): Promise<Uint8Array> => {
        const range = { from, last: from + limit - 1 };
        const { content = new Uint8Array() } = await reader.read(locate(), 'wide.parquet', { range });
        bytesRead += content.length;
        return content;
      };
      const { totalBytes } = await reader.read(locate(), 'wide.parquet', { range: { from: 0, last: 0 } });
      assert.ok(totalBytes > 200_000_000);
      const preview = await createParquetPreview({ totalBytes, read });
      assert.ok(preview.kind === 'table');
      assert.deepEqual(preview.rows[2], ['2', '4', '6', '8', '10', '12']);
      assert.equal(preview.rows.length, 20);
      assert.ok(bytesRead <= maxParquetBytes, `${bytesRead} bytes were read`);
    });
  }
});
