/** Compares the requests for 1,000 transfers with the schedule; measures work, a large ledger and an idle service. */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { statusId } from './support/bareRequests.ts';
import { connectedClient, startServer } from './support/ends.ts';
import { measureIdleService } from './support/idleService.ts';
import { measureLedger } from './support/longLedger.ts';
import { createReport } from './support/rounds.ts';
import { hasFocusAt, hour, minute, second, SimulatedDay, type SimulatedTransfer } from './support/simulatedDay.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const day = 24 * hour;
const responseMs = 30;
/** Number of requests to the real server over which the processor time is averaged. */
const realRequestCount = 3_000;
const largestShareOfACore = 0.01;

/** Creates 300 active transfers, 300 stalled ones, 200 with ignored cancels and 200 that start during the day. */
function createTransfers(): readonly SimulatedTransfer[] {
  const several = (
    count: number,
    name: string,
    of: (index: number) => Omit<SimulatedTransfer, 'key'>,
  ): readonly SimulatedTransfer[] =>
    [...Array(count).keys()].map((index) => ({ key: `${name}${index}`, ...of(index) }));
  return [
    ...several(300, 'moving', (index) => ({ ageMs: index * minute, movesEveryMs: 20 * minute })),
    ...several(300, 'still', (index) => ({ ageMs: 2 * hour + index * minute })),
    ...several(200, 'cancelled', (index) => ({ ageMs: index * minute, isCancelUnheeded: true })),
    ...several(200, 'later', (index) => ({ ageMs: -index * 7 * minute, movesEveryMs: 30 * minute })),
  ];
}

/** Returns the requests per second that D33 (polling intervals) prescribes for a transfer. */
function getDueRequestsPerSecond({ ageMs, movesEveryMs, isCancelUnheeded }: SimulatedTransfer, dayMs: number): number {
  const age = ageMs + dayMs;
  if (age < 0) return 0;
  if (isCancelUnheeded) return 1 / 600;
  if (movesEveryMs === undefined && age >= hour) return 1 / 300;
  const tenth = Math.min(60, Math.max(1, age / 10 / second));
  return 1 / (hasFocusAt(dayMs) ? tenth : 2 * tenth);
}

/** Returns the number of requests that are due in a day, limited to five per second. */
function countDueRequests(transfers: readonly SimulatedTransfer[]): number {
  let due = 0;
  for (let dayMs = 0; dayMs < day; dayMs += second)
    due += Math.min(
      5,
      transfers.reduce((sum, life) => sum + getDueRequestsPerSecond(life, dayMs), 0),
    );
  return due;
}

/** Resolves to the number of requests that the monitor sends to a scripted server in a day. */
async function countSentRequests(transfers: readonly SimulatedTransfer[]): Promise<number> {
  const simulated: SimulatedDay = new SimulatedDay(transfers, async ({ ageMs, movesEveryMs }, dayMs) => {
    await new Promise<void>((resolve) => void simulated.clock.after(responseMs, resolve));
    const moved = movesEveryMs === undefined ? undefined : Math.floor((ageMs + dayMs) / movesEveryMs);
    return { value: { status: 'active', ...(moved !== undefined && { movedFileCount: moved }) } };
  });
  simulated.start(transfers.filter(({ ageMs }) => ageMs >= 0));
  const later = transfers.filter(({ ageMs }) => ageMs < 0).sort((one, other) => other.ageMs - one.ageMs);
  for (const life of later) {
    await simulated.clock.pass(-life.ageMs - simulated.dayMs);
    simulated.start([life]);
  }
  await simulated.clock.pass(day - simulated.dayMs);
  simulated.end();
  return simulated.requestCount;
}

/** Resolves to the processor time of a request to a real server through the real client, in milliseconds. */
async function measureRequestWork(transfers: readonly SimulatedTransfer[]): Promise<number> {
  const server = await startServer();
  const client = await connectedClient(server.origin);
  const simulated = new SimulatedDay(transfers, async () => await client.transferStatus(statusId));
  simulated.start(transfers.filter(({ ageMs }) => ageMs >= 0));
  const passUntil = async (count: number): Promise<void> => {
    while (simulated.requestCount < count) {
      if (simulated.pendingCount === 0) await simulated.clock.pass(100);
      await new Promise(setImmediate);
    }
  };
  await passUntil(realRequestCount / 3);
  const before = process.cpuUsage();
  const countBefore = simulated.requestCount;
  await passUntil(countBefore + realRequestCount);
  const { user, system } = process.cpuUsage(before);
  const each = (user + system) / 1000 / (simulated.requestCount - countBefore);
  simulated.end();
  client.dispose();
  await server.end();
  return each;
}

const transfers = createTransfers();
const due = countDueRequests(transfers);
const sent = await countSentRequests(transfers);
assert.ok(sent > 0);
const shareOfACore = ((await measureRequestWork(transfers)) * (sent / (day / second))) / 1000;
const report = createReport('monitor', values);
report('requests for 1,000 transfers in a day, deviation from the schedule', Math.abs(sent / due - 1));
report('requests for 1,000 transfers, CPU time / 1 % of a core', shareOfACore / largestShareOfACore);
await measureLedger(report);
await measureIdleService(report);
