import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Submissions } from '../../../src/core/ledger/submissions.ts';
import { WindowNotes } from '../../../src/core/ledger/windowNotes.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('What windows tell each other', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windows-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  describe('of submissions that wait for their answer (D12)', () => {
    let clock: ManualClock;
    let one: Submissions;
    let other: Submissions;
    beforeEach(() => {
      clock = new ManualClock(Date.now());
      [one, other] = [new Submissions(folder, clock), new Submissions(folder, clock)];
    });
    afterEach(() => [one, other].forEach((submissions) => submissions.dispose()));

    const underWay = async (key = 'k'): Promise<readonly boolean[]> =>
      await Promise.all([one, other].map((submissions) => submissions.isUnderWay(key)));
    const locks = (): Promise<readonly string[]> => readdir(join(folder, 'submitting'));

    it('is seen by all from their beginning to their end', async () => {
      assert.deepEqual(await underWay(), [false, false]);
      await one.begin('k');
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

    it('is over when the window ends', async () => {
      await one.begin('k');
      one.dispose();
      assert.deepEqual([await underWay(), await locks()], [[false, false], []]);
    });

    it('is over ten seconds after its window died on another machine', async () => {
      await mkdir(join(folder, 'submitting'));
      const lock = { host: 'another machine', pid: 1, at: clock.now(), mark: 'dead' };
      await writeFile(join(folder, 'submitting', 'k.lock'), JSON.stringify(lock));
      await clock.pass(9_999);
      assert.deepEqual(await underWay(), [true, true]);
      await clock.pass(1);
      assert.deepEqual(await underWay(), [false, false]);
    });

    it('is nothing that a window can end which did not begin it', async () => {
      await one.begin('k');
      await other.begin('k');
      await other.end('k');
      assert.deepEqual(await underWay(), [true, true]);
    });

    it('is not begun where it cannot be written', async () => {
      await writeFile(join(folder, 'submitting'), 'a file where the folder should be');
      await assert.rejects(one.begin('k'));
    });
  });

  describe('by notes', () => {
    it('is read as it was written, and is nothing where a note is gone, torn or none of ours', async () => {
      const notes = new WindowNotes(join(folder, 'notes'));
      await notes.write('ours', { at: 3 });
      await writeFile(join(folder, 'notes', 'list'), '[1]');
      await writeFile(join(folder, 'notes', 'torn'), '{"at":');
      const read = await Promise.all(['ours', 'list', 'torn', 'gone'].map((name) => notes.read(name)));
      assert.deepEqual(read, [{ at: 3 }, {}, {}, {}]);
      assert.deepEqual((await notes.names()).toSorted(), ['list', 'ours', 'torn'], 'and no half note is left');
      for (const name of ['ours', 'ours', 'gone']) await notes.remove(name);
      assert.deepEqual((await notes.names()).toSorted(), ['list', 'torn']);
    });
  });
});
