import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PendingSubmissions, SavedTransfers } from '../../../src/core/transfers/savedTransfers.ts';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { TransferStore } from '../../../src/core/transfers/transferStore.ts';
import { eventually } from '../../support/eventually.ts';
import { json } from '../../support/faultBehaviors.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { untilIdle } from '../../support/untilIdle.ts';
import { AgentStage } from './agentStage.ts';
import { Rig } from './rig.ts';
import { submittingTransfer } from './specimens.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

describe('A submission whose ledger fails', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  it('is accepted if the ledger fails while the service responds, so that it is not sent again (D12)', async () => {
    const folder = join(rig.folder, 'transfers', 'submitting');
    rig.server.on('POST /api/v1/transfers', async (request, response) => {
      await rename(folder, `${folder} away`);
      await writeFile(folder, 'a file where the folder should be');
      await json({ id }, 201)(request, response);
    });
    const { state, id: accepted } = await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([state, accepted], ['accepted', id]);
  });
});

describe('A submission whose window has closed, and whose record cannot be read for a moment', () => {
  const { key } = submittingTransfer;
  let clock: ManualClock;
  let store: TransferStore;
  let folder: string;
  let saved: SavedTransfers;
  let failures: number;

  beforeEach(async () => {
    clock = new ManualClock();
    store = new TransferStore();
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    failures = 0;
    const log = new MemoryLog();
    const ledger = new TransferLedger(folder, log, clock);
    const checkRecord = ledger.checkRecord.bind(ledger);
    ledger.checkRecord = async (checked) => {
      if (failures-- > 0) throw new Error('EIO');
      return await checkRecord(checked);
    };
    const submissions = new PendingSubmissions(folder, clock);
    saved = new SavedTransfers({ folder, store, ledger, submissions, clock, log });
    store.put([submittingTransfer]);
    await ledger.write(submittingTransfer);
    const other = new PendingSubmissions(folder, clock);
    await other.start(key);
    await saved.settleSubmissions();
    await other.end(key);
    failures = 1;
  });
  afterEach(async () => {
    saved.dispose();
    // What a disposed object is still writing would create the folder again.
    await untilIdle(1);
    await rm(folder, { recursive: true });
  });

  it('is settled at the next check', async () => {
    await clock.pass(3_000);
    await eventually(() => Promise.resolve(clock.waitingCount === 1 || undefined));
    assert.equal(store.get(key)?.state, 'submitting');
    await clock.pass(3_000);
    await eventually(() => Promise.resolve(store.get(key)?.state === 'notConfirmed' || undefined));
  });

  it('is not checked again once this window is closed, too', async () => {
    await clock.pass(3_000);
    saved.dispose();
    await eventually(() => Promise.resolve(failures === 0 || undefined));
    await untilIdle(1);
    assert.equal(clock.waitingCount, 0);
  });
});

describe('A plan of an agent whose transfer cannot be recorded', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => stage.end());

  it('is not submitted, which is reported', async () => {
    const planId = await stage.plan(['f1']);
    const folder = join(stage.rig.folder, 'transfers');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'submitting'), 'a file where the folder should be');
    const { content } = await stage.call('submit_transfer', { planId });
    const error = 'The transfer could not be saved (EEXIST), so nothing was submitted. Plan it again.';
    assert.deepEqual(content, { error, code: 'notSaved' });
    assert.equal(stage.submissionCount, 0);
    const { content: again } = await stage.call('submit_transfer', { planId });
    assert.match(String(again['error']), /was already confirmed/);
  });
});
