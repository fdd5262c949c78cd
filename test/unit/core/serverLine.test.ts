import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import { ServerLine, type Asked } from '../../../src/core/monitor/serverLine.ts';
import { ManualClock } from '../../support/manualClock.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

describe('The line to one server (D33)', () => {
  let clock: ManualClock;
  let line: ServerLine;
  let start: number;
  let questions: { key: string; atMs: number }[];
  let underWay: number;
  let mostUnderWay: number;
  /** What the server does: how long it takes, and what comes of it. */
  let answer: (key: string) => { readonly tookMs: number; readonly asked: Asked };

  beforeEach(() => {
    clock = new ManualClock();
    start = clock.now();
    questions = [];
    [underWay, mostUnderWay] = [0, 0];
    answer = () => ({ tookMs: 0, asked: { intervalMs: minute } });
    line = new ServerLine({ clock, ask });
  });
  afterEach(() => line.dispose());

  async function ask(key: string): Promise<Asked> {
    questions.push({ key, atMs: clock.now() - start });
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    const { tookMs, asked } = answer(key);
    if (tookMs > 0) await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
    underWay -= 1;
    return asked;
  }

  const timesOf = (key: string): readonly number[] =>
    questions.filter((one) => one.key === key).map(({ atMs }) => atMs);
  const keys = (): string => questions.map(({ key }) => key).join('');
  const trouble = (more: Partial<Reason> = {}): { tookMs: number; asked: Asked } => ({
    tookMs: 0,
    asked: { trouble: { kind: 'unreachable', ...more } },
  });

  it('asks at once, and then each transfer at its own interval', async () => {
    answer = (key) => ({ tookMs: 0, asked: { intervalMs: key === 'a' ? 10 * second : 25 * second } });
    line.add('a', second);
    line.add('b', second);
    await clock.pass(30 * second);
    assert.deepEqual(timesOf('a'), [0, 10_000, 20_000, 30_000]);
    assert.deepEqual(timesOf('b'), [200, 25_200]);
  });

  it('has one question under way at a time, and begins at most five a second', async () => {
    answer = (key) => ({ tookMs: key < '5' ? 30 : 700, asked: { intervalMs: second } });
    for (const key of '0123456789') line.add(key, second);
    await clock.pass(minute);
    assert.equal(mostUnderWay, 1);
    const gaps = questions.slice(1).map(({ atMs }, index) => atMs - (questions[index]?.atMs ?? 0));
    assert.ok(Math.min(...gaps) >= 200, `${Math.min(...gaps)} ms`);
  });

  it('keeps that pace also when everything is to be asked at once, again and again', async () => {
    for (const key of 'abcdefghij') line.add(key, minute);
    await clock.pass(0);
    for (let times = 0; times < 20; times++) {
      line.askNow();
      await clock.pass(100);
    }
    assert.ok(questions.length <= 11, String(questions.length));
    assert.equal(new Set(questions.slice(0, 10).map(({ key }) => key)).size, 10, 'nobody is passed over');
  });

  it('stretches the intervals evenly where there is not time enough', async () => {
    const intervals: Readonly<Record<string, number>> = { s: 2 * second, l: 4 * second };
    answer = (key) => ({ tookMs: 0, asked: { intervalMs: intervals[key.slice(0, 1)] ?? 0 } });
    for (let index = 0; index < 20; index++) {
      line.add(`s${index}`, 2 * second);
      line.add(`l${index}`, 4 * second);
    }
    await clock.pass(10 * minute);
    const count = (kind: string): number => questions.filter(({ key }) => key.startsWith(kind)).length;
    assert.ok(Math.abs(questions.length / (5 * 600) - 1) < 0.03, `${questions.length} questions`);
    assert.ok(Math.abs(count('s') / count('l') / 2 - 1) < 0.05, `${count('s')} and ${count('l')}`);
    const each = [...Array(20).keys()].map((index) => timesOf(`l${index}`).length);
    assert.ok(Math.max(...each) - Math.min(...each) <= 2, each.join(' '));
  });

  it('waits as a whole when the network fails: two seconds, doubling to five minutes, with jitter', async () => {
    answer = () => trouble();
    line.add('a', second);
    line.add('b', second);
    await clock.pass(2 * hour);
    const gaps = questions.slice(1).map(({ atMs }, index) => atMs - (questions[index]?.atMs ?? 0));
    gaps.forEach((gap, index) => {
      const wanted = Math.min(2 * second * 2 ** index, 5 * minute);
      assert.ok(gap >= 0.75 * wanted - 1 && gap <= 1.25 * wanted + 1, `${gap} ms after failure ${index + 1}`);
    });
    assert.ok(gaps.length > 15 && new Set(gaps).size > 5, 'and not in step with others');
    assert.equal(keys().slice(0, 4), 'abab', 'each gets its turn: it may be one alone that the service fails at');
  });

  it('goes on at its own pace once there is an answer', async () => {
    answer = () => trouble();
    line.add('a', minute);
    await clock.pass(minute);
    answer = () => ({ tookMs: 0, asked: { intervalMs: second } });
    await clock.pass(3 * minute);
    assert.ok(timesOf('a').length > 50);
  });

  it('leaves the server alone for as long as it asked for, also when the person does not want to wait', async () => {
    answer = () => trouble({ kind: 'refused', status: 429, retryAfterMs: 10 * minute });
    line.add('a', second);
    await clock.pass(minute);
    line.askNow();
    await clock.pass(9 * minute - 1);
    assert.equal(questions.length, 1);
    await clock.pass(1);
    assert.equal(questions.length, 2);
  });

  it('asks at once when told to, without the wait for the network', async () => {
    answer = () => trouble();
    line.add('a', second);
    await clock.pass(20 * minute);
    const before = questions.length;
    line.askNow();
    await clock.pass(0);
    assert.equal(questions.length, before + 1);
  });

  it('asks once each time it is told to while the network is away, and each in its turn', async () => {
    answer = () => trouble();
    for (const key of 'abc') line.add(key, minute);
    await clock.pass(20 * minute);
    const next = 'abcabc'.indexOf(keys().at(-1) ?? '') + 1;
    for (let times = 0; times < 3; times++) {
      questions = [];
      line.askNow();
      await clock.pass(0);
      assert.deepEqual(questions.splice(0), [{ key: 'abcabc'[next + times], atMs: clock.now() - start }]);
      await clock.pass(1.4 * second);
      assert.deepEqual(questions, [], 'it waits again');
    }
  });

  it('asks for all others as soon as one is answered after the network was away', async () => {
    answer = () => trouble();
    for (const key of 'abc') line.add(key, minute);
    await clock.pass(20 * minute);
    questions = [];
    answer = () => ({ tookMs: 0, asked: { intervalMs: minute } });
    line.askNow();
    await clock.pass(second);
    assert.equal(keys().split('').sort().join(''), 'abc');
    assert.deepEqual(
      questions.map(({ atMs }) => atMs - (questions[0]?.atMs ?? 0)),
      [0, 200, 400],
    );
  });

  it('passes nobody over when everything is wanted again and again while questions take long', async () => {
    answer = () => ({ tookMs: 1500, asked: { intervalMs: minute } });
    for (const key of 'abcd') line.add(key, minute);
    for (let times = 0; times < 12; times++) {
      await clock.pass(second);
      line.askNow();
    }
    assert.equal(keys(), 'abcdabcda');
  });

  it('asks for one before all others when told to', async () => {
    for (const key of 'abcde') line.add(key, minute);
    line.askNow('d');
    await clock.pass(2 * second);
    assert.equal(keys(), 'adbce');
  });

  it('asks for one before all others also when all were to be asked for', async () => {
    for (const key of 'abc') line.add(key, minute);
    await clock.pass(2 * second);
    line.askNow();
    line.askNow('c');
    line.askNow('unknown');
    await clock.pass(2 * second);
    assert.equal(keys(), 'abccab');
  });

  it('leaves one that is there already in its place', async () => {
    line.add('a', minute);
    await clock.pass(second);
    line.add('a', second);
    await clock.pass(58 * second);
    assert.deepEqual(timesOf('a'), [0]);
  });

  it('goes on when there is one again after there was none', async () => {
    line.add('a', second);
    await clock.pass(second);
    line.remove('a');
    await clock.pass(5 * minute);
    line.add('b', second);
    await clock.pass(0);
    assert.equal(timesOf('b').length, 1);
  });

  it('is not held up by what became of one that was taken out meanwhile', async () => {
    answer = (key) => (key === 'a' ? { ...trouble(), tookMs: 500 } : { tookMs: 0, asked: { intervalMs: minute } });
    line.add('a', second);
    await clock.pass(100);
    line.remove('a');
    line.add('b', second);
    await clock.pass(second);
    assert.deepEqual(timesOf('b'), [500]);
  });

  it('asks again when told to while the question is under way, whose answer may be older', async () => {
    answer = () => ({ tookMs: 500, asked: { intervalMs: minute } });
    line.add('a', minute);
    await clock.pass(100);
    line.askNow('a');
    await clock.pass(10 * second);
    assert.deepEqual(timesOf('a'), [0, 500]);
  });

  it('asks again before all others when told to while the question is under way', async () => {
    answer = () => ({ tookMs: 500, asked: { intervalMs: minute } });
    for (const key of 'abc') line.add(key, minute);
    await clock.pass(100);
    line.askNow('a');
    await clock.pass(10 * second);
    assert.equal(keys(), 'aabc');
  });

  it('asks for everything soon after the machine has slept', async () => {
    answer = () => ({ tookMs: 0, asked: { intervalMs: 12 * hour } });
    line.add('a', hour);
    line.add('b', hour);
    await clock.pass(minute);
    clock.sleep(8 * hour);
    await clock.pass(11 * second);
    assert.deepEqual([timesOf('a').length, timesOf('b').length], [2, 2]);
  });

  it('asks at once after sleep, also where a question was under way then, and goes on at the usual pace', async () => {
    answer = () => ({ tookMs: second, asked: { intervalMs: minute } });
    line.add('a', minute);
    await clock.pass(second / 2);
    clock.sleep(8 * hour);
    await clock.pass(5 * minute);
    const since = timesOf('a').map((atMs) => Math.round((atMs - 8 * hour) / second));
    assert.deepEqual(since.slice(1, 5), [1, 62, 123, 184]);
  });

  it('is not held up by a clock that was set back', async () => {
    line.add('a', minute);
    await clock.pass(minute / 2);
    clock.sleep(-hour);
    await clock.pass(11 * second);
    assert.equal(questions.length, 2);
  });

  it('leaves the server alone no longer than it asked for, also when the clock is set back', async () => {
    answer = () => trouble({ kind: 'refused', status: 429, retryAfterMs: 10 * minute });
    line.add('a', second);
    await clock.pass(minute);
    clock.sleep(-hour);
    await clock.pass(8 * minute);
    assert.equal(questions.length, 1);
    await clock.pass(2 * minute);
    assert.equal(questions.length, 2);
  });

  it('asks no more for what was taken out, nor after its end', async () => {
    line.add('a', second);
    line.add('b', second);
    await clock.pass(second);
    line.remove('a');
    await clock.pass(5 * minute);
    assert.equal(timesOf('a').length, 1);
    const before = questions.length;
    line.dispose();
    await clock.pass(0);
    assert.equal(clock.waitingCount, 0);
    await clock.pass(hour);
    assert.equal(questions.length, before);
  });
});
