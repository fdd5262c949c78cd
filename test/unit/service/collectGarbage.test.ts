import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { collectGarbage } from '../../../src/service/threads/collectGarbage.ts';

describe('Collecting garbage', () => {
  it('works repeatedly, and leaves no global function for programs and threads that start later', () => {
    for (let time = 0; time < 2; time += 1) {
      collectGarbage();
      assert.equal(runInNewContext('typeof gc'), 'undefined');
    }
  });
});
