import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { SeededRandom } from '../../support/random.ts';
import { writeRandomFiles } from '../../support/randomFiles.ts';
import { canRunSlurm, SlurmServers } from '../../support/slurmServers.ts';
import { bySize } from '../../support/testSize.ts';
import { TransferClient } from '../../support/transferClient.ts';

const rounds = bySize(3, 20);
/** `CRASH_SEED=<seed>` runs only the round with that seed. */
const seedText = process.env['CRASH_SEED'];
const firstSeed = seedText === undefined ? Date.now() % 1_000_000 : Number(seedText);
/** Time in which a transfer without kills ends. */
const usualMs = 9_000;

/** One round. Its seed determines the files and the moments at which the service is killed. */
class ClusterCrashRound {
  private readonly random: SeededRandom;
  private readonly servers: SlurmServers;
  private readonly root: string;
  private contents: ReadonlyMap<string, Buffer> = new Map();
  private service: StartedService | undefined;

  constructor(seed: number, servers: SlurmServers, root: string) {
    this.random = new SeededRandom(seed);
    this.servers = servers;
    this.root = root;
  }

  /** Submits a transfer, kills the service up to three times while it runs, and checks the result. */
  async run(): Promise<void> {
    await this.makeFiles();
    const throttle = { throttleBytesPerSecond: 300_000 + this.random.below(2_000_000) };
    const id = await (await this.start(throttle)).submit([...this.contents.keys()]);
    for (let kill = this.random.below(3); kill >= 0; kill--) {
      await wait(systemClock, this.random.below(usualMs));
      await this.service?.kill();
      await this.start(throttle);
    }
    await this.assertWhole(await this.start({}), id);
  }

  async end(): Promise<void> {
    await this.service?.stop();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  private async makeFiles(): Promise<void> {
    await fs.mkdir(nodePath.join(this.root, 'target'), { recursive: true });
    this.contents = await writeRandomFiles(nodePath.join(this.root, 'source'), this.random, 600_000);
  }

  private async start(more: { readonly throttleBytesPerSecond?: number }): Promise<TransferClient> {
    await this.service?.kill();
    const file = (name: string): string => nodePath.join(this.root, name);
    const databases = [
      { name: 'Source', folder: file('source') },
      { name: 'Target', folder: file('target') },
    ];
    const cluster = { slurm: { folder: file('tasks'), minFiles: 1, tasks: 1 + this.random.below(3) } };
    this.service = await startLocalService({ databases, dataFolder: file('data'), cluster, ...more });
    return new TransferClient(this.service);
  }

  private async assertWhole(client: TransferClient, id: string): Promise<void> {
    const { status, message, num_files_transferred } = await client.waitForStatus(id, 'succeeded', 'failed');
    assert.deepEqual([status, num_files_transferred], ['succeeded', this.contents.size], message);
    const folder = nodePath.join(this.root, 'target', `dts-${id}`);
    for (const [path, content] of this.contents)
      assert.ok(content.equals(await fs.readFile(nodePath.join(folder, path))), `${path} is not what was sent`);
    const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
    assert.equal(entries.filter((entry) => entry.isFile()).length, this.contents.size + 1);
    assert.deepEqual(this.listSubmissions(id), [`tasks-${id}-move-2`, `tasks-${id}-stage-1`]);
    const left = await fs.readdir(nodePath.join(this.root, 'tasks'));
    assert.deepEqual(
      left.filter((name) => name.startsWith('tasks-')),
      [],
    );
  }

  /** Returns the job name of each array of a transfer, sorted. */
  private listSubmissions(id: string): readonly string[] {
    const lines = this.servers.run('squeue', '--noheader', '--array', '--states=all', '--format=%F %j').split('\n');
    const arrays = new Set(lines.map((line) => line.trim()).filter((line) => line.includes(id)));
    return [...arrays].map((line) => line.split(' ')[1] ?? '').sort();
  }
}

if (canRunSlurm)
  describe('A service that is killed at any moment while a cluster works for it (D12, D25)', () => {
    let servers: SlurmServers;
    before(async () => {
      servers = await SlurmServers.start();
    });
    after(async () => await servers.stop());

    const seeds = Array.from({ length: seedText === undefined ? rounds : 1 }, (_, round) => firstSeed + round);
    for (const [round, seed] of seeds.entries()) {
      it(`submits each file once, and completes the transfer, round ${round + 1}`, async () => {
        const crashes = new ClusterCrashRound(seed, servers, await fs.mkdtemp(nodePath.join(servers.root, 'crash-')));
        try {
          await crashes.run();
        } catch (error) {
          throw new Error(`CRASH_SEED=${seed} runs this round again`, { cause: error });
        } finally {
          await crashes.end();
        }
      });
    }
  });
