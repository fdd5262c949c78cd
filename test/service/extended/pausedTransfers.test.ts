import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { TransferClient } from '../../support/transferClient.ts';
import { CliRig } from '../cliRig.ts';

const throttleBytesPerSecond = 200_000;

describe('A paused transfer (D25, D70)', () => {
  let root: string;
  let service: StartedService;
  let client: TransferClient;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-paused-'));
    for (const name of ['source', 'target']) await fs.mkdir(nodePath.join(root, name));
    await fs.writeFile(nodePath.join(root, 'source', 'small.txt'), 'small');
    await fs.writeFile(nodePath.join(root, 'source', 'large.bin'), Buffer.alloc(3_000_000, 'x'));
    await start();
  });
  afterEach(async () => {
    await service.stop();
    await fs.rm(root, { recursive: true, force: true });
  });

  async function start(more: object = { throttleBytesPerSecond }): Promise<void> {
    const databases = ['Source', 'Target'].map((name) => ({ name, folder: nodePath.join(root, name.toLowerCase()) }));
    service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data'), ...more });
    client = new TransferClient(service);
  }

  it('is still paused after the service was killed right after the request, and again while it was paused', async () => {
    const id = await client.submit(['small.txt', 'large.bin']);
    await eventually(async () => (await client.status(id)).num_files_transferred === 1 || undefined);
    await client.changePause(id, 'pause');
    for (let kill = 0; kill < 2; kill += 1) {
      await service.kill();
      await start();
      const { status, message, paused } = await client.status(id);
      assert.deepEqual([status, message, paused], ['inactive', `Transfer ${id}: paused by you`, true]);
    }
    await service.stop();
    await start({});
    await client.changePause(id, 'resume');
    await service.kill();
    await start({});
    assert.equal((await client.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    assert.deepEqual((await fs.readdir(nodePath.join(root, 'target', `dts-${id}`))).sort(), [
      'large.bin',
      'manifest.json',
      'small.txt',
    ]);
  });
});

describe('A paused transfer to or from a store (D62, D70)', () => {
  let rig: StoreRig;

  before(async () => {
    const large = Buffer.alloc(3_000_000, 'x');
    rig = await StoreRig.start(['sftp'], { sftp: { 'small.txt': 'small', 'large.bin': large } });
    await rig.waitForListing('sftp');
    for (const [name, content] of Object.entries({ 'small.txt': 'small', 'large.bin': large }))
      await fs.writeFile(nodePath.join(rig.folder, name), content);
  });
  after(async () => await rig.stop());

  for (const [source, destination] of [
    ['sftp', 'folder'],
    ['folder', 'sftp'],
  ] as const)
    it(`stops, and continues when it is resumed: from ${source} to ${destination}`, async () => {
      await rig.stopService();
      await rig.startService({ throttleBytesPerSecond });
      await rig.find(source, 'large');
      const id = await rig.submit(source, destination, ['small.txt', 'large.bin']);
      await eventually(async () => ((await rig.status(id)).num_bytes_transferred ?? 0) > 300_000 || undefined);
      assert.equal((await rig.changePause(id, 'pause')).status, 200);
      await eventually(async () => {
        const { body } = await rig.call('GET', '/service');
        return (body as { transfers: number }).transfers === 0 || undefined;
      });
      assert.deepEqual([(await rig.status(id)).status, (await rig.status(id)).paused], ['inactive', true]);
      await rig.stopService();
      await rig.startService();
      assert.equal((await rig.changePause(id, 'resume')).status, 200);
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    });
});

describe('Pauses on the command line (D70)', () => {
  let rig: CliRig;
  before(async () => {
    rig = await CliRig.start({ 'large.bin': 'x'.repeat(3_000_000) }, { throttleBytesPerSecond });
  });
  after(() => rig.stop());

  it('pauses and resumes a transfer, and says why nothing has changed', async () => {
    const id = (await rig.run('transfer', 'Source Data', 'Target', 'large.bin')).stdout.trim();
    const paused = await rig.runJson(0, 'pause', id.slice(0, 8));
    assert.partialDeepStrictEqual(paused, {
      transfer: { id, state: 'inactive', message: `Transfer ${id}: paused by you` },
    });
    const again = await rig.run('pause', id);
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      new RegExp(`^Couldn't pause transfer ${id}: .*: Transfer ${id} is already paused\\.\n$`),
    );
    const status = await rig.run('status', id);
    assert.match(status.stdout, / paused /);
    assert.equal(
      status.stderr,
      `Transfer ${id}: paused, 0/1 files: paused by you. To continue: data-transfer resume ${id}\n`,
    );
    const waited = await rig.run('wait', id, '--timeout', '1');
    assert.match(waited.stderr, /\(paused by you\)\. With the same connection options, follow up with/);
    const resumed = await rig.run('resume', id);
    assert.deepEqual([resumed.code, resumed.stderr], [0, '']);
    assert.match(resumed.stdout, new RegExp(`^${id}: (?:staging|active)\n$`));
    assert.match((await rig.run('resume', id)).stderr, new RegExp(`: Transfer ${id} is not paused\\.\n$`));
    await rig.run('cancel', id, '--wait');
    assert.match((await rig.run('pause', id)).stderr, /has already ended: canceled\.\n$/);
  });
});
