import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { inState } from '../../../src/core/model/transfer.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { writtenChanges } from './ledgerWriter.ts';
import { begun } from './specimens.ts';

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

  it('is empty where there is no folder yet', async () => {
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded(), await ledger.hasEnded()], [[], [], false]);
  });

  it('gives back what was written', async () => {
    await ledger.write(begun);
    assert.deepEqual(await new TransferLedger(folder, log).loadRunning(), [begun]);
  });

  it('keeps a transfer in one folder only, running or ended', async () => {
    const ended = inState(begun, 'failed', 2);
    await ledger.write(begun);
    await ledger.write(ended);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[], [ended]]);
  });

  it('keeps the order of writes that were not waited for', async () => {
    const states = ['accepted', 'staging', 'active', 'finalizing'] as const;
    await Promise.all(states.map((state, at) => ledger.write(inState(begun, state, at))));
    assert.equal((await ledger.loadRunning())[0]?.state, 'finalizing');
  });

  it('sets a torn or foreign file aside, never deletes it, and says so in the log', async () => {
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(join(folder, 'running', 'torn.json'), '{"version":1,"tran');
    await writeFile(join(folder, 'running', 'foreign.json'), '{"name":"something else"}');
    await ledger.write(begun);
    assert.deepEqual(await ledger.loadRunning(), [begun]);
    const aside = await readdir(join(folder, 'aside'));
    assert.deepEqual(aside.map((name) => name.replace(/^\d+-/, '')).sort(), ['foreign.json', 'torn.json']);
    assert.equal(log.lines.filter((line) => line.includes('set aside')).length, 2);
  });

  it('leaves a record of a later version alone, and names it once', async () => {
    const file = join(folder, 'running', 'one.json');
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(file, '{"version":99,"transfer":{"of":"a later kind"}}');
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadRunning()], [[], []]);
    await ledger.write(begun);
    assert.equal(await readFile(file, 'utf8'), '{"version":99,"transfer":{"of":"a later kind"}}');
    assert.deepEqual(log.lines, ['warn The record one.json of a transfer was written by a later version (99)']);
  });

  it('keeps the fields of a record that it does not know', async () => {
    const file = join(folder, 'running', 'one.json');
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(file, JSON.stringify({ version: 1, transfer: { ...begun, mood: 'good' }, writer: 'next' }));
    await ledger.write(inState(begun, 'accepted', 2));
    const { writer, transfer } = JSON.parse(await readFile(file, 'utf8')) as Record<string, { mood?: string }>;
    assert.deepEqual([writer, transfer?.mood], ['next', 'good']);
  });

  it('reads the others when one goes away, or cannot be read', async () => {
    await ledger.write(begun);
    await symlink(join(folder, 'gone'), join(folder, 'running', 'gone.json'));
    await mkdir(join(folder, 'running', 'folder.json'));
    assert.deepEqual(await ledger.loadRunning(), [begun]);
    assert.deepEqual(
      log.lines.map((line) => line.split(':')[0]),
      ['error The record folder.json of a transfer could not be read'],
    );
  });

  it('leaves no half file when it cannot write', async () => {
    await writeFile(join(folder, 'running'), 'a file where the folder should be');
    await assert.rejects(ledger.write(begun));
    assert.equal(await readFile(join(folder, 'running'), 'utf8'), 'a file where the folder should be');
  });

  it('forgets what is removed, until it is restored', async () => {
    const other = inState({ ...begun, key: 'two' }, 'failed', 2);
    await ledger.write(begun);
    await ledger.write(other);
    await ledger.remove(['one', 'two', 'never there']);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded(), await ledger.hasEnded()], [[], [], false]);
    assert.deepEqual(await ledger.restore(['one', 'two', 'never there']), [begun, other]);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[begun], [other]]);
  });

  it('lists what was removed within a day, the last removed first', async () => {
    const clock = new ManualClock(Date.now());
    ledger = new TransferLedger(folder, log, clock);
    const other = inState({ ...begun, key: 'two' }, 'failed', 2);
    await ledger.write(begun);
    await ledger.write(other);
    await ledger.remove(['two']);
    await clock.pass(1_000);
    await ledger.remove(['one']);
    assert.deepEqual(await ledger.loadRemoved(), [begun, other]);
    assert.deepEqual(await new TransferLedger(folder, log).loadRemoved(), [begun, other], 'also after a reload');
    await ledger.restore(['one']);
    assert.deepEqual(await ledger.loadRemoved(), [other]);
  });

  it('does not write again what another window has removed', async () => {
    await ledger.write(begun);
    await new TransferLedger(folder, log).remove(['one']);
    await ledger.write(inState(begun, 'accepted', 2));
    assert.deepEqual(await ledger.loadRunning(), []);
  });

  it('deletes what was removed a day ago, and what an interrupted write left then', async () => {
    const clock = new ManualClock(Date.now());
    ledger = new TransferLedger(folder, log, clock);
    await ledger.write(begun);
    await ledger.remove(['one']);
    await writeFile(join(folder, 'running', 'two.json.x.part'), '{"ver');
    await clock.pass(86_000_000);
    await ledger.purge();
    assert.deepEqual(await readdir(join(folder, 'removed')), ['one.json']);
    await clock.pass(1_000_000);
    await ledger.purge();
    assert.deepEqual([await readdir(join(folder, 'removed')), await readdir(join(folder, 'running'))], [[], []]);
  });

  it('counts the end when a window was ended between writing it and deleting what was before', async () => {
    const ended = inState(begun, 'failed', 2);
    await ledger.write(begun);
    const text = await readFile(join(folder, 'running', 'one.json'));
    await ledger.write(ended);
    await writeFile(join(folder, 'running', 'one.json'), text);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[], [ended]]);
    assert.deepEqual(await ledger.write(inState(begun, 'active', 9)), ended);
    assert.deepEqual(await readdir(join(folder, 'running')), []);
  });

  it('clears up what such a window left among the running', async () => {
    await ledger.write(begun);
    const text = await readFile(join(folder, 'running', 'one.json'));
    await ledger.write(inState(begun, 'failed', 2));
    await writeFile(join(folder, 'running', 'one.json'), text);
    await ledger.write({ ...begun, key: 'two' });
    await ledger.purge();
    assert.deepEqual(await readdir(join(folder, 'running')), ['two.json']);
    assert.deepEqual(await readdir(join(folder, 'ended')), ['one.json']);
  });

  it('writes what another window knows together with what this one knows', async () => {
    const other = new TransferLedger(folder, log);
    await ledger.write(begun);
    await other.write({ ...inState(begun, 'accepted', 2), id: 'the-id' });
    const both = await ledger.write({ ...begun, cancelAcceptedAt: 3 });
    assert.deepEqual([both.state, both.id, both.cancelAcceptedAt], ['accepted', 'the-id', 3]);
    assert.deepEqual(await other.loadRunning(), [both]);
  });

  it('tells what another window did, and nothing of what this one did', async () => {
    const other = new TransferLedger(folder, log);
    await ledger.write(begun);
    assert.deepEqual(await ledger.look('one'), { kind: 'same' });
    const ended = await other.write(inState(begun, 'failed', 2));
    assert.deepEqual(await ledger.look('one'), { kind: 'there', transfer: ended });
    assert.deepEqual(await ledger.look('one'), { kind: 'same' });
    await other.remove(['one']);
    assert.deepEqual(await ledger.look('one'), { kind: 'removed' });
  });

  it('loses nothing when two processes write the same transfers at once', async () => {
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
  }).timeout(30_000);
});
