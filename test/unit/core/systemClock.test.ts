import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { addJitter, getBackoffMs, systemClock, wait } from '../../../src/core/util/clock.ts';

/** The longest delay that a Node.js timer supports. */
const limitMs = 2 ** 31 - 1;

describe('The system clock', () => {
  it('does not call back early if a delay exceeds the limit of a timer', async () => {
    let isEarly = false;
    const timers = [2 ** 31, Infinity].map((delayMs) => systemClock.after(delayMs, () => (isEarly = true)));
    // Node.js calls back after one millisecond if the delay is too long.
    await wait(systemClock, 10);
    for (const timer of timers) timer.dispose();
    assert.equal(isEarly, false);
  });

  it('calls back after a delay that exceeds the limit of a timer, and never after an infinite one', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const called: string[] = [];
      const delays = { long: 3 * limitMs + 5, disposed: 3 * limitMs + 5, infinite: Infinity };
      const timers = Object.entries(delays).map(([name, delayMs]) => {
        return systemClock.after(delayMs, () => called.push(name));
      });
      for (const delayMs of [limitMs, limitMs, limitMs, 4]) mock.timers.tick(delayMs);
      timers[1]?.dispose();
      assert.deepEqual(called, []);
      mock.timers.tick(1);
      assert.deepEqual(called, ['long']);
      for (let count = 0; count < 50; count += 1) mock.timers.tick(limitMs);
      assert.deepEqual(called, ['long']);
      timers[2]?.dispose();
    } finally {
      mock.timers.reset();
    }
  });
});

describe('The delay before the next attempt', () => {
  it('doubles with each failure up to a maximum, and is none without a failure', () => {
    const delays = [0, 1, 2, 3, 4, 2000].map((failures) => getBackoffMs(failures, 500, 3000));
    assert.deepEqual(delays, [0, 500, 1000, 2000, 3000, 3000]);
    assert.equal(getBackoffMs(3, 500), 2000);
  });

  it('varies by at most a quarter', () => {
    assert.deepEqual(
      [0, 0.5, 1].map((random) => addJitter(2000, random)),
      [1500, 2000, 2500],
    );
  });
});
