import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import type { TestLease } from '../../support/heldLease.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

const slow = { shared: true, throttleBytesPerSecond: 100_000, retryDelayMs: 20 };

describe('A transfer whose databases are added and removed while the service runs (D23, D25, D29)', () => {
  let rig: ServiceRig;
  let source: TestLease;
  let target: TestLease;

  beforeEach(async () => {
    const files = Object.fromEntries([0, 1, 2, 3].map((index) => [`big-${index}.bin`, 'x'.repeat(300_000)]));
    rig = await ServiceRig.start({ 'small.txt': 'small', ...files }, slow);
    source = await rig.lease(rig.folders.slice(0, 1));
    target = await rig.lease(rig.folders.slice(1));
  });
  afterEach(() => rig.stop());

  const waitForLeases = async (count: number): Promise<void> => {
    await eventually(async () => {
      const { body } = await rig.call('GET', '/service');
      return (body as { leases: number }).leases === count ? true : undefined;
    });
  };

  /** Submits a transfer that has to wait because its destination is unavailable. */
  async function submitWaiting(): Promise<string> {
    await fs.rename(rig.target, `${rig.target}-away`);
    const id = await rig.mustSubmit(['small.txt']);
    await rig.waitForStatus(id, 'inactive');
    return id;
  }

  const restoreTarget = (): Promise<void> => fs.rename(`${rig.target}-away`, rig.target);

  it('completes after the leases on both databases end, and keeps them served until then', async () => {
    const id = await rig.mustSubmit(['small.txt', 'big-0.bin']);
    await rig.waitForStatus(id, 'active');
    source.disconnect();
    target.disconnect();
    await waitForLeases(0);
    assert.deepEqual(await rig.names(), ['Source Data', 'Target']);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed', 'inactive')).status, 'succeeded');
    await eventually(async () => ((await rig.names()).length === 0 ? true : undefined));
    assert.equal((await rig.listReceivedFiles()).length, 3);
  });

  it('completes even if it was queued when the leases ended', async () => {
    const ids = await Promise.all([0, 1, 2, 3].map(async (index) => await rig.mustSubmit([`big-${index}.bin`])));
    source.disconnect();
    target.disconnect();
    await waitForLeases(0);
    for (const id of ids)
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed', 'inactive')).status, 'succeeded');
  });

  it('waits for its database when that is removed while it waits for a folder, and resumes when both are back', async () => {
    const id = await submitWaiting();
    target.disconnect();
    const message = `Transfer ${id}: waiting: the database target is not served`;
    await eventually(async () => ((await rig.status(id)).message === message ? true : undefined));
    assert.equal((await rig.status(id)).status, 'inactive');
    await restoreTarget();
    await rig.lease(rig.folders.slice(1));
    assert.equal(
      (await rig.waitForStatus(id, 'succeeded', 'failed')).message,
      `Transfer ${id}: completed successfully`,
    );
    assert.deepEqual(
      await rig.listReceivedFiles(),
      ['manifest.json', 'small.txt'].map((name) => `dts-${id}/${name}`),
    );
  });

  it('resumes after a restart as soon as both its databases are served, in any order', async () => {
    const id = await rig.mustSubmit(['small.txt', 'big-0.bin']);
    await eventually(async () => ((await rig.status(id)).num_files_transferred === 1 ? true : undefined));
    await rig.restart(slow);
    assert.equal((await rig.status(id)).message, `Transfer ${id}: waiting: the database source-data is not served`);
    await rig.lease(rig.folders.slice(0, 1));
    assert.equal((await rig.status(id)).message, `Transfer ${id}: waiting: the database target is not served`);
    assert.equal((await rig.status(id)).num_files_transferred, 1);
    await rig.lease(rig.folders.slice(1));
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('can be canceled while its database is not served, and leaves no files when it is served again', async () => {
    const id = await submitWaiting();
    target.disconnect();
    await eventually(async () => ((await rig.status(id)).message.endsWith('is not served') ? true : undefined));
    assert.equal((await rig.cancel(id)).status, 202);
    assert.equal((await rig.status(id)).message, `Transfer ${id}: canceled`);
    await restoreTarget();
    await rig.lease();
    assert.deepEqual(await rig.listReceivedFiles(), []);
  });
});
