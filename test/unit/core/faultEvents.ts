import assert from 'node:assert/strict';
import { hasEnded, type Transfer } from '../../../src/core/model/transferModel.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import type { FaultCell } from './faultCell.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * Events that affect a transfer, its windows or the server. Each function runs its event to completion and releases the
 * held transfer.
 */
export const events = {
  'reload of the window': async (cell) => {
    await replaceWindow(cell);
  },
  'kill of the host': async (cell) => {
    await replaceWindow(cell);
  },
  'kill of the server': async (cell) => {
    await cell.server.http.stop();
    await runWithoutServer(cell);
    cell.allowPolling();
    await cell.server.http.startAgain();
  },
  'network away and back': async (cell) => {
    cell.server.http.cutOff();
    await runWithoutServer(cell);
    cell.allowPolling();
    cell.server.http.connectAgain();
  },
  'key refused and set again': async (cell) => {
    cell.server.key = 'another-key';
    await cell.release();
    await cell.pass(7 * minute, 3 * second);
    const { keys, transferStore } = cell.firstLocal.explorer;
    if (transferStore.getRunning().length > 0) assert.equal(keys.getStatus('c'), 'refused');
    assert.ok(
      cell.server.polls.filter(({ isAccepted }) => !isAccepted).length <= 1,
      'it was polled with a rejected key',
    );
    cell.allowPolling();
    await cell.firstLocal.connect(cell.server.key);
  },
  'machine asleep for 8 h': async (cell) => {
    cell.clock.sleep(8 * hour);
    cell.server.http.cutOff();
    cell.server.http.connectAgain();
    cell.allowPolling();
    await cell.pass(second);
    await cell.release();
  },
  'disk of the ledger full': async (cell) => {
    const freeDisk = fillDisk(cell.ledgerFolder);
    cell.addCleanup(freeDisk);
    await cell.release();
    await cell.pass(30 * second);
    const { explorer } = cell.firstLocal;
    for (const { key, state } of explorer.transferStore.getRunning())
      assert.ok(explorer.unsaved.has(key), `the unsaved state ${state} was lost`);
    freeDisk();
    const isSaved = async (): Promise<boolean> =>
      explorer.transferStore.getAll().every(({ key }) => !explorer.unsaved.has(key));
    await cell.passUntil('it is written', isSaved, 6 * minute, 3 * second);
  },
  'second window opened': async (cell) => {
    const other = await cell.openWindow();
    await cell.pass(5 * second);
    const [here, there] = [await cell.first.shown(), await other.shown()];
    assert.equal(there?.key, here?.key);
    assert.notEqual(there?.state, 'notConfirmed', 'the first window still waits for the response');
    await cell.release();
  },
} satisfies Record<string, (cell: FaultCell) => Promise<void>>;

/** One of {@link events}. */
export type FaultEvent = keyof typeof events;

/** Ends the first window and opens another one. */
async function replaceWindow(cell: FaultCell): Promise<void> {
  await cell.first.end();
  await cell.release();
  cell.windows = [];
  cell.allowPolling();
  await cell.openWindow();
}

/** Asserts that the window shows the problem and the last known state while the server doesn't respond. */
async function runWithoutServer(cell: FaultCell): Promise<void> {
  const before = await cell.first.shown();
  await cell.pass(second);
  await cell.release();
  await cell.pass(20 * second);
  // A failing request takes real time. Smaller steps of the clock leave more real time.
  await cell.passUntil('it shows the problem', async () => showsProblem(await cell.first.shown()), 2 * minute, 50);
  const after = await cell.first.shown();
  if (isRunning(after) && before?.state === 'active') assert.equal(after?.state, before.state);
}

/** Returns true if a transfer has a problem, or can't have one because it isn't running. */
function showsProblem(transfer: Transfer | undefined): boolean {
  return !isRunning(transfer) || transfer?.problem !== undefined;
}

function isRunning(transfer: Transfer | undefined): boolean {
  return transfer?.id !== undefined && !hasEnded(transfer.state);
}
