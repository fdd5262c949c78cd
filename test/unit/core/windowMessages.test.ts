import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PendingSubmissions } from '../../../src/core/transfers/savedTransfers.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('Messages between windows', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windows-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  describe('about submissions that wait for their response (D12)', () => {
    let clock: ManualClock;
    let one: PendingSubmissions;
    let other: PendingSubmissions;
    beforeEach(() => {
      clock = new ManualClock(Date.now());
      [one, other] = [new PendingSubmissions(folder, clock), new PendingSubmissions(folder, clock)];
    });
    afterEach(() => [one, other].forEach((submissions) => submissions.dispose()));

    const underWay = async (key = 'k'): Promise<readonly boolean[]> =>
      await Promise.all([one, other].map((submissions) => submissions.isPending(key)));
    const locks = (): Promise<readonly string[]> => readdir(join(folder, 'submitting'));

    it('are seen by all windows from the start to the end', async () => {
      assert.deepEqual(await underWay(), [false, false]);
      await one.start('k');
      assert.deepEqual(
        [await underWay(), await underWay('another')],
        [
          [true, true],
          [false, false],
        ],
      );
      await one.end('k');
      assert.deepEqual([await underWay(), await locks()], [[false, false], []]);
    });

    it('end when the window closes', async () => {
      await one.start('k');
      one.dispose();
      assert.deepEqual([await underWay(), await locks()], [[false, false], []]);
    });

    it('expire ten seconds after a window crashed on another machine', async () => {
      await mkdir(join(folder, 'submitting'));
      const lock = { host: 'another machine', pid: 1, at: clock.now(), mark: 'dead' };
      await writeFile(join(folder, 'submitting', 'k.lock'), JSON.stringify(lock));
      await clock.pass(9_999);
      assert.deepEqual(await underWay(), [true, true]);
      await clock.pass(1);
      assert.deepEqual(await underWay(), [false, false]);
    });

    it("can't be removed by a window that didn't start them", async () => {
      await one.start('k');
      await other.start('k');
      await other.end('k');
      assert.deepEqual(await underWay(), [true, true]);
    });

    it("aren't started if they can't be written", async () => {
      await writeFile(join(folder, 'submitting'), 'a file where the folder should be');
      await assert.rejects(one.start('k'));
    });
  });
});
