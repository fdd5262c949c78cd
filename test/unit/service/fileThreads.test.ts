import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { JobResult } from '../../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';

describe('The threads that copy files', () => {
  it('start no job of an abandoned transfer, because nothing would end one that hangs (D42)', async () => {
    const threads = new FileThreads(systemClock);
    let isStarted = false;
    const job = async (): Promise<JobResult> => {
      isStarted = true;
      return await Promise.resolve({ done: [] });
    };
    try {
      await assert.rejects(threads.run(job, AbortSignal.abort()), { name: 'AbortError' });
      assert.equal(isStarted, false);
    } finally {
      await threads.end();
    }
  });
});
