/** 1,000 running transfers: a day's requests beside the schedule, and the work of the host; a ledger of 20,000. */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { statusId } from './support/bareRequests.ts';
import { connectedClient, startServer } from './support/ends.ts';
import { measureLedger } from './support/longLedger.ts';
import { report, type Measure } from './support/rounds.ts';
import { hasFocusAt, hour, minute, second, SimulatedDay, type Life } from './support/simulatedDay.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const day = 24 * hour;
const answerMs = 30;
/** Of the real server, to see what one question costs the host. */
const realQuestions = 3_000;
const largestShareOfACore = 0.01;

/** 300 that move, 300 in which nothing has moved for long, 200 unheeded cancels, 200 submitted in the course of the day. */
function livesOfADay(): readonly Life[] {
  const several = (count: number, name: string, of: (index: number) => Omit<Life, 'key'>): readonly Life[] =>
    [...Array(count).keys()].map((index) => ({ key: `${name}${index}`, ...of(index) }));
  return [
    ...several(300, 'moving', (index) => ({ ageMs: index * minute, movesEveryMs: 20 * minute })),
    ...several(300, 'still', (index) => ({ ageMs: 2 * hour + index * minute })),
    ...several(200, 'cancelled', (index) => ({ ageMs: index * minute, isCancelUnheeded: true })),
    ...several(200, 'later', (index) => ({ ageMs: -index * 7 * minute, movesEveryMs: 30 * minute })),
  ];
}

/** Questions that D33 wants of a transfer in a second, written down again from its words. */
function wantedPerSecond({ ageMs, movesEveryMs, isCancelUnheeded }: Life, dayMs: number): number {
  const age = ageMs + dayMs;
  if (age < 0) return 0;
  if (isCancelUnheeded) return 1 / 600;
  if (movesEveryMs === undefined && age >= hour) return 1 / 300;
  const tenth = Math.min(60, Math.max(1, age / 10 / second));
  return 1 / (hasFocusAt(dayMs) ? tenth : 2 * tenth);
}

/** Second by second: what all want, but no more than five. */
function wantedInADay(lives: readonly Life[]): number {
  let wanted = 0;
  for (let dayMs = 0; dayMs < day; dayMs += second)
    wanted += Math.min(
      5,
      lives.reduce((sum, life) => sum + wantedPerSecond(life, dayMs), 0),
    );
  return wanted;
}

/** Questions that the monitor asks in a day of a scripted server. */
async function askedInADay(lives: readonly Life[]): Promise<number> {
  const simulated: SimulatedDay = new SimulatedDay(lives, async ({ ageMs, movesEveryMs }, dayMs) => {
    await new Promise<void>((resolve) => void simulated.clock.after(answerMs, resolve));
    const moved = movesEveryMs === undefined ? undefined : Math.floor((ageMs + dayMs) / movesEveryMs);
    return { value: { status: 'active', ...(moved !== undefined && { movedFileCount: moved }) } };
  });
  simulated.begin(lives.filter(({ ageMs }) => ageMs >= 0));
  const later = lives.filter(({ ageMs }) => ageMs < 0).sort((one, other) => other.ageMs - one.ageMs);
  for (const life of later) {
    await simulated.clock.pass(-life.ageMs - simulated.dayMs);
    simulated.begin([life]);
  }
  await simulated.clock.pass(day - simulated.dayMs);
  simulated.end();
  return simulated.asked;
}

/** Milliseconds of processor time that a question costs, asked of a real server through the real client. */
async function workOfAQuestion(lives: readonly Life[]): Promise<number> {
  const server = await startServer();
  const client = await connectedClient(server.origin);
  const simulated = new SimulatedDay(lives, async () => await client.transferStatus(statusId));
  simulated.begin(lives.filter(({ ageMs }) => ageMs >= 0));
  const passUntil = async (count: number): Promise<void> => {
    while (simulated.asked < count) {
      if (simulated.underWay === 0) await simulated.clock.pass(100);
      await new Promise(setImmediate);
    }
  };
  await passUntil(realQuestions / 3);
  const before = process.cpuUsage();
  const askedBefore = simulated.asked;
  await passUntil(askedBefore + realQuestions);
  const { user, system } = process.cpuUsage(before);
  const each = (user + system) / 1000 / (simulated.asked - askedBefore);
  simulated.end();
  client.dispose();
  await server.end();
  return each;
}

const lives = livesOfADay();
const wanted = wantedInADay(lives);
const asked = await askedInADay(lives);
assert.ok(asked > 0);
const shareOfACore = ((await workOfAQuestion(lives)) * (asked / (day / second))) / 1000;
const results: boolean[] = [];
const tell = (measure: Measure): void => void results.push(report(measure, values.json));
tell({ name: 'requests of a day, away from the schedule', ratio: Math.abs(asked / wanted - 1), limit: 0.1 });
tell({ name: 'work of the host, of 1 % of a core', ratio: shareOfACore / largestShareOfACore, limit: 1 });
await measureLedger(tell);
process.exitCode = results.every(Boolean) ? 0 : 1;
