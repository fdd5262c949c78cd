import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';
import { createRcloneEnvironment } from '../../../src/core/util/remote.ts';
import { ArchiveBucket } from '../../support/archiveBucket.ts';
import { mustFindRclone } from '../../support/storeServers.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreRig } from '../../support/storeRig.ts';

const document = nodePath.join(import.meta.dirname, '../../../docs/stores.md');
const archived = ['runs/run-1.bam', 'runs/run-1.bam.bai', 'runs/run-2.bam', 'run-1.bam'];

describeWithEachRclone('Archived objects of a store (D67)', () => {
  let bucket: ArchiveBucket;
  let rig: StoreRig;

  beforeEach(async () => {
    const classes = Object.fromEntries(archived.map((key) => [key, 'GLACIER']));
    bucket = await ArchiveBucket.startWithClasses({ ...classes, 'runs/run-3.bam': 'STANDARD' });
    rig = await StoreRig.start([], {}, { remotes: bucket.section });
    await rig.stopService();
    await rig.startService({ remotes: [{ name: 'odd', remote: bucket.remote }], gone: false });
    await rig.waitForListing('odd');
  });
  afterEach(async () => {
    await rig.stop();
    bucket.stop();
  });

  it('are found as unstaged, and the others as staged', async () => {
    const [staged, unstaged] = [{ status: 'staged' }, { status: 'unstaged' }];
    assert.deepEqual(await rig.findPaths('odd', '', staged), ['runs/run-3.bam']);
    assert.deepEqual((await rig.findPaths('odd', '', unstaged)).sort(), [...archived].sort());
  });

  it('are still listed if the service rejects the listing of storage classes', async () => {
    bucket.rejectsAttributes = true;
    const { listing } = await rig.rescan('odd');
    assert.deepEqual([listing?.state, listing?.files, listing?.problem], ['listed', 5, undefined]);
  });

  it('are neither read nor restored by a request for their content, which says so at once', async () => {
    const content = async (id: string) =>
      await fetch(`${rig.service.address}/databases/odd/content?id=${encodeURIComponent(id)}`, {
        headers: { authorization: `Bearer ${rig.service.token}`, range: 'bytes=0-99' },
      });
    const refused = await content('runs/run-1.bam');
    const { detail } = (await refused.json()) as { readonly detail: string };
    const expected = "The file can't be read: it is archived and must first be restored in the store.";
    assert.deepEqual([refused.status, detail, bucket.restored], [409, expected, []]);
    assert.equal(await (await content('runs/run-3.bam')).text(), 'runs/run-3.bam');
  });

  it('are not restored by a transfer without permission, which reports the first one', async () => {
    const { status, message } = await rig.transfer('odd', 'folder', ['runs/run-1.bam', 'runs/run-3.bam']);
    assert.equal(status, 'failed');
    assert.match(message, /could not read runs\/run-1\.bam: it is archived and must first be restored in the store\)$/);
    assert.deepEqual(bucket.restored, []);
  });

  it('are named as archived by a transfer if their listing does not show it', async () => {
    bucket.add('unknown.bam', 'INTELLIGENT_TIERING');
    await rig.rescan('odd');
    assert.ok((await rig.findPaths('odd', '', { status: 'staged' })).includes('unknown.bam'));
    const { status, message } = await rig.transfer('odd', 'folder', ['unknown.bam']);
    assert.equal(status, 'failed');
    assert.match(message, /could not read unknown\.bam: it is archived and must first be restored in the store\)$/);
  });

  it('can be transferred after the command in docs/stores.md has restored each of them', async () => {
    const [, command = ''] = /`rclone (backend restore [^`]+)`/.exec(await readFile(document, 'utf8')) ?? [];
    const args = command.replaceAll('"', '').replace('lab:bucket', bucket.remote).split(' ');
    assert.deepEqual([args.includes(bucket.remote), args.includes('/runs/run-1.bam')], [true, true], command);
    const env = createRcloneEnvironment(rig.servers.environment);
    await promisify(execFile)(mustFindRclone(), args, { env });
    assert.deepEqual(bucket.restored, ['runs/run-1.bam']);
    const { status, message } = await rig.transfer('odd', 'folder', ['runs/run-1.bam']);
    assert.equal(status, 'succeeded', message);
  });
});
