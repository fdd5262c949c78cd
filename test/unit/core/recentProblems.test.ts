import assert from 'node:assert/strict';
import { RecentProblems } from '../../../src/core/util/logger.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('Recent problems', () => {
  it('forward everything, and store warnings and errors with their times', async () => {
    const [log, clock] = [new MemoryLog(), new ManualClock(0)];
    const problems = new RecentProblems(log, clock);
    problems.info('one');
    problems.warn('two');
    await clock.pass(5);
    problems.error('three');
    problems.debug('four');
    problems.trace('five');
    assert.deepEqual(log.lines, ['info one', 'warn two', 'error three', 'debug four', 'trace five']);
    assert.deepEqual(problems.all, [
      { at: 0, level: 'warn', message: 'two' },
      { at: 5, level: 'error', message: 'three' },
    ]);
  });

  it('are the last fifty, each at most a thousand characters', () => {
    const problems = new RecentProblems(new MemoryLog(), new ManualClock());
    for (let count = 1; count <= 60; count += 1) problems.error(`${count} ${'x'.repeat(5000)}`);
    assert.equal(problems.all.length, 50);
    assert.match(problems.all[0]?.message ?? '', /^11 x/);
    assert.ok(problems.all.every(({ message }) => message.length === 1000));
  });
});
