import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { getErrorCode } from '../../../src/core/util/errorFacts.ts';
import { eventually } from '../../support/eventually.ts';
import { killIfRunning, listRclones } from '../../support/processTree.ts';
import { SeededRandom } from '../../support/random.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { bySize } from '../../support/testSize.ts';

const rounds = bySize(5, 30);
/** `CRASH_SEED=<seed>` runs only the round with that seed. */
const seedText = process.env['CRASH_SEED'];
const firstSeed = seedText === undefined ? Date.now() % 1_000_000 : Number(seedText);

/** The possible sources and destinations of a round. The round's seed selects one pair. */
const routes = [
  ['sftp', 'folder'],
  ['folder', 'sftp'],
  ['s3', 'sftp'],
] as const;

/** One round: two transfers, during which the service, rclone and the SFTP server are killed. */
class StoreCrashRound {
  private readonly random: SeededRandom;
  private readonly contents = new Map<string, Buffer>();
  private readonly seed: number;
  private rig: StoreRig | undefined;

  constructor(seed: number) {
    this.seed = seed;
    this.random = new SeededRandom(seed);
  }

  async run(): Promise<void> {
    const [source, destination] = routes[this.seed % routes.length] ?? routes[0];
    const rig = await this.prepare(source);
    const paths = [...this.contents.keys()];
    const ids = [await rig.submit(source, destination, paths), await rig.submit(source, destination, paths.slice(3))];
    for (let kill = 0; kill < 2; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, this.random.below(900)));
      await this.killRandomProcess(rig);
    }
    // A transfer that is still running has unfinished objects.
    for (const id of ids) await rig.waitForStatus(id, 'succeeded', 'failed');
    await this.assertWhole(rig, destination, ids[0] ?? '', paths);
    await this.assertWhole(rig, destination, ids[1] ?? '', paths.slice(3));
  }

  async end(): Promise<void> {
    await this.rig?.stop();
  }

  private async prepare(source: 'sftp' | 'folder' | 's3'): Promise<StoreRig> {
    for (let index = 0; index < 12; index += 1) {
      const size = this.random.below(3) === 0 ? this.random.below(3_000_000) : this.random.below(20_000);
      this.contents.set(
        `sub-${index % 3}/file-${index}.bin`,
        Buffer.alloc(size, `${index} of ${this.random.below(1e9)} `),
      );
    }
    const files = Object.fromEntries(this.contents);
    this.rig = await StoreRig.start(['sftp', 's3'], source === 'folder' ? {} : { [source]: files });
    if (source === 'folder') await this.writeFolder(this.rig);
    else await this.rig.waitForListing(source);
    return this.rig;
  }

  /** Writes the files to the folder of a running service and waits until it has noticed all of them. */
  private async writeFolder(rig: StoreRig): Promise<void> {
    const { folder } = rig;
    for (const [path, content] of this.contents) {
      await fs.mkdir(nodePath.join(folder, nodePath.dirname(path)), { recursive: true });
      await fs.writeFile(nodePath.join(folder, path), content);
    }
    await eventually(async () => ((await rig.find('folder')).length === this.contents.size ? true : undefined));
  }

  private async killRandomProcess(rig: StoreRig): Promise<void> {
    const victim = this.random.below(3);
    if (victim === 0) {
      await rig.killService();
      await rig.startService();
    } else if (victim === 1) {
      for (const { pid } of listRclones(rig.service.pid)) killIfRunning(pid);
    } else {
      await rig.servers.kill('sftp');
      await new Promise((resolve) => setTimeout(resolve, this.random.below(1_000)));
      await rig.servers.startServer('sftp');
    }
  }

  private async assertWhole(rig: StoreRig, destination: string, id: string, paths: readonly string[]): Promise<void> {
    const status = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(status.status, 'succeeded', `${status.message}\n${rig.log}`);
    assert.deepEqual([status.num_files, status.num_files_transferred], [paths.length, paths.length]);
    const root = destination === 'folder' ? rig.folder : rig.servers.folder('sftp');
    const folder = nodePath.join(root, `dts-${id}`);
    await waitForNoLeftovers(root, rig);
    assert.deepEqual(await listFiles(folder), ['manifest.json', ...paths].sort());
    for (const path of paths) {
      const content = await fs.readFile(nodePath.join(folder, path));
      assert.equal(digest(content), digest(this.contents.get(path) ?? Buffer.of()), path);
    }
  }
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Waits until no unfinished objects are left. The server may still create objects for a killed rclone after the
 * transfer has ended. Rejects with the remaining paths and the service's log.
 */
async function waitForNoLeftovers(folder: string, rig: StoreRig): Promise<void> {
  let left: string[] | undefined;
  try {
    await eventually(async () => {
      left = (await listEntries(folder))?.filter((path) => path.includes('.part-'));
      return left?.length === 0 ? true : undefined;
    });
  } catch (error) {
    throw new Error(`${String(error)} Left: ${left?.join(', ')}\n${rig.log}`, { cause: error });
  }
}

/** Lists all paths in a folder. Resolves to undefined if a subfolder was deleted in the meantime. */
async function listEntries(folder: string): Promise<string[] | undefined> {
  try {
    return await fs.readdir(folder, { recursive: true });
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => nodePath.relative(folder, nodePath.join(file.parentPath, file.name))).sort();
}

describe('Transfers with stores while the service, rclone or the server is killed (D25, D62)', function () {
  this.timeout(400_000);
  const seeds = Array.from({ length: seedText === undefined ? rounds : 1 }, (_, round) => firstSeed + round);
  for (const [round, seed] of seeds.entries()) {
    it(`lose, truncate or duplicate no file, round ${round + 1}`, async () => {
      const crash = new StoreCrashRound(seed);
      try {
        await crash.run();
      } catch (error) {
        throw new Error(`CRASH_SEED=${seed} runs this round again: ${String(error)}`, { cause: error });
      } finally {
        await crash.end();
      }
    });
  }

  it('remove an object that the server creates for a killed rclone after the end of the transfer', async () => {
    const rig = await StoreRig.start(['openssh']);
    try {
      await fs.writeFile(nodePath.join(rig.folder, 'a.bin'), Buffer.alloc(300_000, 'a'));
      await eventually(async () => ((await rig.find('folder')).length === 1 ? true : undefined));
      await rig.stopService();
      await rig.startService({ throttleBytesPerSecond: 100_000 });
      const id = await rig.submit('folder', 'openssh', ['a.bin']);
      const stored = nodePath.join(rig.servers.folder('openssh'), `dts-${id}`);
      await eventually(async () => ((await listFiles(stored).catch(() => [])).length > 0 ? true : undefined));
      for (const { pid } of listRclones(rig.service.pid)) killIfRunning(pid);
      const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.equal(message, `Transfer ${id}: completed successfully, verified by md5`);
      await fs.writeFile(nodePath.join(stored, `late.part-${id}`), 'late');
      await waitForNoLeftovers(stored, rig);
      assert.deepEqual(await listFiles(stored), ['a.bin', 'manifest.json']);
    } finally {
      await rig.stop();
    }
  });
});
