import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { withState } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { writtenChanges } from './ledgerWriter.ts';
import { submittingTransfer } from './specimens.ts';

describe('The ledger', () => {
  let folder: string;
  let log: MemoryLog;
  let ledger: TransferLedger;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    log = new MemoryLog();
    ledger = new TransferLedger(folder, log);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is empty if its folder doesn't exist yet", async () => {
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded(), await ledger.hasEnded()], [[], [], false]);
  });

  it('returns a written transfer', async () => {
    await ledger.write(submittingTransfer);
    assert.deepEqual(await new TransferLedger(folder, log).loadRunning(), [submittingTransfer]);
  });

  it('stores a transfer in one folder only, running or ended', async () => {
    const ended = withState(submittingTransfer, 'failed', 2);
    await ledger.write(submittingTransfer);
    await ledger.write(ended);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[], [ended]]);
  });

  it('returns the last transfers that ended without reading the others', async () => {
    const ended = ['a', 'b', 'c'].map((key) => withState({ ...submittingTransfer, key }, 'failed', 2));
    for (const transfer of ended) await ledger.write(transfer);
    for (const [index, { key }] of ended.entries()) await utimes(join(folder, 'ended', `${key}.json`), index, index);
    await writeFile(join(folder, 'ended', 'a.json'), 'not read');
    await utimes(join(folder, 'ended', 'a.json'), 0, 0);
    const { transfers, hasMore } = await new TransferLedger(folder, log).loadLastEnded(2);
    assert.deepEqual([transfers, hasMore], [[ended[2], ended[1]], true]);
    assert.deepEqual(log.lines, []);
    assert.equal((await ledger.loadLastEnded(3)).hasMore, false);
  });

  it("keeps the order of writes that weren't awaited", async () => {
    const states = ['accepted', 'staging', 'active', 'finalizing'] as const;
    await Promise.all(states.map((state, at) => ledger.write(withState(submittingTransfer, state, at))));
    assert.equal((await ledger.loadRunning())[0]?.state, 'finalizing');
  });

  it('moves an incomplete or foreign file aside, never deletes it, and logs that', async () => {
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(join(folder, 'running', 'torn.json'), '{"version":1,"tran');
    await writeFile(join(folder, 'running', 'foreign.json'), '{"name":"something else"}');
    await ledger.write(submittingTransfer);
    assert.deepEqual(await ledger.loadRunning(), [submittingTransfer]);
    const aside = await readdir(join(folder, 'aside'));
    assert.deepEqual(aside.map((name) => name.replace(/^\d+-/, '')).sort(), ['foreign.json', 'torn.json']);
    assert.equal(log.lines.filter((line) => line.includes('moved aside')).length, 2);
  });

  it('moves a damaged file aside once if several windows read it simultaneously', async () => {
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(join(folder, 'running', 'torn.json'), '{"version":1,"tran');
    const windows = Array.from({ length: 20 }, () => new TransferLedger(folder, log));
    await Promise.all(windows.map((one) => one.loadRunning()));
    assert.deepEqual(log.lines, ['warn The record of a transfer could not be read and was moved aside: torn.json']);
  });

  it("doesn't touch a record of a later version, and logs it once", async () => {
    const file = join(folder, 'running', 'one.json');
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(file, '{"version":99,"transfer":{"of":"a later kind"}}');
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadRunning()], [[], []]);
    await ledger.write(submittingTransfer);
    assert.equal(await readFile(file, 'utf8'), '{"version":99,"transfer":{"of":"a later kind"}}');
    assert.deepEqual(log.lines, ["warn The record one.json of a transfer has a newer format (99) and can't be read"]);
  });

  it('preserves unknown fields of a record', async () => {
    const file = join(folder, 'running', 'one.json');
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(
      file,
      JSON.stringify({ version: 1, transfer: { ...submittingTransfer, mood: 'good' }, writer: 'next' }),
    );
    await ledger.write(withState(submittingTransfer, 'accepted', 2));
    const { writer, transfer } = JSON.parse(await readFile(file, 'utf8')) as Record<string, { mood?: string }>;
    assert.deepEqual([writer, transfer?.mood], ['next', 'good']);
  });

  it("reads the other records if one is deleted or can't be read", async () => {
    await ledger.write(submittingTransfer);
    await symlink(join(folder, 'gone'), join(folder, 'running', 'gone.json'));
    await mkdir(join(folder, 'running', 'folder.json'));
    assert.deepEqual(await ledger.loadRunning(), [submittingTransfer]);
    assert.deepEqual(
      log.lines.map((line) => line.split(':')[0]),
      ['error The record folder.json of a transfer could not be read'],
    );
  });

  it("reads the other records if the file system can't find out whether one exists", async () => {
    const endless = async (name: 'running' | 'ended'): Promise<void> => {
      const file = join(folder, name, 'endless.json');
      await symlink(file, file);
    };
    const ended = withState({ ...submittingTransfer, key: 'two' }, 'failed', 2);
    await ledger.write(submittingTransfer);
    await ledger.write(ended);
    await endless('running');
    assert.deepEqual(await ledger.loadRunning(), [submittingTransfer]);
    await endless('ended');
    assert.deepEqual(
      [await ledger.loadEnded(), await ledger.loadLastEnded(5)],
      [[ended], { transfers: [ended], hasMore: false }],
    );
    assert.match(log.lines.join(), /error The record endless.json of a transfer could not be read: Error: ELOOP/);
  });

  it("leaves no partial file if it can't write", async () => {
    await writeFile(join(folder, 'running'), 'a file where the folder should be');
    await assert.rejects(ledger.write(submittingTransfer));
    assert.equal(await readFile(join(folder, 'running'), 'utf8'), 'a file where the folder should be');
  });

  it('hides removed transfers until they are restored', async () => {
    const other = withState({ ...submittingTransfer, key: 'two' }, 'failed', 2);
    await ledger.write(submittingTransfer);
    await ledger.write(other);
    await ledger.remove(['one', 'two', 'never there']);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded(), await ledger.hasEnded()], [[], [], false]);
    assert.deepEqual(await ledger.restore(['one', 'two', 'never there']), [submittingTransfer, other]);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[submittingTransfer], [other]]);
  });

  it('lists transfers that were removed within a day, the last removed first', async () => {
    const clock = new ManualClock(Date.now());
    ledger = new TransferLedger(folder, log, clock);
    const other = withState({ ...submittingTransfer, key: 'two' }, 'failed', 2);
    await ledger.write(submittingTransfer);
    await ledger.write(other);
    await ledger.remove(['two']);
    await clock.pass(1_000);
    await ledger.remove(['one']);
    assert.deepEqual(await ledger.loadRemoved(), [submittingTransfer, other]);
    assert.deepEqual(
      await new TransferLedger(folder, log).loadRemoved(),
      [submittingTransfer, other],
      'also after a reload',
    );
    await ledger.restore(['one']);
    assert.deepEqual(await ledger.loadRemoved(), [other]);
  });

  it("doesn't write a transfer again that another window has removed", async () => {
    await ledger.write(submittingTransfer);
    await new TransferLedger(folder, log).remove(['one']);
    await ledger.write(withState(submittingTransfer, 'accepted', 2));
    assert.deepEqual(await ledger.loadRunning(), []);
  });

  it('deletes transfers a day after their removal, and old partial files', async () => {
    const clock = new ManualClock(Date.now());
    ledger = new TransferLedger(folder, log, clock);
    await ledger.write(submittingTransfer);
    await ledger.remove(['one']);
    await writeFile(join(folder, 'running', 'two.json.x.part'), '{"ver');
    await clock.pass(86_000_000);
    await ledger.purge();
    assert.deepEqual(await readdir(join(folder, 'removed')), ['one.json']);
    await clock.pass(1_000_000);
    await ledger.purge();
    assert.deepEqual([await readdir(join(folder, 'removed')), await readdir(join(folder, 'running'))], [[], []]);
  });

  it('uses the end if a window was killed between writing it and deleting the running record', async () => {
    const ended = withState(submittingTransfer, 'failed', 2);
    await ledger.write(submittingTransfer);
    const text = await readFile(join(folder, 'running', 'one.json'));
    await ledger.write(ended);
    await writeFile(join(folder, 'running', 'one.json'), text);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[], [ended]]);
    assert.deepEqual(await ledger.write(withState(submittingTransfer, 'active', 9)), ended);
    assert.deepEqual(await readdir(join(folder, 'running')), []);
  });

  it("deletes the end of another transfer, whose ID was misrouted to this one's submission (D35)", async () => {
    await ledger.write({ ...withState(submittingTransfer, 'succeeded', 2), id: 'foreign' });
    await ledger.write({ ...withState(submittingTransfer, 'notConfirmed', 3), foreignIds: ['foreign'] });
    const other = new TransferLedger(folder, log);
    const [running] = await other.loadRunning();
    assert.deepEqual([running?.state, running?.id], ['notConfirmed', undefined]);
    assert.deepEqual([await other.loadEnded(), (await other.loadLastEnded(1)).transfers], [[], []]);
  });

  it('deletes the running record of an ended transfer', async () => {
    await ledger.write(submittingTransfer);
    const text = await readFile(join(folder, 'running', 'one.json'));
    await ledger.write(withState(submittingTransfer, 'failed', 2));
    await writeFile(join(folder, 'running', 'one.json'), text);
    await ledger.write({ ...submittingTransfer, key: 'two' });
    await ledger.purge();
    assert.deepEqual(await readdir(join(folder, 'running')), ['two.json']);
    assert.deepEqual(await readdir(join(folder, 'ended')), ['one.json']);
  });

  it('adds no record of another ledger while a window writes that transfer', async () => {
    const { key } = submittingTransfer;
    await mkdir(join(folder, 'locks'));
    const lock = await FileLock.acquire(join(folder, 'locks', `${key}.lock`), systemClock);
    const adding = ledger.add({ folder: 'running', key, text: 'imported', at: 1 });
    await mkdir(join(folder, 'ended'));
    await writeFile(join(folder, 'ended', `${key}.json`), 'written');
    await lock?.release();
    assert.equal(await adding, false);
    assert.equal(await readFile(join(folder, 'ended', `${key}.json`), 'utf8'), 'written');
    assert.deepEqual(await readdir(join(folder, 'running')), []);
  });

  it('merges a write with the changes of another window', async () => {
    const other = new TransferLedger(folder, log);
    await ledger.write(submittingTransfer);
    await other.write({ ...withState(submittingTransfer, 'accepted', 2), id: 'the-id' });
    const both = await ledger.write({ ...submittingTransfer, cancelAcceptedAt: 3 });
    assert.deepEqual([both.state, both.id, both.cancelAcceptedAt], ['accepted', 'the-id', 3]);
    assert.deepEqual(await other.loadRunning(), [both]);
  });

  it('reports the changes of other windows, but not those of this one', async () => {
    const other = new TransferLedger(folder, log);
    await ledger.write(submittingTransfer);
    assert.deepEqual(await ledger.checkRecord('one'), { kind: 'same' });
    const ended = await other.write(withState(submittingTransfer, 'failed', 2));
    assert.deepEqual(await ledger.checkRecord('one'), { kind: 'there', transfer: ended });
    assert.deepEqual(await ledger.checkRecord('one'), { kind: 'same' });
    await other.remove(['one']);
    assert.deepEqual(await ledger.checkRecord('one'), { kind: 'removed' });
  });

  it('loses nothing if two processes write the same transfers concurrently', async () => {
    const program = join(import.meta.dirname, 'ledgerWriter.ts');
    const writers = ['left', 'right'].map((side) => fork(program, [folder, side], { stdio: 'ignore' }));
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    assert.deepEqual(codes, [0, 0]);
    assert.deepEqual(await ledger.loadRunning(), []);
    const ended = await ledger.loadEnded();
    assert.deepEqual(ended.map(({ key }) => key).sort(), ['one', 'two']);
    for (const { id, state, changes } of ended) {
      assert.deepEqual([id, state, changes.slice(1)], ['the-id', 'failed', writtenChanges]);
    }
  });
});
