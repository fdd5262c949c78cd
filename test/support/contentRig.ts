import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { ContentReader } from '../../src/service/content/contentReader.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { MemoryLog } from './memoryLog.ts';
import { mustFindRclone, StoreServers, type StoreKind } from './storeServers.ts';

/** Reads the content of files in folders and on real store servers, through an rclone of this process. */
export class ContentRig {
  readonly servers: StoreServers;
  readonly reader: ContentReader;
  private readonly root: string;
  private readonly daemon: RcloneDaemon;
  private readonly previousConfig = process.env['RCLONE_CONFIG'];

  private constructor(root: string, servers: StoreServers) {
    this.root = root;
    this.servers = servers;
    process.env['RCLONE_CONFIG'] = servers.configFile;
    const stagingFolder = nodePath.join(root, 'staging');
    const options = { rclone: mustFindRclone(), clock: systemClock, logger: new MemoryLog(), stagingFolder };
    this.daemon = new RcloneDaemon(options);
    this.reader = new ContentReader(this.daemon, systemClock);
  }

  static async start(kinds: readonly StoreKind[]): Promise<ContentRig> {
    const root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-content-'));
    return new ContentRig(root, await StoreServers.start(kinds));
  }

  async stop(): Promise<void> {
    await this.reader.close();
    await this.daemon.close();
    await this.servers.stop();
    if (this.previousConfig === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = this.previousConfig;
    await fs.rm(this.root, { recursive: true });
  }
}
