import assert from 'node:assert/strict';
import { cp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeTransfers, TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { canSubmitAgain, withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { describeState } from '../../../src/cli/text/transferText.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { CoreWindow } from '../../support/coreWindow.ts';
import type { RequestWait } from '../../../src/core/model/requestTurn.ts';
import { json, silence } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';
import { submittingTransfer } from './specimens.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const route = 'POST /api/v1/transfers';

interface WaitingSubmission {
  readonly waiting: string;
  readonly outcome: Promise<Transfer>;
  /** Sends the submission out of turn; resolves when its record is about to be written. */
  begin(): Promise<void>;
  withdraw(): void;
}

describe('A submission that waits in the queue', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on(route, silence());
    await rig.connect();
  });
  afterEach(() => rig.end());

  /** Starts a submission that the server never answers, and a second one that waits for the first. */
  async function submitTwice(replacedKey?: string): Promise<WaitingSubmission> {
    const { transferFlow, transferStore } = rig.explorer;
    const isSent = rig.server.received(rig.server.requests.length + 1);
    void transferFlow.submit(rig.order);
    await isSent;
    const sent = transferStore.getRunning().map(({ key }) => key);
    const stop = new AbortController();
    let outcome: Promise<Transfer> | undefined;
    let didStart: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (didStart = resolve));
    const { sendNow } = await new Promise<RequestWait>((resolve) => {
      const turn = { observer: { didWait: resolve, didStart: () => didStart() }, signal: stop.signal };
      outcome = transferFlow.submit(rig.order, replacedKey, turn);
    });
    const waiting = transferStore.getRunning().find(({ key }) => !sent.includes(key));
    assert.ok(waiting && outcome);
    const begin = async (): Promise<void> => {
      sendNow();
      await started;
    };
    return { waiting: waiting.key, outcome, begin, withdraw: () => stop.abort() };
  }

  async function readStored(key: string, folder = join(rig.folder, 'transfers')): Promise<Transfer | undefined> {
    const ledger = new TransferLedger(folder, rig.log);
    return [...(await ledger.loadRunning()), ...(await ledger.loadEnded())].find((one) => one.key === key);
  }

  it('is not sent if its window dies, and can be submitted again; the one before it is not confirmed', async () => {
    const { waiting } = await submitTwice();
    // A process that dies leaves its records, and locks that are free.
    const left = join(rig.folder, 'left');
    await cp(join(rig.folder, 'transfers', 'running'), join(left, 'running'), { recursive: true });
    const place = { ledgerFolder: left, server: rig.server.address, key: 'the-key', now: rig.clock.now() };
    const window = await CoreWindow.open(place);
    const { transferStore } = window.explorer;
    const shown = transferStore.get(waiting);
    assert.deepEqual([shown?.state, shown?.problem], ['refused', { kind: 'notSent' }]);
    assert.equal(shown && canSubmitAgain(shown), true);
    assert.equal((await readStored(waiting, left))?.state, 'refused');
    const unclear = transferStore.getNotConfirmed().map(({ key }) => key === waiting);
    assert.deepEqual(unclear, [false]);
    await window.end();
  });

  it('is not sent if its window is closed, and can be submitted again', async () => {
    const { waiting, outcome } = await submitTwice();
    rig.explorer.dispose();
    const closed = await outcome;
    assert.deepEqual([closed.state, closed.problem], ['refused', { kind: 'notSent' }]);
    assert.deepEqual([describeState(closed), canSubmitAgain(closed)], ['not sent', true]);
    const stored = await readStored(waiting);
    assert.deepEqual([stored?.state, stored?.problem?.kind, stored?.sendingAt], ['refused', 'notSent', 0]);
  });

  it('is not sent if its connection is closed', async () => {
    const { outcome } = await submitTwice();
    rig.explorer.connectFlow.disconnect();
    assert.equal(describeState(await outcome), 'not sent');
  });

  it('is canceled if the user withdraws it', async () => {
    const { outcome, withdraw } = await submitTwice();
    withdraw();
    assert.equal((await outcome).state, 'cancelled');
  });

  it('is canceled, and replaces nothing, if the user withdraws it while its record is being written', async () => {
    await rig.explorer.transferFlow.save({ ...withState(submittingTransfer, 'notConfirmed', 5), key: 'lost' });
    const { waiting, outcome, begin, withdraw } = await submitTwice('lost');
    const before = rig.server.requestsTo(route).length;
    const lock = await FileLock.acquire(join(rig.folder, 'transfers', 'locks', `${waiting}.lock`), rig.clock);
    assert.ok(lock);
    await begin();
    withdraw();
    await lock.release();
    const { state, sendingAt } = await rig.advanceUntilSettled(outcome);
    assert.equal(state, 'cancelled');
    assert.ok(sendingAt, 'is recorded as being sent');
    assert.equal(rig.server.requestsTo(route).length, before);
    assert.equal(rig.explorer.transferStore.get('lost')?.state, 'notConfirmed');
  });

  it('is settled later if its record cannot be written', async () => {
    const { transferFlow, transferStore } = rig.explorer;
    const folder = join(rig.folder, 'transfers');
    const { key } = submittingTransfer;
    await new TransferLedger(folder, rig.log).write({ ...submittingTransfer, sendingAt: 0 });
    await rename(join(folder, 'locks'), join(folder, 'locks away'));
    await writeFile(join(folder, 'locks'), 'a file where the folder should be');
    await transferFlow.resume();
    assert.equal(transferStore.get(key)?.state, 'submitting');
    assert.match(rig.log.lines.join('\n'), /The record of a transfer could not be written: .*EEXIST/);
    await rename(join(folder, 'locks'), join(folder, 'file'));
    await rig.advanceUntilSettled(until(transferStore.onDidChange, () => transferStore.get(key)?.state === 'refused'));
    assert.deepEqual(transferStore.get(key)?.problem, { kind: 'notSent' });
    assert.equal((await readStored(key))?.state, 'refused');
  });

  it('is left alone by another window while its own window lives', async () => {
    const { waiting } = await submitTwice();
    const other = rig.openWindow();
    await other.transferFlow.resume();
    assert.equal(other.transferStore.get(waiting)?.state, 'submitting');
    assert.equal((await readStored(waiting))?.state, 'submitting');
  });

  it('is not sent if another window has settled it in the meantime', async () => {
    rig.server.on(route, json({ id }, 201));
    const ledger = new TransferLedger(join(rig.folder, 'transfers'), rig.log);
    const transfer = await rig.explorer.transferFlow.submit(rig.order, undefined, {
      willSend: () => Promise.resolve({ kind: 'cancelled' }),
    });
    assert.equal(transfer.id, id, 'the flow records the sending itself');
    const { transferFlow, transferStore, sessions } = rig.explorer;
    const client = sessions.active?.client;
    assert.ok(client);
    const original = client.transfer.bind(client);
    client.transfer = async (request, turn) => {
      const [waiting] = transferStore.getRunning().filter(({ state }) => state === 'submitting');
      await ledger.update(waiting?.key ?? '', (stored) => ({
        ...stored,
        state: 'refused',
        problem: { kind: 'notSent' },
      }));
      return await original(request, turn);
    };
    const settled = await transferFlow.submit(rig.order);
    assert.deepEqual([settled.state, settled.problem?.kind], ['refused', 'notSent']);
    assert.equal(rig.server.requests.filter(({ method }) => method === 'POST').length, 1);
  });

  it('is recorded and shown as being sent before the request leaves', async () => {
    let recorded: number | undefined;
    let shown: number | undefined;
    rig.server.on(route, async (request, response) => {
      const [{ key, sendingAt } = submittingTransfer] = rig.explorer.transferStore.getRunning();
      shown = sendingAt;
      recorded = (await readStored(key))?.sendingAt;
      await json({ id }, 201)(request, response);
    });
    await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([recorded, shown], [rig.clock.now(), rig.clock.now()]);
  });

  it('is not confirmed if an earlier version recorded it, because the record does not say that it was waiting', async () => {
    const ledger = new TransferLedger(join(rig.folder, 'transfers'), rig.log);
    await ledger.write(submittingTransfer);
    await rig.explorer.transferFlow.resume();
    assert.equal(rig.explorer.transferStore.get(submittingTransfer.key)?.state, 'notConfirmed');
  });

  it('stays recorded as being sent when an older copy is merged', () => {
    const waiting: Transfer = { ...submittingTransfer, sendingAt: 0 };
    const sending: Transfer = { ...waiting, sendingAt: 7 };
    assert.equal(mergeTransfers(sending, waiting).sendingAt, 7);
    assert.equal(mergeTransfers(waiting, sending).sendingAt, 7);
    assert.equal('sendingAt' in mergeTransfers(submittingTransfer, submittingTransfer), false);
  });
});
