import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import type { FaultCell } from './faultCell.ts';
import type { Happening } from './faultEvents.ts';

/** What is to become of a transfer; `over` is one that had ended, and `given up` one of which there is no record. */
export type Outcome = 'followed' | 'over' | 'not confirmed' | 'refused' | 'given up';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * How soon it has to be asked for again when an event is over, where that is not simply when it is due (D33: polling
 * intervals, D28: retry rejected keys).
 */
const soonMs: Readonly<Partial<Record<Happening, number>>> = {
  'reload of the window': 10 * second,
  'kill of the host': 10 * second,
  'kill of the server': 30 * second,
  'network away and back': 30 * second,
  'key refused and set again': 10 * second,
  'machine asleep for 8 h': 11 * second,
};

/** Holds what is shown, what was asked and what is written against what the server knows. */
export async function verify(cell: FaultCell, outcome: Outcome, happening: Happening): Promise<void> {
  await checks[outcome](cell, happening);
  await assertLeftAlone(cell);
  await assertWritten(cell);
}

const checks: Readonly<Record<Outcome, (cell: FaultCell, happening: Happening) => Promise<void>>> = {
  followed: async (cell, happening) => {
    await cell.settled('the server has it', () => cell.server.transfers.length === 1);
    const [truth] = cell.server.transfers;
    assert.ok(truth);
    if (truth.words.at(-1) !== 'succeeded') {
      await assertAskedSoon(cell, happening);
      await assertPace(cell, truth.createdAt);
      await everyWindow(cell, `shows "${String(truth.words.at(-1))}"`, (transfer) => {
        return transfer?.state === truth.words.at(-1) && transfer?.id === truth.id && !transfer.problem;
      });
      cell.server.become('succeeded');
    }
    await assertSucceeded(cell);
  },
  over: assertSucceeded,
  'not confirmed': async (cell) => {
    await everyWindow(cell, 'shows it as not confirmed', (transfer) => transfer?.state === 'notConfirmed');
    for (const window of cell.windows) assert.ok((await window.shown())?.problem);
  },
  refused: async (cell) => {
    assert.deepEqual(cell.server.transfers, []);
    await everyWindow(cell, 'shows it as refused', (transfer) => transfer?.state === 'refused');
    for (const window of cell.windows) assert.ok((await window.shown())?.problem);
  },
  'given up': async (cell) => {
    assert.equal(await cell.here.outcome, 'given up');
    assert.equal(cell.server.submissions, 0);
    await everyWindow(cell, 'shows nothing', (transfer) => transfer === undefined);
    assert.deepEqual(await cell.records('running'), []);
  },
};

async function assertSucceeded(cell: FaultCell): Promise<void> {
  await everyWindow(cell, 'shows that it succeeded', (transfer) => transfer?.state === 'succeeded');
  await cell.settled('its end is written', async () => (await cell.records('ended')).length === 1);
}

async function assertAskedSoon(cell: FaultCell, happening: Happening): Promise<void> {
  const isAsked = (): boolean => cell.server.questions.length > cell.questionsBefore;
  const limitMs = soonMs[happening];
  // In small steps, so that disk and network, which go by the real time, come along on a busy machine.
  if (limitMs !== undefined) await cell.passUntil('it is asked for', isAsked, limitMs, 50);
}

/**
 * Asked for when it is due, by the age that the server knows: neither more often nor more seldom (D33: polling
 * intervals).
 */
async function assertPace(cell: FaultCell, createdAt: number): Promise<void> {
  const dueMs = (at: number): number => Math.min(Math.max((at - createdAt) / 10, second), minute);
  const before = cell.server.questions.length;
  const intervalMs = dueMs(cell.clock.now());
  const stepMs = Math.min(intervalMs / 6, 3 * second);
  await cell.passBetweenRequests(5 * intervalMs, stepMs);
  const times = cell.server.questions.slice(before).map(({ at }) => at);
  assert.ok(times.length >= 2, `asked ${String(times.length)} times in ${String(5 * intervalMs)} ms`);
  for (const [place, at] of times.slice(1).entries()) {
    const due = dueMs(times[place] ?? 0);
    const gapMs = at - (times[place] ?? 0);
    const isInTime = gapMs >= due - stepMs && gapMs <= due * 1.1 + 3 * stepMs;
    assert.ok(isInTime, `asked after ${String(gapMs)} ms, where ${String(due)} ms were due`);
  }
}

/** What has ended, and what nobody knows the id of, is not asked for; and nothing is submitted by itself. */
async function assertLeftAlone(cell: FaultCell): Promise<void> {
  const { submissions, questions } = cell.server;
  const before = questions.length;
  await cell.pass(hour, 5 * minute);
  assert.equal(questions.length, before, 'it is asked for after its end');
  assert.equal(cell.server.submissions, submissions);
  const isOver = (await cell.records('ended')).length > 0;
  if (isOver) await cell.settled('nothing runs', async () => (await cell.records('running')).length === 0);
}

/** Who opens a window later reads in the ledger what was shown. */
async function assertWritten(cell: FaultCell): Promise<void> {
  const before = await cell.first.shown();
  for (const window of cell.windows) await window.end();
  cell.windows = [];
  const after = await (await cell.openWindow()).shown();
  const facts = (transfer: Transfer | undefined): unknown => [transfer?.key, transfer?.id, transfer?.state];
  assert.deepEqual(facts(after), facts(before));
  assert.equal(after?.problem?.kind, before?.problem?.kind);
}

async function everyWindow(
  cell: FaultCell,
  what: string,
  isSo: (transfer: Transfer | undefined) => boolean,
): Promise<void> {
  const isShown = async (): Promise<boolean> => {
    const shown = await Promise.all(cell.windows.map((window) => window.shown()));
    return shown.every((transfer) => isSo(transfer));
  };
  await cell.passUntil(`every window ${what}`, isShown, 3 * minute, 2 * second);
}
