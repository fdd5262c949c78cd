import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import type { FaultCell } from './faultCell.ts';
import type { FaultEvent } from './faultEvents.ts';

/** The required outcome of a transfer: `ended` if it had ended before the event, `not recorded` if no record exists. */
export type Outcome = 'monitored' | 'ended' | 'not confirmed' | 'refused' | 'not recorded';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * The time within which a transfer must be polled after an event. Without an entry, the regular interval applies (D33:
 * polling intervals, D28: retry rejected keys).
 */
const pollLimitMs: Readonly<Partial<Record<FaultEvent, number>>> = {
  'reload of the window': 10 * second,
  'kill of the host': 10 * second,
  'kill of the server': 30 * second,
  'network away and back': 30 * second,
  'key refused and set again': 10 * second,
  'machine asleep for 8 h': 11 * second,
};

/** Asserts that the shown states, the requests and the records agree with the server's state. */
export async function verify(cell: FaultCell, outcome: Outcome, event: FaultEvent): Promise<void> {
  await checks[outcome](cell, event);
  await assertNoFurtherRequests(cell);
  await assertWritten(cell);
}

const checks: Readonly<Record<Outcome, (cell: FaultCell, event: FaultEvent) => Promise<void>>> = {
  monitored: async (cell, event) => {
    await cell.waitFor('the server has it', () => cell.server.transfers.length === 1);
    const [actual] = cell.server.transfers;
    assert.ok(actual);
    if (actual.words.at(-1) !== 'succeeded') {
      await assertPolledSoon(cell, event);
      await assertPollingIntervals(cell, actual.createdAt);
      await everyWindow(cell, `shows "${String(actual.words.at(-1))}"`, (transfer) => {
        return transfer?.state === actual.words.at(-1) && transfer?.id === actual.id && !transfer.problem;
      });
      cell.server.setStatus('succeeded');
    }
    await assertSucceeded(cell);
  },
  ended: assertSucceeded,
  'not confirmed': async (cell) => {
    await everyWindow(cell, 'shows it as not confirmed', (transfer) => transfer?.state === 'notConfirmed');
    for (const window of cell.windows) assert.ok((await window.shown())?.problem);
  },
  refused: async (cell) => {
    assert.deepEqual(cell.server.transfers, []);
    await everyWindow(cell, 'shows it as refused', (transfer) => transfer?.state === 'refused');
    for (const window of cell.windows) assert.ok((await window.shown())?.problem);
  },
  'not recorded': async (cell) => {
    assert.equal(await cell.firstLocal.outcome, 'given up');
    assert.equal(cell.server.submissions, 0);
    await everyWindow(cell, 'shows nothing', (transfer) => transfer === undefined);
    assert.deepEqual(await cell.records('running'), []);
  },
};

async function assertSucceeded(cell: FaultCell): Promise<void> {
  await everyWindow(cell, 'shows that it succeeded', (transfer) => transfer?.state === 'succeeded');
  await cell.waitFor('its end is written', async () => (await cell.records('ended')).length === 1);
}

async function assertPolledSoon(cell: FaultCell, event: FaultEvent): Promise<void> {
  const isPolled = (): boolean => cell.server.polls.length > cell.pollsBefore;
  const limitMs = pollLimitMs[event];
  // Small steps leave more real time for disk and network on a busy machine.
  if (limitMs !== undefined) await cell.passUntil('it is polled', isPolled, limitMs, 50);
}

/**
 * Asserts that the transfer is polled at the interval for its age, neither earlier nor later (D33: polling
 * intervals).
 */
async function assertPollingIntervals(cell: FaultCell, createdAt: number): Promise<void> {
  const dueMs = (at: number): number => Math.min(Math.max((at - createdAt) / 10, second), minute);
  const before = cell.server.polls.length;
  const intervalMs = dueMs(cell.clock.now());
  const stepMs = Math.min(intervalMs / 6, 3 * second);
  await cell.passBetweenRequests(5 * intervalMs, stepMs);
  const times = cell.server.polls.slice(before).map(({ at }) => at);
  assert.ok(times.length >= 2, `polled ${String(times.length)} times in ${String(5 * intervalMs)} ms`);
  for (const [place, at] of times.slice(1).entries()) {
    const due = dueMs(times[place] ?? 0);
    const gapMs = at - (times[place] ?? 0);
    const isInTime = gapMs >= due - stepMs && gapMs <= due * 1.1 + 3 * stepMs;
    assert.ok(isInTime, `polled after ${String(gapMs)} ms instead of ${String(due)} ms`);
  }
}

/** Asserts that a transfer that has ended or has no ID is neither polled nor submitted again automatically. */
async function assertNoFurtherRequests(cell: FaultCell): Promise<void> {
  const { submissions, polls } = cell.server;
  const before = polls.length;
  await cell.pass(hour, 5 * minute);
  assert.equal(polls.length, before, 'it was polled after its end');
  assert.equal(cell.server.submissions, submissions);
  const hasEnded = (await cell.records('ended')).length > 0;
  if (hasEnded) await cell.waitFor('nothing runs', async () => (await cell.records('running')).length === 0);
}

/** Asserts that a new window reads the same state from the ledger. */
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
  condition: (transfer: Transfer | undefined) => boolean,
): Promise<void> {
  const isShown = async (): Promise<boolean> => {
    const shown = await Promise.all(cell.windows.map((window) => window.shown()));
    return shown.every((transfer) => condition(transfer));
  };
  await cell.passUntil(`every window ${what}`, isShown, 3 * minute, 2 * second);
}
