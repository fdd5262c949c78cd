import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { withState } from '../../../src/core/model/transferModel.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { submittingTransfer } from './specimens.ts';

const ended = withState(submittingTransfer, 'failed', 2);
const dayMs = 86_400_000;

describe('The files of the ledger', () => {
  let folder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let ledger: TransferLedger;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    clock = new ManualClock();
    log = new MemoryLog();
    ledger = new TransferLedger(folder, log, clock);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const path = (...names: readonly string[]): string => join(folder, ...names);
  const put = async (folderName: string, name: string, text: string): Promise<void> => {
    await mkdir(path(folderName), { recursive: true });
    await writeFile(path(folderName, name), text);
  };
  const newWindow = (): TransferLedger => new TransferLedger(folder, log, clock);

  it("aren't rewritten for unchanged content, except for the time of the last poll", async () => {
    const getInode = async (): Promise<number> => (await stat(path('running', 'one.json'))).ino;
    await ledger.write(submittingTransfer);
    const first = await getInode();
    await newWindow().write(submittingTransfer);
    assert.equal(await getInode(), first);
    await ledger.write({ ...submittingTransfer, askedAt: 5 });
    assert.equal((await ledger.loadRunning())[0]?.askedAt, 5);
  });

  it('show if any transfer has ended, whatever other files exist', async () => {
    await put('ended', 'one.json.x.part', '');
    assert.equal(await ledger.hasEnded(), false);
    await ledger.write(ended);
    assert.equal(await ledger.hasEnded(), true);
    assert.deepEqual([await ledger.keys('ended'), await ledger.keys('running')], [['one'], []]);
  });

  it('are moved aside if one contains the record of another transfer', async () => {
    await ledger.write(submittingTransfer);
    await put('running', 'two.json', await readFile(path('running', 'one.json'), 'utf8'));
    assert.deepEqual(await ledger.loadRunning(), [submittingTransfer]);
    assert.deepEqual(await readdir(path('running')), ['one.json']);
    assert.deepEqual(log.lines, ['warn The record of a transfer could not be read and was moved aside: two.json']);
  });

  it('of a removed transfer are restored even if their folder is gone, but not those of a later version', async () => {
    await ledger.write(submittingTransfer);
    await ledger.write({ ...ended, key: 'two' });
    await ledger.remove(['one', 'two']);
    await put('removed', 'three.json', '{"version":99}');
    for (const folderName of ['running', 'ended']) await rm(path(folderName), { recursive: true });
    const restored = await ledger.restore(['one', 'two', 'three']);
    assert.deepEqual(
      restored.map(({ key }) => key),
      ['one', 'two'],
    );
    assert.deepEqual(await readdir(path('removed')), ['three.json']);
    assert.deepEqual(
      [await ledger.checkRecord('one'), await ledger.checkRecord('two')],
      [{ kind: 'same' }, { kind: 'same' }],
    );
  });

  it('are both removed if a window was killed between two steps', async () => {
    await ledger.write(submittingTransfer);
    const text = await readFile(path('running', 'one.json'), 'utf8');
    await ledger.write(ended);
    await put('running', 'one.json', text);
    await ledger.remove(['one']);
    assert.deepEqual([await readdir(path('running')), await readdir(path('ended'))], [[], []]);
    assert.deepEqual(await ledger.restore(['one']), [ended]);
  });

  it('of a removed transfer are stored for a day from its removal, whatever the age of the record', async () => {
    await ledger.write(submittingTransfer);
    await ledger.remove(['one']);
    await clock.pass(dayMs);
    await ledger.purge();
    assert.deepEqual(await readdir(path('removed')), ['one.json']);
    await clock.pass(1_000);
    await ledger.purge();
    assert.deepEqual(await readdir(path('removed')), []);
  });

  it('that windows left behind a day ago are deleted, but no record is', async () => {
    const leftovers = ['locks', 'submitting', 'asking'];
    for (const name of leftovers) await put(name, 'k.lock', '');
    await ledger.write(submittingTransfer);
    await ledger.write({ ...ended, key: 'two' });
    await put('ended', 'two.json.x.part', '');
    await ledger.purge();
    const left = async (): Promise<readonly string[][]> =>
      await Promise.all([...leftovers, 'running', 'ended'].map((name) => readdir(path(name))));
    assert.deepEqual((await left()).flat().length, 6, 'what is new stays');
    const later = new TransferLedger(folder, log, new ManualClock(Date.now() + 2 * dayMs));
    await later.purge();
    assert.deepEqual(await left(), [[], [], [], ['one.json'], ['two.json']]);
  });

  describe('compared with what was read', () => {
    it("report what wasn't read yet, and nothing that was", async () => {
      await ledger.write(submittingTransfer);
      assert.deepEqual(await newWindow().checkRecord('one'), { kind: 'there', transfer: submittingTransfer });
      const reading = newWindow();
      await reading.loadRunning();
      assert.deepEqual(await reading.checkRecord('one'), { kind: 'same' });
    });

    it('report what this window is writing only after it is written', async () => {
      await ledger.write(submittingTransfer);
      const writing = ledger.write(ended);
      assert.deepEqual(await ledger.checkRecord('one'), { kind: 'same' });
      await writing;
    });

    it('report what is missing, what was removed, and what only a later version can read', async () => {
      await ledger.write(submittingTransfer);
      assert.deepEqual(await ledger.checkRecord('never there'), { kind: 'missing' });
      await rm(path('running', 'one.json'));
      assert.deepEqual(await ledger.checkRecord('one'), { kind: 'missing' });
      await ledger.write(submittingTransfer);
      await ledger.remove(['one']);
      assert.deepEqual(await ledger.checkRecord('one'), { kind: 'removed' });
      await put('running', 'later.json', '{"version":99}');
      assert.deepEqual(await ledger.checkRecord('later'), { kind: 'unreadable' });
    });
  });
});
