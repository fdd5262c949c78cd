import assert from 'node:assert/strict';
import { RecentTroubles } from '../../../src/core/util/recentTroubles.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The recent troubles', () => {
  it('pass everything on, and keep warnings and errors with their times', async () => {
    const [log, clock] = [new MemoryLog(), new ManualClock(0)];
    const troubles = new RecentTroubles(log, clock);
    troubles.info('one');
    troubles.warn('two');
    await clock.pass(5);
    troubles.error('three');
    troubles.debug('four');
    troubles.trace('five');
    assert.deepEqual(log.lines, ['info one', 'warn two', 'error three', 'debug four', 'trace five']);
    assert.deepEqual(troubles.all, [
      { at: 0, level: 'warn', message: 'two' },
      { at: 5, level: 'error', message: 'three' },
    ]);
  });

  it('are the last fifty, none longer than a thousand characters', () => {
    const troubles = new RecentTroubles(new MemoryLog(), new ManualClock());
    for (let count = 1; count <= 60; count += 1) troubles.error(`${count} ${'x'.repeat(5000)}`);
    assert.equal(troubles.all.length, 50);
    assert.match(troubles.all[0]?.message ?? '', /^11 x/);
    assert.ok(troubles.all.every(({ message }) => message.length === 1000));
  });
});
