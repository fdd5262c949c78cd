import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { ContractRig } from '../../support/contractRig.ts';
import { eventually } from '../../support/eventually.ts';
import { TestLease } from '../../support/heldLease.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';

const hangingFolder = nodePath.join(import.meta.dirname, '../../support/hangingFolder.cjs');
const unresponsive = /The folder of the database Stuck doesn't respond\./;

/** Runs a shared service in a separate process whose calls for the folder `stuck` hang until `reviveDisk` is called. */
class HangingRig extends ContractRig {
  private readonly root: string;
  private started: StartedService | undefined;
  private sharingToken = '';
  private writer: fs.FileHandle | undefined;

  private constructor(root: string) {
    super();
    this.root = root;
  }

  static async start(): Promise<HangingRig> {
    const rig = new HangingRig(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-hanging-folders-')));
    for (const folder of ['stuck', 'stalled', 'source', 'target']) await fs.mkdir(rig.getPath(folder));
    for (const folder of ['stuck', 'source']) await fs.writeFile(rig.getPath(`${folder}/a.txt`), 'a');
    execFileSync('mkfifo', [rig.getPath('pipe')]);
    const environment = { NODE_OPTIONS: `--require ${hangingFolder}`, HANGING_PIPE: rig.getPath('pipe') };
    const config = { databases: [], dataFolder: rig.getPath('data'), shared: true };
    rig.started = await startLocalService(config, { environment });
    const record = await fs.readFile(rig.getPath('data/service.json'), 'utf8');
    rig.sharingToken = (JSON.parse(record) as { sharingToken: string }).sharingToken;
    return rig;
  }

  override get service(): StartedService & { readonly sharingToken: string } {
    if (this.started === undefined) throw new Error('The service is not running.');
    return { ...this.started, sharingToken: this.sharingToken };
  }

  getPath(path: string): string {
    return nodePath.join(this.root, path);
  }

  /** Leases the hanging folder, the folders `more` inside it, and two folders that don't hang. */
  async lease(...more: readonly string[]): Promise<TestLease> {
    const names = ['Stuck', ...more, 'Source', 'Target'];
    return await TestLease.open(
      this.service,
      names.map((name) => ({ name, folder: this.getPath(name.toLowerCase()) })),
    );
  }

  async transfer(source: string, destination: string): Promise<string> {
    return await this.mustRequestTransfer({ source, destination, file_ids: ['a.txt'] });
  }

  /** Makes all hanging calls return, and makes later ones return immediately. */
  async reviveDisk(): Promise<void> {
    this.writer = await fs.open(this.getPath('pipe'), 'w');
  }

  async stop(): Promise<void> {
    await this.writer?.close();
    await this.started?.kill();
    await fs.rm(this.root, { recursive: true });
  }
}

describe('A folder whose disk hangs (D42)', () => {
  let rig: HangingRig;

  beforeEach(async () => (rig = await HangingRig.start()));
  afterEach(async () => await rig.stop());

  it('does not prevent leases that name it from serving their other folders', async () => {
    const leases = await Promise.all(Array.from({ length: 5 }, async () => await rig.lease()));
    for (const { databases } of leases)
      assert.deepEqual(
        databases.map(({ name }) => name),
        ['Stuck', 'Source', 'Target'],
      );
    for (let count = 0; count < 5; count += 1) await assert.rejects(rig.search('Stuck'), unresponsive);
    const found = await rig.search('Source');
    assert.deepEqual(
      found.map(({ path }) => path),
      ['a.txt'],
    );
    await rig.waitForStatus(await rig.transfer('Source', 'Target'), 'succeeded');
  });

  it('does not prevent other folders from being served, even if it contains served folders itself', async () => {
    const more = ['Stuck/A', 'Stuck/B', 'Stuck/C'];
    await rig.lease(...more);
    for (const name of more) await assert.rejects(rig.search(name), /doesn't respond/);
    await rig.waitForStatus(await rig.transfer('Source', 'Target'), 'succeeded');
  });

  it('does not prevent transfers to it from being accepted, or other transfers from succeeding', async () => {
    await rig.lease();
    await rig.transfer('Source', 'Stuck');
    await rig.waitForStatus(await rig.transfer('Source', 'Target'), 'succeeded');
  });

  it('does not prevent other folders from being scanned if it begins to hang during its scan', async () => {
    const { databases } = await TestLease.open(
      rig.service,
      ['Stalled', 'Source'].map((name) => ({ name, folder: rig.getPath(name.toLowerCase()) })),
    );
    assert.equal(databases.length, 2);
    // Until the other folder is read on another thread, it is being scanned, too.
    const found = await eventually(async () => await rig.search('Source').catch(() => undefined));
    assert.deepEqual(
      found.map(({ path }) => path),
      ['a.txt'],
    );
    await assert.rejects(rig.search('Stalled'), /is being scanned\. Files found so far: 0\./);
    await rig.reviveDisk();
    assert.deepEqual(await eventually(async () => await rig.search('Stalled').catch(() => undefined)), []);
  });

  it('is served once its disk responds again', async () => {
    await rig.lease();
    await assert.rejects(rig.search('Stuck'), unresponsive);
    await rig.reviveDisk();
    await eventually(async () => await rig.search('Stuck').catch(() => undefined));
    await rig.waitForStatus(await rig.transfer('Stuck', 'Target'), 'succeeded');
  });
});
