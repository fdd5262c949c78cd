import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

const slow = { throttleBytesPerSecond: 100_000, retryDelayMs: 20 };
const ids = ['small.txt', 'big-0.bin'];

describe('A transfer with a database that is not served after a restart (D23, D25)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    const files = Object.fromEntries([0, 1, 2, 3].map((index) => [`big-${index}.bin`, 'x'.repeat(1_000_000)]));
    rig = await ServiceRig.start({ 'small.txt': 'small', ...files }, slow);
  });

  afterEach(async () => await rig.stop());

  /** Stops a transfer after one of its two files and leaves an unfinished copy. */
  async function createStopped(without: string): Promise<string> {
    const id = await rig.mustSubmit(ids);
    await eventually(async () => ((await rig.status(id)).num_files_transferred === 1 ? true : undefined));
    await rig.restart({ without });
    await fs.writeFile(getPartPath(id), 'half');
    return id;
  }

  function getPartPath(id: string): string {
    return nodePath.join(rig.target, `dts-${id}`, `big-0.bin.part-${id}`);
  }

  for (const [without, missing] of [
    ['Source Data', 'source-data'],
    ['Target', 'target'],
  ] as const) {
    it(`stays inactive without ${without} over repeated restarts, and resumes automatically when it is back`, async () => {
      const id = await createStopped(without);
      const waiting = {
        id,
        status: 'inactive',
        message: `Transfer ${id}: waiting: the database ${missing} is not served`,
        paused: false,
        num_files: 2,
        num_files_transferred: 1,
      };
      assert.deepEqual(await rig.status(id), waiting);
      await rig.restart({ without, retentionDays: 0 });
      assert.deepEqual(await rig.status(id), waiting);
      await rig.restart();
      assert.equal(
        (await rig.waitForStatus(id, 'succeeded', 'failed')).message,
        `Transfer ${id}: completed successfully`,
      );
      const files = ['big-0.bin', 'manifest.json', 'small.txt'].map((path) => `dts-${id}/${path}`);
      assert.deepEqual(await rig.listReceivedFiles(), files);
    });

    it(`can be canceled without ${without} by its submitter only, and stays canceled (§4.7)`, async () => {
      const id = await createStopped(without);
      assert.equal((await rig.cancel(id, '0000-0001-5109-3700')).status, 403);
      assert.equal((await rig.status(id)).status, 'inactive');
      assert.equal((await rig.cancel(id)).status, 202);
      const ended = await rig.status(id);
      assert.deepEqual([ended.status, ended.message], ['failed', `Transfer ${id}: canceled`]);
      assert.equal((await rig.cancel(id)).status, 202);
      await rig.restart();
      assert.deepEqual(await rig.status(id), ended);
      await rig.restart({ retentionDays: 0 });
      assert.equal((await rig.call('GET', `/api/v1/transfers/${id}`)).status, 404);
    });
  }

  async function assertLeftoversRemoved(id: string): Promise<void> {
    const clean = await eventually(async () => {
      const files = await rig.listReceivedFiles();
      return files.length === 1 ? files : undefined;
    });
    assert.deepEqual(clean, [`dts-${id}/small.txt`]);
  }

  it('leaves nothing unfinished when it is canceled while only its source is missing', async () => {
    const id = await createStopped('Source Data');
    assert.equal((await rig.cancel(id)).status, 202);
    await assertLeftoversRemoved(id);
  });

  it('leaves nothing unfinished when its destination is served again after it was canceled', async () => {
    const id = await createStopped('Target');
    assert.equal((await rig.cancel(id)).status, 202);
    await rig.restart({ without: 'Target', retentionDays: 0 });
    assert.equal((await rig.listReceivedFiles()).length, 2);
    await fs.rename(rig.target, `${rig.target}-away`);
    await rig.restart();
    await fs.rename(`${rig.target}-away`, rig.target);
    await rig.restart();
    await assertLeftoversRemoved(id);
  });

  it('no longer reports a missing database while it is queued', async () => {
    const order = [0, 1, 2, 3].map((index) => `big-${index}.bin`);
    const transfers: string[] = [];
    for (const name of order) transfers.push(await rig.mustSubmit([name]));
    await rig.restart({ without: 'Target' });
    for (const id of transfers) assert.equal((await rig.status(id)).status, 'inactive');
    await rig.restart(slow);
    const last = await rig.status(transfers[3] ?? '');
    assert.deepEqual([last.status, last.message], ['staging', `Transfer ${last.id}: waiting to stage 1 file (1.0 MB)`]);
  });
});
