import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brokenRules } from '../../support/dataPackageRules.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { SeededRandom } from '../../support/random.ts';
import { writeRandomFiles } from '../../support/randomFiles.ts';
import { bySize } from '../../support/testSize.ts';
import { TransferClient } from '../../support/transferClient.ts';

/**
 * Number of rounds. Any four consecutive ones cover all four kinds: with or without a bandwidth limit, killed once or
 * twice.
 */
const rounds = bySize(8, 60);
/** `CRASH_SEED=<seed>` runs only the round with that seed. */
const seedText = process.env['CRASH_SEED'];
const firstSeed = seedText === undefined ? Date.now() % 1_000_000 : Number(seedText);

interface Manifest {
  readonly description: string;
  readonly resources: readonly { readonly path: string; readonly bytes: number; readonly hash: string }[];
}

/** More than 100 files are transferred in another way: small ones are read once. */
const manyFiles = 150;

/** One round. Its seed determines the files, the transfers and the kills. */
class CrashRound {
  private readonly isThrottled: boolean;
  private readonly kills: number;
  private readonly random: SeededRandom;
  private readonly root: string;
  private contents: ReadonlyMap<string, Buffer> = new Map();
  private readonly folderNames = new Map<string, string>();
  private service: StartedService | undefined;

  constructor(seed: number, root: string) {
    this.isThrottled = seed % 2 === 0;
    this.kills = 1 + (Math.floor(seed / 2) % 2);
    this.random = new SeededRandom(seed);
    this.root = root;
  }

  /** Submits transfers, kills the service once or twice, and checks the results. */
  async run(): Promise<void> {
    await this.makeFiles();
    const throttle = this.isThrottled ? { throttleBytesPerSecond: 3_000_000 + this.random.below(3_000_000) } : {};
    const acknowledged = new Map<string, readonly string[]>();
    for (let kill = 0; kill < this.kills; kill++) {
      const client = await this.start(throttle);
      const submitting = [0, 1].map(async (number) => {
        const ids = this.someFiles();
        const folder = number === 0 ? `run ${kill}` : undefined;
        // Without a response, because the service was killed, the submission isn't acknowledged.
        const id = await client.submit(ids, { folder }).catch(() => undefined);
        if (id === undefined) return;
        acknowledged.set(id, ids);
        if (folder !== undefined) this.folderNames.set(id, folder);
      });
      await new Promise((resolve) => setTimeout(resolve, this.random.below(350)));
      await this.service?.kill();
      await Promise.all(submitting);
    }
    const client = await this.start({});
    for (const [id, ids] of acknowledged) await this.assertWhole(client, id, ids);
    await this.service?.stop();
    await this.finishOthers();
    await this.assertNothingElse();
  }

  async end(): Promise<void> {
    await this.service?.stop();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  private async makeFiles(): Promise<void> {
    await fs.mkdir(nodePath.join(this.root, 'target'), { recursive: true });
    const source = nodePath.join(this.root, 'source');
    const contents = new Map(await writeRandomFiles(source, this.random, 2_000_000));
    await fs.mkdir(nodePath.join(source, 'many'));
    for (let number = 0; number < manyFiles; number++) {
      const [path, content] = [`many/${number}.txt`, Buffer.alloc(this.random.below(20_000), `${number} `)];
      await fs.writeFile(nodePath.join(source, path), content);
      contents.set(path, content);
    }
    this.contents = contents;
  }

  private someFiles(): readonly string[] {
    const hasMany = this.random.below(2) === 0;
    const chosen = [...this.contents.keys()].filter((path) =>
      path.startsWith('many/') ? hasMany : this.random.below(3) > 0,
    );
    return chosen.length > 0 ? chosen : ['file-0.bin'];
  }

  private async start(more: { readonly throttleBytesPerSecond?: number }): Promise<TransferClient> {
    const databases = [
      { name: 'Source', folder: nodePath.join(this.root, 'source') },
      { name: 'Target', folder: nodePath.join(this.root, 'target') },
    ];
    this.service = await startLocalService({ databases, dataFolder: nodePath.join(this.root, 'data'), ...more });
    return new TransferClient(this.service);
  }

  private async assertWhole(client: TransferClient, id: string, ids: readonly string[]): Promise<void> {
    const status = await client.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(status.status, 'succeeded', status.message);
    assert.deepEqual([status.num_files, status.num_files_transferred], [ids.length, ids.length]);
    const folder = nodePath.join(this.root, 'target', this.folderNames.get(id) ?? `dts-${id}`);
    const manifest = JSON.parse(await fs.readFile(nodePath.join(folder, 'manifest.json'), 'utf8')) as Manifest;
    assert.deepEqual(brokenRules({ ...manifest }), []);
    assert.equal(manifest.description, 'As it is');
    assert.deepEqual(manifest.resources.map(({ path }) => path).sort(), [...ids].sort());
    for (const { path, bytes, hash } of manifest.resources) {
      const content = await fs.readFile(nodePath.join(folder, path));
      assert.ok(content.equals(this.contents.get(path) ?? Buffer.of()), `${path} is not what was sent`);
      assert.deepEqual([bytes, hash], [content.length, `sha256:${createHash('sha256').update(content).digest('hex')}`]);
    }
    assert.deepEqual(await listFiles(folder), ['manifest.json', ...ids].sort());
  }

  /**
   * Runs the service until the unacknowledged transfers in its journal have ended. The killed service may have left
   * partial files of these transfers; the next service replaces the files.
   */
  private async finishOthers(): Promise<void> {
    const unfinished = this.listUnfinished();
    if (unfinished.length === 0) return;
    const client = await this.start({});
    for (const id of unfinished) await client.waitForStatus(id, 'succeeded', 'failed');
  }

  /** Returns the IDs of unfinished transfers. The service must be stopped, because it locks its journal. */
  private listUnfinished(): readonly string[] {
    const journal = new DatabaseSync(nodePath.join(this.root, 'data', 'journal.db'), { readOnly: true });
    try {
      return journal
        .prepare('SELECT id FROM transfers WHERE ended_at IS NULL')
        .all()
        .map(({ id }) => String(id));
    } finally {
      journal.close();
    }
  }

  /**
   * Stops the service. Asserts that the target has no unfinished files and that no source files were added or removed.
   */
  private async assertNothingElse(): Promise<void> {
    await this.service?.stop();
    this.service = undefined;
    const paths = await listFiles(nodePath.join(this.root, 'target'));
    assert.deepEqual(
      paths.filter((path) => path.includes('.part-')),
      [],
    );
    const sent = await listFiles(nodePath.join(this.root, 'source'));
    assert.deepEqual(sent, [...this.contents.keys()].sort());
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => nodePath.relative(folder, nodePath.join(file.parentPath, file.name))).sort();
}

describe('A service that is killed at any moment (D25)', () => {
  const seeds = Array.from({ length: seedText === undefined ? rounds : 1 }, (_, round) => firstSeed + round);
  for (const [round, seed] of seeds.entries()) {
    it(`completes every acknowledged transfer exactly once, round ${round + 1}`, async () => {
      const root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-crash-'));
      const crashes = new CrashRound(seed, root);
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
