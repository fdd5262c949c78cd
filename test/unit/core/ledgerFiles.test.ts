import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { inState } from '../../../src/core/model/transfer.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { begun } from './specimens.ts';

const ended = inState(begun, 'failed', 2);
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
  const put = async (shelf: string, name: string, text: string): Promise<void> => {
    await mkdir(path(shelf), { recursive: true });
    await writeFile(path(shelf, name), text);
  };
  const newWindow = (): TransferLedger => new TransferLedger(folder, log, clock);

  it('are not written again for what is in them already, but for when it was asked for last', async () => {
    const madeIn = async (): Promise<number> => (await stat(path('running', 'one.json'))).ino;
    await ledger.write(begun);
    const first = await madeIn();
    await newWindow().write(begun);
    assert.equal(await madeIn(), first);
    await ledger.write({ ...begun, askedAt: 5 });
    assert.equal((await ledger.loadRunning())[0]?.askedAt, 5);
  });

  it('tell whether any transfer has ended, whatever else lies there', async () => {
    await put('ended', 'one.json.x.part', '');
    assert.equal(await ledger.hasEnded(), false);
    await ledger.write(ended);
    assert.equal(await ledger.hasEnded(), true);
    assert.deepEqual([await ledger.keys('ended'), await ledger.keys('running')], [['one'], []]);
  });

  it('are set aside where one holds the record of another transfer', async () => {
    await ledger.write(begun);
    await put('running', 'two.json', await readFile(path('running', 'one.json'), 'utf8'));
    assert.deepEqual(await ledger.loadRunning(), [begun]);
    assert.deepEqual(await readdir(path('running')), ['one.json']);
    assert.deepEqual(log.lines, ['warn The record of a transfer could not be read and was set aside: two.json']);
  });

  it('of a removed transfer are restored also where its folder is gone, and never those of a later version', async () => {
    await ledger.write(begun);
    await ledger.write({ ...ended, key: 'two' });
    await ledger.remove(['one', 'two']);
    await put('removed', 'three.json', '{"version":99}');
    for (const shelf of ['running', 'ended']) await rm(path(shelf), { recursive: true });
    const restored = await ledger.restore(['one', 'two', 'three']);
    assert.deepEqual(
      restored.map(({ key }) => key),
      ['one', 'two'],
    );
    assert.deepEqual(await readdir(path('removed')), ['three.json']);
    assert.deepEqual([await ledger.look('one'), await ledger.look('two')], [{ kind: 'same' }, { kind: 'same' }]);
  });

  it('are removed both where a window was ended between two steps', async () => {
    await ledger.write(begun);
    const text = await readFile(path('running', 'one.json'), 'utf8');
    await ledger.write(ended);
    await put('running', 'one.json', text);
    await ledger.remove(['one']);
    assert.deepEqual([await readdir(path('running')), await readdir(path('ended'))], [[], []]);
    assert.deepEqual(await ledger.restore(['one']), [ended]);
  });

  it('of a removed transfer are kept for a day from then, however old or new the record was', async () => {
    await ledger.write(begun);
    await ledger.remove(['one']);
    await clock.pass(dayMs);
    await ledger.purge();
    assert.deepEqual(await readdir(path('removed')), ['one.json']);
    await clock.pass(1_000);
    await ledger.purge();
    assert.deepEqual(await readdir(path('removed')), []);
  });

  it('that windows left a day ago are cleared away, and no record is', async () => {
    const leftovers = ['locks', 'submitting', 'asking'];
    for (const name of leftovers) await put(name, 'k.lock', '');
    await ledger.write(begun);
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

  describe('looked at', () => {
    it('tell of what was not read yet, and not of what was', async () => {
      await ledger.write(begun);
      assert.deepEqual(await newWindow().look('one'), { kind: 'there', transfer: begun });
      const reading = newWindow();
      await reading.loadRunning();
      assert.deepEqual(await reading.look('one'), { kind: 'same' });
    });

    it('tell of what this window is writing only when it is written', async () => {
      await ledger.write(begun);
      const writing = ledger.write(ended);
      assert.deepEqual(await ledger.look('one'), { kind: 'same' });
      await writing;
    });

    it('tell what is missing, what was removed, and what only a later version can read', async () => {
      await ledger.write(begun);
      assert.deepEqual(await ledger.look('never there'), { kind: 'missing' });
      await rm(path('running', 'one.json'));
      assert.deepEqual(await ledger.look('one'), { kind: 'missing' });
      await ledger.write(begun);
      await ledger.remove(['one']);
      assert.deepEqual(await ledger.look('one'), { kind: 'removed' });
      await put('running', 'later.json', '{"version":99}');
      assert.deepEqual(await ledger.look('later'), { kind: 'unreadable' });
    });
  });
});
