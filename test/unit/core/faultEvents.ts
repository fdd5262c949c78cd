import assert from 'node:assert/strict';
import { hasEnded } from '../../../src/core/model/transferModel.ts';
import { eventually } from '../../support/eventually.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import type { FaultCell } from './faultCell.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** What can happen to a transfer, to those who watch it, and to what they need; each goes by, and lets go of the moment. */
export const events = {
  'reload of the window': async (cell) => {
    await replaceWindow(cell);
  },
  'kill of the host': async (cell) => {
    await replaceWindow(cell);
  },
  'kill of the server': async (cell) => {
    await cell.server.http.stop();
    await beAlone(cell);
    cell.nothingIsInTheWay();
    await cell.server.http.startAgain();
  },
  'network away and back': async (cell) => {
    cell.server.http.cutOff();
    await beAlone(cell);
    cell.nothingIsInTheWay();
    cell.server.http.connectAgain();
  },
  'key refused and set again': async (cell) => {
    cell.server.key = 'another-key';
    await cell.release();
    await cell.pass(7 * minute, 3 * second);
    const { keys, transferStore } = cell.here.explorer;
    if (transferStore.getRunning().length > 0) assert.equal(keys.getStatus('c'), 'refused');
    assert.ok(cell.server.questions.filter(({ isAccepted }) => !isAccepted).length <= 1, 'it was asked for in vain');
    cell.nothingIsInTheWay();
    await cell.here.connect(cell.server.key);
  },
  'machine asleep for 8 h': async (cell) => {
    cell.clock.sleep(8 * hour);
    cell.server.http.cutOff();
    cell.server.http.connectAgain();
    cell.nothingIsInTheWay();
    await cell.pass(second);
    await cell.release();
  },
  'disk of the ledger full': async (cell) => {
    const makeRoom = fillDisk(cell.ledgerFolder);
    cell.atEnd(makeRoom);
    await cell.release();
    await cell.pass(30 * second);
    const { explorer } = cell.here;
    for (const { key, state } of explorer.transferStore.getRunning())
      assert.ok(explorer.unsaved.has(key), `nobody keeps in mind that it is ${state}`);
    makeRoom();
    const isSaved = async (): Promise<boolean> =>
      explorer.transferStore.getAll().every(({ key }) => !explorer.unsaved.has(key));
    await cell.passUntil('it is written', isSaved, 6 * minute, 3 * second);
  },
  'second window opened': async (cell) => {
    const other = await cell.openWindow();
    await cell.pass(5 * second);
    const [here, there] = [await cell.first.shown(), await other.shown()];
    assert.equal(there?.key, here?.key);
    assert.notEqual(there?.state, 'notConfirmed', 'the first window still waits for the answer');
    await cell.release();
  },
} satisfies Record<string, (cell: FaultCell) => Promise<void>>;

/** One of {@link events}. */
export type Happening = keyof typeof events;

/** The first window ends, each in its way, and another comes in its place. */
async function replaceWindow(cell: FaultCell): Promise<void> {
  await cell.first.end();
  await cell.release();
  cell.windows = [];
  cell.nothingIsInTheWay();
  await cell.openWindow();
}

/** While nobody answers, it is said so, and what was known stays. */
async function beAlone(cell: FaultCell): Promise<void> {
  const before = await cell.first.shown();
  await cell.pass(second);
  await cell.release();
  await cell.pass(20 * second);
  // The failure of a request that the clock has started takes real time.
  const after = await eventually(async () => {
    const shown = await cell.first.shown();
    const isFollowed = shown?.id !== undefined && !hasEnded(shown.state);
    return !isFollowed || shown.problem ? { isFollowed, state: shown?.state } : undefined;
  });
  if (after.isFollowed && before?.state === 'active') assert.equal(after.state, before.state);
}
