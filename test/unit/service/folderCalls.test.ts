import assert from 'node:assert/strict';
import { limitFolderCalls } from '../../../src/service/folderCalls.ts';
import { ManualClock } from '../../support/manualClock.ts';

const limitMs = 5_000;

describe('Calls for a folder whose disk hangs (D42)', () => {
  const hanging = { code: 'ETIMEDOUT' };
  let clock: ManualClock;
  /** Functions that respond to the calls that have been made so far, in order. */
  let respond: ((text: string) => void)[];
  let read: (folder: string) => Promise<string>;

  beforeEach(() => {
    clock = new ManualClock();
    respond = [];
    read = limitFolderCalls(async () => await new Promise<string>((resolve) => respond.push(resolve)), clock);
  });

  it('fail after five seconds, and at once for later callers', async () => {
    const rejected = assert.rejects(read('stuck'), hanging);
    await clock.pass(limitMs);
    await rejected;
    await assert.rejects(read('stuck'), hanging);
    assert.equal(respond.length, 1);
  });

  it('do not delay calls for other folders', async () => {
    const rejected = assert.rejects(read('stuck'), hanging);
    const other = read('other');
    respond[1]?.('data');
    assert.equal(await other, 'data');
    await clock.pass(limitMs);
    await rejected;
  });

  it('are made again after the disk has responded', async () => {
    const rejected = assert.rejects(read('stuck'), hanging);
    await clock.pass(limitMs);
    await rejected;
    respond[0]?.('too late');
    await clock.pass(0);
    const later = read('stuck');
    respond[1]?.('data');
    assert.equal(await later, 'data');
    assert.equal(clock.waitingCount, 0);
  });
});
