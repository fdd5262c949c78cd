import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { UnsavedRecords } from '../../../src/core/ledger/unsavedRecords.ts';
import { inState, type Transfer } from '../../../src/core/model/transfer.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { begun } from './specimens.ts';

const other: Transfer = { ...begun, key: 'two' };

describe('Records that cannot be written', () => {
  let folder: string;
  let ledger: TransferLedger;
  let clock: ManualClock;
  let log: MemoryLog;
  let unsaved: UnsavedRecords;
  let failures: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unsaved-'));
    log = new MemoryLog();
    ledger = new TransferLedger(folder, log);
    clock = new ManualClock();
    unsaved = new UnsavedRecords(ledger, clock, log);
    failures = 0;
    unsaved.onDidFail(() => (failures += 1));
    await obstruct();
  });
  afterEach(async () => {
    unsaved.dispose();
    await rm(folder, { recursive: true });
  });

  /** A file stands where the folder of the running transfers should be. */
  const obstruct = (): Promise<void> => writeFile(join(folder, 'running'), '');
  const makeWay = (): Promise<void> => rm(join(folder, 'running'), { recursive: true });
  const written = async (): Promise<readonly string[]> => (await ledger.loadRunning()).map(({ key }) => key).sort();
  const areWritten = (...keys: readonly string[]): Promise<unknown> =>
    eventually(async () => (String(await written()) === String(keys) ? true : undefined));
  /** Lets a try come that fails, and the next one be arranged. */
  const tryInVain = async (afterMs: number): Promise<void> => {
    await clock.pass(afterMs - 1);
    assert.equal(clock.waitingCount, 1);
    await clock.pass(1);
    await eventually(() => Promise.resolve(clock.waitingCount === 1 || undefined));
  };

  it('are kept, and why is said once however many there are', async () => {
    assert.deepEqual(await unsaved.keep(begun), begun);
    assert.deepEqual(await unsaved.keep(other), other);
    assert.deepEqual([unsaved.has('one'), unsaved.has('two'), unsaved.has('three')], [true, true, false]);
    assert.deepEqual([failures, log.errors.length], [1, 1]);
    assert.match(String(log.errors[0]), /could not be written, and is kept until it can be: Error: E/);
  });

  it('are tried again after two seconds', async () => {
    await unsaved.keep(begun);
    await makeWay();
    await clock.pass(1_999);
    assert.equal(unsaved.has('one'), true);
    await clock.pass(1);
    await areWritten('one');
    await eventually(() => Promise.resolve(!unsaved.has('one') || undefined));
    assert.deepEqual(log.lines.slice(1), ['info All records of transfers are written again']);
    assert.equal(clock.waitingCount, 0);
  });

  it('are tried less and less often, though every five minutes at least', async () => {
    await unsaved.keep(begun);
    for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) await tryInVain(seconds * 1_000);
    assert.equal(failures, 1);
    await makeWay();
    await clock.pass(300_000);
    await areWritten('one');
  });

  it('are written as soon as another can be', async () => {
    await unsaved.keep(begun);
    await makeWay();
    assert.deepEqual(await unsaved.keep(other), other);
    await areWritten('one', 'two');
    await eventually(() => Promise.resolve(clock.waitingCount === 0 || undefined));
  });

  it('are told of again, and tried as soon as before, when it comes back', async () => {
    await unsaved.keep(begun);
    await tryInVain(2_000);
    await makeWay();
    await unsaved.keep(other);
    await eventually(() => Promise.resolve(!unsaved.has('one') || undefined));
    await makeWay();
    await obstruct();
    await unsaved.keep(inState(begun, 'accepted', 2));
    assert.equal(failures, 2);
    await tryInVain(2_000);
  });

  it('hold all that was told meanwhile', async () => {
    await unsaved.keep({ ...inState(begun, 'accepted', 2), id: 'the-id' });
    const both = await unsaved.keep({ ...begun, cancelAcceptedAt: 3 });
    assert.deepEqual([both.state, both.id, both.cancelAcceptedAt], ['accepted', 'the-id', 3]);
    await makeWay();
    await clock.pass(2_000);
    await areWritten('one');
    assert.deepEqual(await ledger.loadRunning(), [both]);
  });

  it('are given up when they are not wanted any longer', async () => {
    await unsaved.keep(begun);
    await unsaved.keep(other);
    unsaved.forget(['one']);
    assert.deepEqual([unsaved.has('one'), clock.waitingCount], [false, 1]);
    unsaved.forget(['two']);
    assert.deepEqual([unsaved.has('two'), clock.waitingCount], [false, 0]);
    assert.equal(log.lines.at(-1), 'info All records of transfers are written again');
  });

  it('are not tried any more after the end of the window', async () => {
    await unsaved.keep(begun);
    unsaved.dispose();
    assert.equal(clock.waitingCount, 0);
  });
});

describe('Records that can be written', () => {
  it('are not spoken of', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unsaved-'));
    const log = new MemoryLog();
    const clock = new ManualClock();
    const unsaved = new UnsavedRecords(new TransferLedger(folder, log), clock, log);
    assert.deepEqual(await unsaved.keep(begun), begun);
    unsaved.forget(['two']);
    assert.deepEqual([unsaved.has('one'), clock.waitingCount, log.lines], [false, 0, []]);
    await rm(folder, { recursive: true });
  });
});
