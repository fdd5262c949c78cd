import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { systemClock, type Clock } from '../../src/core/util/clock.ts';
import { eventually } from '../support/eventually.ts';
import { FakeSlurm } from '../support/fakeSlurm.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const slow = { throttleBytesPerSecond: 100_000, retryDelayMs: 20 };
const unknownId = '00000000-0000-4000-8000-000000000000';

describe('A paused transfer (D70)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    const files = Object.fromEntries([0, 1, 2, 3].map((index) => [`big-${index}.bin`, 'x'.repeat(2_000_000)]));
    rig = await ServiceRig.start({ 'small.txt': 'small', ...files }, slow);
  });
  afterEach(async () => await rig.stop());

  async function assertChanged(id: string, change: 'pause' | 'resume'): Promise<void> {
    const { status, body } = await rig.changePause(id, change);
    assert.deepEqual([status, (body as { paused: boolean }).paused], [200, change === 'pause']);
  }

  async function assertPaused(id: string): Promise<void> {
    const { status, message, paused } = await rig.status(id);
    assert.deepEqual([status, message, paused], ['inactive', `Transfer ${id}: paused by you`, true]);
  }

  async function assertRefused(
    status: number,
    detail: string,
    ...request: Parameters<typeof rig.changePause>
  ): Promise<void> {
    const answer = await rig.changePause(...request);
    assert.deepEqual([answer.status, (answer.body as ProblemDocument).detail], [status, detail]);
  }

  /** Waits until no transfer is running or queued. */
  async function becomesIdle(): Promise<void> {
    await eventually(async () => {
      const { body } = await rig.call('GET', '/service');
      return (body as { transfers: number }).transfers === 0 || undefined;
    });
  }

  /** Submits a small and a large file, and pauses the transfer once the small one has been transferred. */
  async function pauseHalfway(): Promise<string> {
    const id = await rig.mustSubmit(['small.txt', 'big-0.bin']);
    await eventually(async () => (await rig.status(id)).num_files_transferred === 1 || undefined);
    await assertChanged(id, 'pause');
    await becomesIdle();
    return id;
  }

  it('keeps what it has transferred, and continues with the rest only when it is resumed', async () => {
    const id = await pauseHalfway();
    await assertPaused(id);
    const file = nodePath.join(rig.target, `dts-${id}`, 'small.txt');
    const before = await fs.stat(file);
    const { num_files_transferred, num_bytes_transferred } = await rig.status(id);
    assert.deepEqual([num_files_transferred, num_bytes_transferred], [1, 5]);
    await rig.restart();
    await assertPaused(id);
    assert.equal((await rig.status(id)).num_bytes_transferred, 5);
    await assertChanged(id, 'resume');
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    const after = await fs.stat(file);
    assert.deepEqual([after.ino, after.mtimeMs, after.ctimeMs], [before.ino, before.mtimeMs, before.ctimeMs]);
    assert.deepEqual(await rig.listReceivedFiles(), [
      `dts-${id}/big-0.bin`,
      `dts-${id}/manifest.json`,
      `dts-${id}/small.txt`,
    ]);
    assert.equal((await rig.status(id)).paused, undefined);
  });

  it('gives its place in the queue to another one, and stays out of the queue', async () => {
    const [first = '', ...others] = await Promise.all(
      [0, 1, 2].map(async (index) => rig.mustSubmit([`big-${index}.bin`])),
    );
    const queued = await rig.mustSubmit(['small.txt']);
    const waiting = await rig.mustSubmit(['small.txt']);
    assert.match((await rig.status(queued)).message, /waiting to stage/);
    await assertChanged(queued, 'pause');
    await assertChanged(first, 'pause');
    assert.equal((await rig.waitForStatus(waiting, 'succeeded', 'failed')).status, 'succeeded');
    for (const id of [queued, first]) await assertPaused(id);
    for (const id of others) assert.equal((await rig.status(id)).paused, false);
    await assertChanged(queued, 'resume');
    assert.equal((await rig.waitForStatus(queued, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('stays paused if it is paused again, and continues if it is resumed while it still stops', async () => {
    const id = await rig.mustSubmit(['small.txt', 'big-0.bin']);
    await rig.waitForStatus(id, 'active');
    for (let round = 0; round < 5; round += 1) {
      await assertChanged(id, 'pause');
      await assertRefused(409, `Transfer ${id} is already paused.`, id, 'pause');
      await assertPaused(id);
      await assertChanged(id, 'resume');
      await assertRefused(409, `Transfer ${id} is not paused.`, id, 'resume');
    }
    await rig.waitForStatus(id, 'active');
    await rig.restart();
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('can be paused and resumed only by the person who submitted it, and not after its end', async () => {
    const id = await rig.mustSubmit(['small.txt']);
    await rig.waitForStatus(id, 'succeeded');
    const other = '0000-0001-5109-3700';
    for (const change of ['pause', 'resume'] as const) {
      await assertRefused(409, `Transfer ${id} has already ended.`, id, change);
      await assertRefused(404, `There is no transfer ${unknownId}.`, unknownId, change);
      const detail = `A transfer can be ${change}d only by the person who submitted it.`;
      await assertRefused(403, detail, id, change, other);
    }
  });

  it('can be canceled', async () => {
    const id = await pauseHalfway();
    assert.equal((await rig.cancel(id)).status, 202);
    assert.equal((await rig.waitForStatus(id, 'failed')).message, `Transfer ${id}: canceled`);
    assert.deepEqual(await rig.listReceivedFiles(), [`dts-${id}/small.txt`]);
    await assertRefused(409, `Transfer ${id} has already ended.`, id, 'resume');
  });

  it('stays paused while a database is missing or not served, and waits for it when it is resumed', async () => {
    await fs.rename(rig.target, `${rig.target}-away`);
    const id = await rig.mustSubmit(['small.txt']);
    await rig.waitForStatus(id, 'inactive');
    await assertChanged(id, 'pause');
    await fs.rename(`${rig.target}-away`, rig.target);
    await rig.restart({ ...slow, without: 'Target' });
    await assertPaused(id);
    await assertChanged(id, 'resume');
    assert.match((await rig.status(id)).message, /waiting: the database target is not served$/);
    await assertChanged(id, 'pause');
    await assertPaused(id);
    await rig.restart(slow);
    await assertPaused(id);
    await assertChanged(id, 'resume');
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('does not keep a shared service running that nobody uses', async () => {
    const id = await pauseHalfway();
    const idleMs = 12_345;
    let end: (() => void) | undefined;
    const clock: Clock = {
      now: () => Date.now(),
      after: (ms, callback) => {
        if (ms !== idleMs) return systemClock.after(ms, callback);
        end = callback;
        return { dispose: () => (end = undefined) };
      },
    };
    await rig.restart({ ...slow, shared: true, configured: true, idleMs, clock });
    await assertPaused(id);
    assert.ok(end);
    end();
    assert.equal(await rig.service.ended, 'clean');
    await rig.restart(slow);
    await assertPaused(id);
  });

  it('stays paused when its databases are served again to a window', async () => {
    const id = await pauseHalfway();
    await rig.restart({ ...slow, shared: true });
    await assertPaused(id);
    const lease = await rig.lease();
    await assertPaused(id);
    assert.equal((await rig.status(id)).num_bytes_transferred, 5);
    lease.disconnect();
    await assertPaused(id);
  });
});

if (process.platform !== 'win32')
  describe('A transfer that has failed, and whose leftovers are being removed (D70)', () => {
    let slurm: FakeSlurm;
    let rig: ServiceRig;

    beforeEach(async () => {
      slurm = await FakeSlurm.start();
      const cluster = { slurm: { folder: nodePath.join(slurm.folder, 'tasks'), minFiles: 1 } };
      rig = await ServiceRig.start({ 'a.txt': 'a' }, { cluster });
    });
    afterEach(async () => {
      await rig.stop();
      await slurm.stop();
    });

    it('is not paused, and says why', async () => {
      const id = await rig.mustSubmit(['a.txt']);
      await slurm.waitForCancel();
      const { status, body } = await rig.changePause(id, 'pause');
      const { detail } = body as ProblemDocument;
      assert.deepEqual([status, detail], [409, `Transfer ${id} has failed; its unfinished files are being removed.`]);
      await slurm.endCancel();
      assert.match((await rig.waitForStatus(id, 'failed')).message, /failed \(could not read a\.txt: a folder/);
    });
  });
