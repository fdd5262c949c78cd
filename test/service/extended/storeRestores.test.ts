import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { ArchiveBucket } from '../../support/archiveBucket.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import type { StatusBody } from '../../support/transferClient.ts';

const orcid = '0000-0002-1825-0097';
const restore = { days: 7 };

describeWithEachRclone('A transfer from a store that may restore archived objects (D67)', () => {
  let root: string;
  let bucket: ArchiveBucket;
  let clock: ManualClock;
  let rig: ServiceRig;
  const config = process.env['RCLONE_CONFIG'];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-restores-'));
    const classes = { 'a.bam': 'GLACIER', 'b.bam': 'DEEP_ARCHIVE', 'c.bam': 'GLACIER', 'd.bam': 'STANDARD' };
    bucket = await ArchiveBucket.startWithClasses(classes);
    bucket.isSlow = true;
    process.env['RCLONE_CONFIG'] = nodePath.join(root, 'rclone.conf');
    await fs.writeFile(nodePath.join(root, 'rclone.conf'), `${bucket.section}[memory]\ntype = memory\n`);
    clock = new ManualClock();
    rig = await ServiceRig.start({ 'near.txt': 'near' }, { shared: true, clock });
    await serve('Lab', bucket.remote);
  });
  afterEach(async () => {
    await rig.stop();
    bucket.stop();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await fs.rm(root, { recursive: true });
  });

  async function serve(name: string, remote: string, options: object = { restore }): Promise<void> {
    await rig.lease([{ name, remote, ...options }, ...rig.folders]);
    await eventually(async () => {
      const { listing } = (await rig.call('GET', `/api/v1/databases/${name}`)).body as { listing: { state: string } };
      return listing.state === 'listed' ? true : undefined;
    });
  }

  const ineffective = 'Memory: "restore" has no effect: rclone can\'t restore objects in this kind of store.';
  const listNotes = (): readonly string[] => rig.logged.filter((line) => line.includes('restore'));

  async function submit(...ids: readonly string[]): Promise<string> {
    return await rig.mustRequestTransfer({ source: 'Lab', destination: 'Target', file_ids: ids });
  }

  async function waitForRestore(...ids: readonly string[]): Promise<StatusBody> {
    return await rig.waitForStatus(await submit(...ids), 'inactive', 'failed', 'succeeded');
  }

  it('requests their restore, waits for it, and continues by itself', async () => {
    const { id, status, message } = await waitForRestore('a.bam', 'b.bam', 'd.bam');
    const text = 'waiting: the store is restoring 2 archived files, requested 2026-01-01 00:00 UTC';
    assert.deepEqual([status, message], ['inactive', `Transfer ${id}: ${text}`]);
    assert.deepEqual(bucket.restoreRequests.sort(), ['a.bam 7 Standard', 'b.bam 7 Standard']);
    const before = bucket.refusedReads;
    await clock.pass(29_999);
    assert.equal(bucket.refusedReads, before);
    bucket.finishRestores();
    await clock.pass(1);
    const ended = await rig.waitForStatus(id, 'failed', 'succeeded');
    assert.deepEqual([ended.status, ended.num_files_transferred], ['succeeded', 3], ended.message);
    assert.equal(bucket.restoreRequests.length, 2);
  });

  it('lets other transfers run while it waits', async () => {
    for (const id of ['a.bam', 'b.bam', 'c.bam', 'a.bam']) assert.equal((await waitForRestore(id)).status, 'inactive');
    const others = [await submit('d.bam'), await rig.mustSubmit(['near.txt'])];
    for (const id of others) assert.equal((await rig.waitForStatus(id, 'failed', 'succeeded')).status, 'succeeded');
    await eventually(async () => {
      const { transfers } = (await rig.call('GET', '/service')).body as { transfers: number };
      return transfers === 0 ? true : undefined;
    });
  });

  it('can be canceled while it waits', async () => {
    const { id } = await waitForRestore('a.bam');
    assert.equal((await rig.cancel(id, orcid)).status, 202);
    const { message } = await rig.waitForStatus(id, 'failed');
    assert.equal(message, `Transfer ${id}: canceled`);
    assert.deepEqual(await rig.listReceivedFiles(), []);
  });

  it('waits again after a restart of the service', async () => {
    const { id } = await waitForRestore('a.bam');
    await rig.restart({ shared: true, clock });
    await serve('Lab', bucket.remote);
    assert.match((await rig.waitForStatus(id, 'inactive', 'failed')).message, /is restoring 1 archived file/);
    bucket.finishRestores();
    await clock.pass(30_000);
    assert.equal((await rig.waitForStatus(id, 'failed', 'succeeded')).status, 'succeeded');
  });

  it('needs the permission of the latest lease', async () => {
    await rig.lease([{ name: 'Lab', remote: bucket.remote }]);
    const { status, message } = await waitForRestore('a.bam');
    assert.equal(status, 'failed');
    assert.match(message, /could not read a\.bam: it is archived and must first be restored in the store\)$/);
    await rig.lease([{ name: 'Lab', remote: bucket.remote, restore: { days: 1, priority: 'Expedited' } }]);
    assert.equal((await waitForRestore('a.bam')).status, 'inactive');
    assert.deepEqual(bucket.restoreRequests, ['a.bam 1 Expedited']);
  });

  it('fails if the store refuses to restore them', async () => {
    bucket.restoreRefusal = { status: 403, code: 'AccessDenied' };
    const { id, status, message } = await waitForRestore('a.bam');
    const reason = 'could not restore a.bam: its server denies access (AccessDenied)';
    assert.deepEqual([status, message], ['failed', `Transfer ${id}: failed (${reason})`]);
  });

  it('is logged if rclone cannot restore objects in this kind of store', async () => {
    await serve('Memory', 'memory:');
    assert.deepEqual(listNotes(), [ineffective]);
  });

  it('is logged if a later lease permits it for a store where it has no effect', async () => {
    await serve('Memory', 'memory:', {});
    assert.deepEqual(listNotes(), []);
    await serve('Memory', 'memory:');
    await eventually(() => Promise.resolve(listNotes().length > 0 ? true : undefined));
    assert.deepEqual(listNotes(), [ineffective]);
  });
});
