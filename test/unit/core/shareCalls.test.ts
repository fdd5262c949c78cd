import assert from 'node:assert/strict';
import { shareCalls } from '../../../src/core/util/concurrentCalls.ts';

describe('Shared calls', () => {
  let called: string[];
  let end: (() => void)[];
  let share: (argument: string) => Promise<string>;

  beforeEach(() => {
    called = [];
    end = [];
    share = shareCalls(async (argument) => {
      called.push(argument);
      await new Promise<void>((resolve, reject) =>
        end.push(argument === 'bad' ? () => reject(new Error('bad')) : resolve),
      );
      return argument.toUpperCase();
    });
  });

  const endAll = (): void => end.splice(0).forEach((one) => one());

  it('are made once for callers at the same time, and again afterwards', async () => {
    const results = [share('a'), share('a'), share('b')];
    endAll();
    assert.deepEqual(await Promise.all(results), ['A', 'A', 'B']);
    assert.deepEqual(called, ['a', 'b']);
    const later = share('a');
    endAll();
    assert.equal(await later, 'A');
    assert.deepEqual(called, ['a', 'b', 'a']);
  });

  it('fail for all callers, and are made again afterwards', async () => {
    const results = [share('bad'), share('bad')];
    endAll();
    for (const result of results) await assert.rejects(result, /bad/);
    const later = share('bad');
    endAll();
    await assert.rejects(later, /bad/);
    assert.deepEqual(called, ['bad', 'bad']);
  });
});
