import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import { PollQueue, type PollResult } from '../../../src/core/transfers/pollQueue.ts';
import { ManualClock } from '../../support/manualClock.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

describe('The poll queue of a server (D33)', () => {
  let clock: ManualClock;
  let queue: PollQueue;
  let start: number;
  let polls: { key: string; atMs: number }[];
  let underWay: number;
  let mostUnderWay: number;
  /** Returns the duration and the result of a poll. */
  let respond: (key: string) => { readonly tookMs: number; readonly result: PollResult };

  beforeEach(() => {
    clock = new ManualClock();
    start = clock.now();
    polls = [];
    [underWay, mostUnderWay] = [0, 0];
    respond = () => ({ tookMs: 0, result: { intervalMs: minute } });
    queue = new PollQueue(clock, { poll });
  });
  afterEach(() => queue.dispose());

  async function poll(key: string): Promise<PollResult> {
    polls.push({ key, atMs: clock.now() - start });
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    const { tookMs, result } = respond(key);
    if (tookMs > 0) await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
    underWay -= 1;
    return result;
  }

  const getTimes = (key: string): readonly number[] => polls.filter((one) => one.key === key).map(({ atMs }) => atMs);
  const keys = (): string => polls.map(({ key }) => key).join('');
  const fail = (more: Partial<Reason> = {}): { tookMs: number; result: PollResult } => ({
    tookMs: 0,
    result: { failure: { kind: 'unreachable', ...more } },
  });

  it('polls immediately, and then each transfer at its own interval', async () => {
    respond = (key) => ({ tookMs: 0, result: { intervalMs: key === 'a' ? 10 * second : 25 * second } });
    queue.add('a', second);
    queue.add('b', second);
    await clock.pass(30 * second);
    assert.deepEqual(getTimes('a'), [0, 10_000, 20_000, 30_000]);
    assert.deepEqual(getTimes('b'), [200, 25_200]);
  });

  it('sends one request at a time, and at most five a second', async () => {
    respond = (key) => ({ tookMs: key < '5' ? 30 : 700, result: { intervalMs: second } });
    for (const key of '0123456789') queue.add(key, second);
    await clock.pass(minute);
    assert.equal(mostUnderWay, 1);
    const gaps = polls.slice(1).map(({ atMs }, index) => atMs - (polls[index]?.atMs ?? 0));
    assert.ok(Math.min(...gaps) >= 200, `${Math.min(...gaps)} ms`);
  });

  it('keeps that rate even if all polls are requested repeatedly', async () => {
    for (const key of 'abcdefghij') queue.add(key, minute);
    await clock.pass(0);
    for (let times = 0; times < 20; times++) {
      queue.pollNow();
      await clock.pass(100);
    }
    assert.ok(polls.length <= 11, String(polls.length));
    assert.equal(new Set(polls.slice(0, 10).map(({ key }) => key)).size, 10, 'no transfer is passed over');
  });

  it("stretches all intervals equally if there isn't enough time", async () => {
    const intervals: Readonly<Record<string, number>> = { s: 2 * second, l: 4 * second };
    respond = (key) => ({ tookMs: 0, result: { intervalMs: intervals[key.slice(0, 1)] ?? 0 } });
    for (let index = 0; index < 20; index++) {
      queue.add(`s${index}`, 2 * second);
      queue.add(`l${index}`, 4 * second);
    }
    await clock.pass(10 * minute);
    const count = (kind: string): number => polls.filter(({ key }) => key.startsWith(kind)).length;
    assert.ok(Math.abs(polls.length / (5 * 600) - 1) < 0.03, `${polls.length} polls`);
    assert.ok(Math.abs(count('s') / count('l') / 2 - 1) < 0.05, `${count('s')} and ${count('l')}`);
    const each = [...Array(20).keys()].map((index) => getTimes(`l${index}`).length);
    assert.ok(Math.max(...each) - Math.min(...each) <= 2, each.join(' '));
  });

  it('waits as a whole when the network fails: two seconds, doubling to five minutes, with jitter', async () => {
    respond = () => fail();
    queue.add('a', second);
    queue.add('b', second);
    await clock.pass(2 * hour);
    const gaps = polls.slice(1).map(({ atMs }, index) => atMs - (polls[index]?.atMs ?? 0));
    gaps.forEach((gap, index) => {
      const expected = Math.min(2 * second * 2 ** index, 5 * minute);
      assert.ok(gap >= 0.75 * expected - 1 && gap <= 1.25 * expected + 1, `${gap} ms after failure ${index + 1}`);
    });
    assert.ok(gaps.length > 15 && new Set(gaps).size > 5, 'and not in step with others');
    assert.equal(keys().slice(0, 4), 'abab', 'each gets its turn: it may be one alone that the service fails at');
  });

  it("waits longer and longer even if polls of other servers' transfers are requested", async () => {
    respond = () => fail();
    queue.add('a', minute);
    for (let times = 0; times < 60; times++) {
      queue.pollNow('elsewhere');
      await clock.pass(second);
    }
    assert.ok(polls.length <= 8, String(polls.length));
  });

  it('resumes its usual interval once there is a response', async () => {
    respond = () => fail();
    queue.add('a', minute);
    await clock.pass(minute);
    respond = () => ({ tookMs: 0, result: { intervalMs: second } });
    await clock.pass(3 * minute);
    assert.ok(getTimes('a').length > 50);
  });

  it('waits as long as the server requires, even if the user requests a poll', async () => {
    respond = () => fail({ kind: 'refused', status: 429, retryAfterMs: 10 * minute });
    queue.add('a', second);
    await clock.pass(minute);
    queue.pollNow();
    await clock.pass(9 * minute - 1);
    assert.equal(polls.length, 1);
    await clock.pass(1);
    assert.equal(polls.length, 2);
  });

  it('polls immediately on request, without waiting for the network', async () => {
    respond = () => fail();
    queue.add('a', second);
    await clock.pass(20 * minute);
    const before = polls.length;
    queue.pollNow();
    await clock.pass(0);
    assert.equal(polls.length, before + 1);
  });

  it('polls once for each request while the network is down, each transfer in turn', async () => {
    respond = () => fail();
    for (const key of 'abc') queue.add(key, minute);
    await clock.pass(20 * minute);
    const next = 'abcabc'.indexOf(keys().at(-1) ?? '') + 1;
    for (let times = 0; times < 3; times++) {
      polls = [];
      queue.pollNow();
      await clock.pass(0);
      assert.deepEqual(polls.splice(0), [{ key: 'abcabc'[next + times], atMs: clock.now() - start }]);
      await clock.pass(1.4 * second);
      assert.deepEqual(polls, [], 'it waits again');
    }
  });

  it('polls all others as soon as one gets a response after the network was down', async () => {
    respond = () => fail();
    for (const key of 'abc') queue.add(key, minute);
    await clock.pass(20 * minute);
    polls = [];
    respond = () => ({ tookMs: 0, result: { intervalMs: minute } });
    queue.pollNow();
    await clock.pass(second);
    assert.equal(keys().split('').sort().join(''), 'abc');
    assert.deepEqual(
      polls.map(({ atMs }) => atMs - (polls[0]?.atMs ?? 0)),
      [0, 200, 400],
    );
  });

  it('skips no transfer when all are requested repeatedly while polls are slow', async () => {
    respond = () => ({ tookMs: 1500, result: { intervalMs: minute } });
    for (const key of 'abcd') queue.add(key, minute);
    for (let times = 0; times < 12; times++) {
      await clock.pass(second);
      queue.pollNow();
    }
    assert.equal(keys(), 'abcdabcda');
  });

  it('polls one transfer before all others on request', async () => {
    for (const key of 'abcde') queue.add(key, minute);
    queue.pollNow('d');
    await clock.pass(2 * second);
    assert.equal(keys(), 'adbce');
  });

  it('polls one transfer before all others even after all were requested', async () => {
    for (const key of 'abc') queue.add(key, minute);
    await clock.pass(2 * second);
    queue.pollNow();
    queue.pollNow('c');
    queue.pollNow('unknown');
    await clock.pass(2 * second);
    assert.equal(keys(), 'abccab');
  });

  it("doesn't move a transfer that is in the queue already", async () => {
    queue.add('a', minute);
    await clock.pass(second);
    queue.add('a', second);
    await clock.pass(58 * second);
    assert.deepEqual(getTimes('a'), [0]);
  });

  it('resumes when a transfer is added to an empty queue', async () => {
    queue.add('a', second);
    await clock.pass(second);
    queue.remove('a');
    await clock.pass(5 * minute);
    queue.add('b', second);
    await clock.pass(0);
    assert.equal(getTimes('b').length, 1);
  });

  it("isn't delayed by the result of a transfer that was removed meanwhile", async () => {
    respond = (key) => (key === 'a' ? { ...fail(), tookMs: 500 } : { tookMs: 0, result: { intervalMs: minute } });
    queue.add('a', second);
    await clock.pass(100);
    queue.remove('a');
    queue.add('b', second);
    await clock.pass(second);
    assert.deepEqual(getTimes('b'), [500]);
  });

  it('polls again if that is requested during a poll, whose response may be older', async () => {
    respond = () => ({ tookMs: 500, result: { intervalMs: minute } });
    queue.add('a', minute);
    await clock.pass(100);
    queue.pollNow('a');
    await clock.pass(10 * second);
    assert.deepEqual(getTimes('a'), [0, 500]);
  });

  it('polls again before all others if that is requested during a poll', async () => {
    respond = () => ({ tookMs: 500, result: { intervalMs: minute } });
    for (const key of 'abc') queue.add(key, minute);
    await clock.pass(100);
    queue.pollNow('a');
    await clock.pass(10 * second);
    assert.equal(keys(), 'aabc');
  });

  it('polls everything soon after the machine has slept', async () => {
    respond = () => ({ tookMs: 0, result: { intervalMs: 12 * hour } });
    queue.add('a', hour);
    queue.add('b', hour);
    await clock.pass(minute);
    clock.sleep(8 * hour);
    await clock.pass(11 * second);
    assert.deepEqual([getTimes('a').length, getTimes('b').length], [2, 2]);
  });

  it('polls immediately after a sleep, even if a request was in progress, and then at the usual interval', async () => {
    respond = () => ({ tookMs: second, result: { intervalMs: minute } });
    queue.add('a', minute);
    await clock.pass(second / 2);
    clock.sleep(8 * hour);
    await clock.pass(5 * minute);
    const since = getTimes('a').map((atMs) => Math.round((atMs - 8 * hour) / second));
    assert.deepEqual(since.slice(1, 5), [1, 62, 123, 184]);
  });

  it("isn't delayed by a clock that was set back", async () => {
    queue.add('a', minute);
    await clock.pass(minute / 2);
    clock.sleep(-hour);
    await clock.pass(11 * second);
    assert.equal(polls.length, 2);
  });

  it('waits no longer than the server requires, even if the clock is set back', async () => {
    respond = () => fail({ kind: 'refused', status: 429, retryAfterMs: 10 * minute });
    queue.add('a', second);
    await clock.pass(minute);
    clock.sleep(-hour);
    await clock.pass(8 * minute);
    assert.equal(polls.length, 1);
    await clock.pass(2 * minute);
    assert.equal(polls.length, 2);
  });

  it("doesn't poll removed transfers, nor after it is disposed", async () => {
    queue.add('a', second);
    queue.add('b', second);
    await clock.pass(second);
    queue.remove('a');
    await clock.pass(5 * minute);
    assert.equal(getTimes('a').length, 1);
    const before = polls.length;
    queue.dispose();
    await clock.pass(0);
    assert.equal(clock.waitingCount, 0);
    await clock.pass(hour);
    assert.equal(polls.length, before);
  });
});
