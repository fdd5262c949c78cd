import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { ServiceRig } from '../../support/serviceRig.ts';

const slow = { throttleBytesPerSecond: 100_000, retryDelayMs: 20 };

describe('A canceled transfer (§4.7, D23)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    const files = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`big-${index}.bin`, 'x'.repeat(2_000_000)]),
    );
    rig = await ServiceRig.start({ 'small.txt': 'small', ...files }, slow);
  });

  afterEach(async () => await rig.stop());

  async function assertCancelled(id: string): Promise<void> {
    assert.equal((await rig.cancel(id)).status, 202);
    const status = await rig.waitForStatus(id, 'failed');
    assert.equal(status.message, `Transfer ${id}: canceled`);
  }

  it('ends while it is active, and leaves complete files only', async () => {
    const id = await rig.mustSubmit(['small.txt', 'big-0.bin']);
    await rig.waitForStatus(id, 'active');
    await assertCancelled(id);
    const transferred = await rig.listReceivedFiles();
    assert.ok(
      transferred.every((path) => path === `dts-${id}/small.txt`),
      transferred.join(),
    );
  });

  it('ends while it is staging', async () => {
    const sparse = nodePath.join(rig.source, 'sparse.bin');
    await fs.writeFile(sparse, '');
    await fs.truncate(sparse, 20_000_000_000);
    await rig.restart(slow);
    const id = await rig.mustSubmit(['sparse.bin']);
    assert.equal((await rig.waitForStatus(id, 'staging')).num_files_transferred, 0);
    await assertCancelled(id);
    assert.deepEqual(await fs.readdir(rig.target), []);
  });

  it('ends while it is queued', async () => {
    const others = await Promise.all([0, 1, 2].map(async (index) => await rig.mustSubmit([`big-${index}.bin`])));
    const id = await rig.mustSubmit(['big-5.bin']);
    assert.match((await rig.status(id)).message, /waiting to stage 1 file \(2\.0 MB\)$/);
    await assertCancelled(id);
    const { body } = await rig.call('GET', '/service');
    assert.equal((body as { transfers: number }).transfers, others.length);
    for (const other of others) assert.ok(await rig.waitForStatus(other, 'active'));
  });

  it('ends while it is inactive', async () => {
    await fs.rmdir(rig.target);
    const id = await rig.mustSubmit(['small.txt']);
    await rig.waitForStatus(id, 'inactive');
    await assertCancelled(id);
  });

  it('is rejected for another user, and accepted twice from its submitter', async () => {
    const id = await rig.mustSubmit(['big-0.bin']);
    assert.equal((await rig.cancel(id, '0000-0001-5109-3700')).status, 403);
    assert.notEqual((await rig.status(id)).status, 'failed');
    await assertCancelled(id);
    assert.equal((await rig.cancel(id)).status, 202);
  });

  it('stays canceled over a restart', async () => {
    const id = await rig.mustSubmit(['big-0.bin']);
    await rig.waitForStatus(id, 'active');
    assert.equal((await rig.cancel(id)).status, 202);
    await rig.restart();
    assert.equal((await rig.waitForStatus(id, 'failed')).message, `Transfer ${id}: canceled`);
  });
});
