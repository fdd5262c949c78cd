import assert from 'node:assert/strict';
import { systemClock, wait } from '../../../src/core/util/clock.ts';

describe('The system clock', () => {
  it('does not call back early if a delay exceeds the limit of a timer', async () => {
    let isEarly = false;
    const timers = [2 ** 31, Infinity].map((delayMs) => systemClock.after(delayMs, () => (isEarly = true)));
    // Node.js calls back after one millisecond if the delay is too long.
    await wait(systemClock, 10);
    for (const timer of timers) timer.dispose();
    assert.equal(isEarly, false);
  });
});
