import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { createJobSignal, getDoneCount } from '../../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('The threads that copy files', () => {
  it('start no job of an abandoned transfer, because nothing would end one that hangs (D42)', async () => {
    const threads = new FileThreads(systemClock);
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-threads-'));
    await fs.writeFile(nodePath.join(folder, 'a'), 'x');
    const signal = createJobSignal();
    const job = { folder, files: [{ position: 0, path: 'a' }], signal };
    try {
      await assert.rejects(threads.run('stage', job, AbortSignal.abort()), { name: 'AbortError' });
      // The same thread has done a later job, so that it would have done this one as well.
      assert.equal((await threads.run('stage', job, new AbortController().signal)).done.length, 1);
      assert.equal(getDoneCount(signal), 1);
    } finally {
      await threads.end();
      await fs.rm(folder, { recursive: true });
    }
  });

  it('end after an idle minute, and the last one has the memory of all returned to the system', async () => {
    const clock = new ManualClock();
    const events = new EventEmitter();
    const ended = once(events, 'ended');
    let endCount = 0;
    events.on('ended', () => (endCount += 1));
    const threads = new FileThreads(clock, 2, () => void events.emit('ended'));
    try {
      threads.ensureThreads(2);
      await clock.pass(59_999);
      assert.deepEqual([clock.waitingCount, endCount], [2, 0]);
      await clock.pass(1);
      await ended;
      assert.deepEqual([clock.waitingCount, endCount], [0, 1]);
    } finally {
      await threads.end();
    }
  });
});
