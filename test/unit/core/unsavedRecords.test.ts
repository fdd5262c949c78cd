import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { UnsavedRecords } from '../../../src/core/transfers/savedTransfers.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { submittingTransfer } from './specimens.ts';

const other: Transfer = { ...submittingTransfer, key: 'two' };

describe("Records that can't be written", () => {
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
    await block();
  });
  afterEach(async () => {
    unsaved.dispose();
    await rm(folder, { recursive: true });
  });

  /** Puts a file in place of the folder of running transfers. */
  const block = (): Promise<void> => writeFile(join(folder, 'running'), '');
  const unblock = (): Promise<void> => rm(join(folder, 'running'), { recursive: true });
  const written = async (): Promise<readonly string[]> => (await ledger.loadRunning()).map(({ key }) => key).sort();
  const waitForRecords = (...keys: readonly string[]): Promise<unknown> =>
    eventually(async () => (String(await written()) === String(keys) ? true : undefined));
  /**
   * Advances the clock by `afterMs` to the next retry. Waits until the retry has failed and another one is scheduled.
   */
  const retryAndFail = async (afterMs: number): Promise<void> => {
    await clock.pass(afterMs - 1);
    assert.equal(clock.waitingCount, 1);
    await clock.pass(1);
    await eventually(() => Promise.resolve(clock.waitingCount === 1 || undefined));
  };

  it('are retained, and the reason is reported once for any number of them', async () => {
    assert.deepEqual(await unsaved.save(submittingTransfer), submittingTransfer);
    assert.deepEqual(await unsaved.save(other), other);
    assert.deepEqual([unsaved.has('one'), unsaved.has('two'), unsaved.has('three')], [true, true, false]);
    assert.deepEqual([failures, log.errors.length], [1, 1]);
    assert.match(String(log.errors[0]), /could not be written; writing will be retried: Error: E/);
  });

  it('are retried after two seconds', async () => {
    await unsaved.save(submittingTransfer);
    await unblock();
    await clock.pass(1_999);
    assert.equal(unsaved.has('one'), true);
    await clock.pass(1);
    await waitForRecords('one');
    await eventually(() => Promise.resolve(!unsaved.has('one') || undefined));
    assert.deepEqual(log.lines.slice(1), ['info No transfer records are waiting to be written']);
    assert.equal(clock.waitingCount, 0);
  });

  it('are retried at growing intervals of up to five minutes', async () => {
    await unsaved.save(submittingTransfer);
    for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) await retryAndFail(seconds * 1_000);
    assert.equal(failures, 1);
    await unblock();
    await clock.pass(300_000);
    await waitForRecords('one');
  });

  it('are written as soon as another can be', async () => {
    await unsaved.save(submittingTransfer);
    await unblock();
    assert.deepEqual(await unsaved.save(other), other);
    await waitForRecords('one', 'two');
    await eventually(() => Promise.resolve(clock.waitingCount === 0 || undefined));
  });

  it('are reported again, and retried after the first interval, if writing fails again', async () => {
    await unsaved.save(submittingTransfer);
    await retryAndFail(2_000);
    await unblock();
    await unsaved.save(other);
    await eventually(() => Promise.resolve(!unsaved.has('one') || undefined));
    await unblock();
    await block();
    await unsaved.save(withState(submittingTransfer, 'accepted', 2));
    assert.equal(failures, 2);
    await retryAndFail(2_000);
  });

  it('include all changes that were reported meanwhile', async () => {
    await unsaved.save({ ...withState(submittingTransfer, 'accepted', 2), id: 'the-id' });
    const both = await unsaved.save({ ...submittingTransfer, cancelAcceptedAt: 3 });
    assert.deepEqual([both.state, both.id, both.cancelAcceptedAt], ['accepted', 'the-id', 3]);
    await unblock();
    await clock.pass(2_000);
    await waitForRecords('one');
    assert.deepEqual(await ledger.loadRunning(), [both]);
  });

  it("are dropped when they aren't needed any longer", async () => {
    await unsaved.save(submittingTransfer);
    await unsaved.save(other);
    unsaved.forget(['one']);
    assert.deepEqual([unsaved.has('one'), clock.waitingCount], [false, 1]);
    unsaved.forget(['two']);
    assert.deepEqual([unsaved.has('two'), clock.waitingCount], [false, 0]);
    assert.equal(log.lines.at(-1), 'info No transfer records are waiting to be written');
  });

  it("aren't retried after the window was closed", async () => {
    await unsaved.save(submittingTransfer);
    unsaved.dispose();
    assert.equal(clock.waitingCount, 0);
  });

  it("aren't retried if they were being written while the window was closed", async () => {
    const saving = unsaved.save(submittingTransfer);
    unsaved.dispose();
    await saving;
    assert.equal(clock.waitingCount, 0);
    assert.match(String(log.errors), /^error The record of a transfer could not be written: Error: E/);
  });
});

describe('Records that can be written', () => {
  it("aren't reported", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unsaved-'));
    const log = new MemoryLog();
    const clock = new ManualClock();
    const unsaved = new UnsavedRecords(new TransferLedger(folder, log), clock, log);
    assert.deepEqual(await unsaved.save(submittingTransfer), submittingTransfer);
    unsaved.forget(['two']);
    assert.deepEqual([unsaved.has('one'), clock.waitingCount, log.lines], [false, 0, []]);
    await rm(folder, { recursive: true });
  });
});
