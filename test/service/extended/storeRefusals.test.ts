import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { ArchiveBucket } from '../../support/archiveBucket.ts';
import { debianServerKinds } from '../../support/debianServers.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { StoreServers, type StoreKind } from '../../support/storeServers.ts';

describeWithEachRclone('A transfer of an object that its store refuses for a moment (D62)', () => {
  const config = process.env['RCLONE_CONFIG'];
  let root: string;
  let clock: ManualClock;
  let rig: ServiceRig;
  let bucket: ArchiveBucket | undefined;
  let servers: StoreServers | undefined;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-refusals-'));
    clock = new ManualClock();
  });
  afterEach(async () => {
    await rig.stop();
    bucket?.stop();
    await servers?.stop();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await fs.rm(root, { recursive: true });
  });

  async function serve(remote: string, configFile: string): Promise<void> {
    process.env['RCLONE_CONFIG'] = configFile;
    rig = await ServiceRig.start({}, { shared: true, clock });
    await rig.lease([{ name: 'Lab', remote }, ...rig.folders]);
    await eventually(async () => {
      const { listing } = (await rig.call('GET', '/api/v1/databases/Lab')).body as { listing: { state: string } };
      return listing.state === 'listed' ? true : undefined;
    });
  }

  async function serveBucket(): Promise<ArchiveBucket> {
    bucket = await ArchiveBucket.startWithClasses({ 'a.txt': 'STANDARD' });
    const file = nodePath.join(root, 'rclone.conf');
    await fs.writeFile(file, bucket.section);
    await serve(bucket.remote, file);
    return bucket;
  }

  const submit = async (): Promise<string> =>
    await rig.mustRequestTransfer({ source: 'Lab', destination: 'Target', file_ids: ['a.txt'] });

  /** Transfers the file, which is refused at first. `permit` must have the store send it. */
  async function transferLater(permit: () => Promise<void>): Promise<void> {
    const id = await submit();
    const waiting = await rig.waitForStatus(id, 'inactive', 'failed');
    assert.equal(
      waiting.message,
      `Transfer ${id}: waiting to try again: could not read a.txt: its server denies access`,
    );
    await permit();
    await clock.pass(30_000);
    const { status, message } = await rig.waitForStatus(id, 'failed', 'succeeded');
    assert.equal(status, 'succeeded', message);
  }

  it('tries it again, for a bucket', async () => {
    const { denied } = await serveBucket();
    denied.add('a.txt');
    await transferLater(() => {
      denied.clear();
      return Promise.resolve();
    });
  });

  for (const kind of debianServerKinds.filter((one) => one === 'apache') satisfies StoreKind[])
    it('tries it again, for a WebDAV share', async () => {
      servers = await StoreServers.start([kind]);
      await servers.write(kind, { 'a.txt': 'content' });
      const file = nodePath.join(servers.folder(kind), 'a.txt');
      await serve(servers.remote(kind), servers.configFile);
      await fs.chmod(file, 0o000);
      await transferLater(async () => await fs.chmod(file, 0o644));
    });

  it('fails at once if the object was removed', async () => {
    const stored = await serveBucket();
    stored.delete('a.txt');
    const { message } = await rig.waitForStatus(await submit(), 'failed', 'inactive');
    assert.match(message, /failed \(could not read a\.txt: it no longer exists\)$/);
  });
});
