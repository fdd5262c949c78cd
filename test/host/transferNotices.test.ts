import assert from 'node:assert/strict';
import type { Transfer } from '../../src/core/model/transfer.ts';
import { TransferStore } from '../../src/core/store/transferStore.ts';
import { Notices } from '../../src/host/notices.ts';
import { TransferNotices } from '../../src/host/transferNotices.ts';
import { ManualClock } from '../support/manualClock.ts';
import { ScriptedWindow } from '../support/scriptedWindow.ts';
import { transfer } from './specimens.ts';

describe('Notices of transfers', () => {
  let clock: ManualClock;
  let store: TransferStore;
  let person: ScriptedWindow;
  let notices: TransferNotices;
  let level: 'all' | 'problems' | 'none';
  let isMine: boolean;
  let done: string[];
  let claimed: Set<string>;
  beforeEach(() => {
    clock = new ManualClock();
    store = new TransferStore();
    person = new ScriptedWindow();
    level = 'all';
    isMine = true;
    done = [];
    claimed = new Set();
    notices = new TransferNotices({
      store,
      notices: new Notices(),
      clock,
      level: () => level,
      isMine: () => isMine,
      claim: (name) => Promise.resolve(!claimed.has(name) && claimed.add(name).size > 0),
      hasFocus: () => true,
      showProgress: (key) => done.push(`progress ${key}`),
      showTransfers: () => done.push('transfers'),
      didStart: (key) => done.push(`did ${key}`),
      didNotStart: (key) => done.push(`did not ${key}`),
    });
  });
  afterEach(() => {
    notices.dispose();
    person.restore();
  });

  const goes = (key: string, ...states: readonly Transfer['state'][]): void => {
    for (const state of states) store.put([transfer(key, { state })]);
  };
  const ends = (key: string, moved: number): void =>
    store.put([transfer(key, { state: 'succeeded', status: { fileCount: 2, movedFileCount: moved } })]);
  const told = async (): Promise<readonly string[]> => {
    await clock.pass(1000);
    return person.notices.map(({ kind, message }) => `${kind}: ${message}`);
  };

  it('warn of a transfer that completed without all its files, also where only problems are wanted (D39)', async () => {
    level = 'problems';
    goes('t', 'active');
    ends('t', 0);
    assert.deepEqual(await told(), ['warning: Completed: 0 of 2 files transferred to Beta.']);
  });

  it('tell how several transfers ended where some moved fewer files', async () => {
    for (const key of ['a', 'b', 'c']) goes(key, 'active');
    ends('a', 0);
    ends('b', 2);
    goes('c', 'failed');
    assert.deepEqual(await told(), ['error: 3 transfers have ended: 1 failed, 1 incomplete, 1 complete.']);
  });

  it('tell once of a transfer that ended, and show it', async () => {
    goes('t', 'active', 'succeeded', 'succeeded');
    assert.deepEqual(await told(), ['information: Transferred 2 files to Beta.']);
    const notice = await person.notice();
    notice.press('Show Progress');
    await notice.answered;
    await clock.pass(0);
    assert.deepEqual(done, ['progress t']);
  });

  it('tell of several that ended together in one', async () => {
    for (const key of ['t', 'u', 'v']) goes(key, 'active', 'succeeded');
    assert.deepEqual(await told(), ['information: 3 transfers have succeeded.']);
    goes('w', 'active', 'failed');
    goes('x', 'active', 'succeeded');
    assert.deepEqual((await told())[1], 'error: 1 of 2 transfers have failed.');
    for (const key of ['y', 'z']) goes(key, 'active', 'failed');
    assert.deepEqual((await told())[2], 'error: 2 transfers have failed.');
  });

  it('do not call a failure what the service has forgotten: how it ended is not known (D11)', async () => {
    goes('t', 'active', 'expired');
    const one = 'The service does not know the transfer of 2 files to Beta any longer. How it ended is not known.';
    assert.deepEqual(await told(), [`warning: ${one}`]);
    for (const key of ['u', 'v']) goes(key, 'active', 'expired');
    goes('w', 'active', 'succeeded');
    assert.deepEqual((await told()).slice(1), [
      'warning: The service does not know 2 transfers any longer. How they ended is not known.',
      'information: Transferred 2 files to Beta.',
    ]);
  });

  const rows = [
    ['succeeded', 'all', 1],
    ['succeeded', 'problems', 0],
    ['succeeded', 'none', 0],
    ['failed', 'all', 1],
    ['failed', 'problems', 1],
    ['failed', 'none', 0],
    ['expired', 'problems', 1],
    ['notConfirmed', 'all', 1],
    ['notConfirmed', 'problems', 1],
    ['notConfirmed', 'none', 0],
    ['cancelled', 'all', 0],
    ['refused', 'all', 0],
  ] as const;
  for (const [state, setting, count] of rows) {
    it(`${count === 0 ? 'say nothing' : 'tell'} of one that is ${state} where the setting says "${setting}"`, async () => {
      level = setting;
      goes('t', 'submitting', state);
      assert.equal((await told()).length, count);
    });
  }

  it('offer the two ways on from one that is not confirmed (D12)', async () => {
    for (const label of ['It Did Start…', 'It Did Not: Submit Again…']) {
      goes('t', 'submitting', 'notConfirmed');
      claimed.clear();
      const notice = await person.notice(/^It is not known whether the transfer of 2 files to Beta has begun/);
      notice.press(label);
      await notice.answered;
      await clock.pass(0);
    }
    assert.deepEqual(done, ['did t', 'did not t']);
  });

  it('say nothing of what another window has told', async () => {
    isMine = false;
    goes('t', 'active', 'failed');
    goes('u', 'submitting', 'notConfirmed');
    claimed = new Set(['t ended', 'u not confirmed']);
    await clock.pass(10_000);
    assert.deepEqual(await told(), []);
  });

  it('wait for the window in which it was submitted, and tell where that is gone', async () => {
    isMine = false;
    goes('t', 'active', 'failed');
    assert.deepEqual(await told(), []);
    await clock.pass(2000);
    assert.equal((await told()).length, 1);
  });

  it('say nothing of what had ended before, also when it is taken back into the list', async () => {
    goes('t', 'failed');
    store.remove(['t']);
    goes('t', 'failed');
    goes('u', 'notConfirmed');
    assert.deepEqual(await told(), []);
  });
});
