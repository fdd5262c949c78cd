import assert from 'node:assert/strict';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { Notifications } from '../../src/extension/editor/notifications.ts';
import { TransferNotifications } from '../../src/extension/features/transfers/transferNotifications.ts';
import { ManualClock } from '../support/manualClock.ts';
import { ScriptedWindow } from '../support/scriptedWindow.ts';
import { transfer } from './specimens.ts';

describe('Transfer notifications', () => {
  let clock: ManualClock;
  let store: TransferStore;
  let person: ScriptedWindow;
  let notifications: TransferNotifications;
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
    notifications = new TransferNotifications({
      store,
      notifications: new Notifications((label, error) => assert.fail(`${label}: ${String(error)}`)),
      clock,
      level: () => level,
      isMine: () => isMine,
      claim: (name) => Promise.resolve(!claimed.has(name) && claimed.add(name).size > 0),
      hasFocus: () => true,
      showFiles: (key) => done.push(`files ${key}`),
      showProgress: (key) => done.push(`progress ${key}`),
      showTransfers: () => done.push('transfers'),
      didStart: (key) => done.push(`did ${key}`),
      didNotStart: (key) => done.push(`did not ${key}`),
    });
  });
  afterEach(() => {
    notifications.dispose();
    person.restore();
  });

  const goes = (key: string, ...states: readonly Transfer['state'][]): void => {
    for (const state of states) store.put([transfer(key, { state })]);
  };
  const ends = (key: string, moved: number): void =>
    store.put([transfer(key, { state: 'succeeded', status: { fileCount: 2, movedFileCount: moved } })]);
  const takeNotifications = async (): Promise<readonly string[]> => {
    await clock.pass(1000);
    return person.notices.map(({ kind, message }) => `${kind}: ${message}`);
  };

  it('warn about an incomplete transfer even with the setting "problems" (D39)', async () => {
    level = 'problems';
    goes('t', 'active');
    ends('t', 0);
    assert.deepEqual(await takeNotifications(), ['warning: Incomplete: 0 of 2 files transferred to Beta.']);
  });

  it('combine several transfers by outcome if some are incomplete', async () => {
    for (const key of ['a', 'b', 'c']) goes(key, 'active');
    ends('a', 0);
    ends('b', 2);
    goes('c', 'failed');
    assert.deepEqual(await takeNotifications(), ['error: 3 transfers ended: 1 failed, 1 incomplete, 1 complete.']);
  });

  it('warn about what should have followed a transfer, even with the setting "problems" (D72)', async () => {
    level = 'problems';
    goes('t', 'active');
    const followUp = { kind: 'program', path: '/a.sh', state: 'notStarted', problem: 'it is gone' } as const;
    store.put([transfer('t', { state: 'succeeded', status: { fileCount: 2, movedFileCount: 2, followUp } })]);
    const text = 'warning: Transferred 2 files to Beta, but a.sh was not started: it is gone.';
    assert.deepEqual(await takeNotifications(), [text]);
  });

  it('warn about each follow-up that was not started, beside what is combined (D72)', async () => {
    for (const key of ['s', 't', 'u', 'v']) goes(key, 'active');
    const followUp = { kind: 'program', path: '/a.sh', state: 'notStarted', problem: 'it is gone' } as const;
    const status = { fileCount: 2, movedFileCount: 2, followUp } as const;
    for (const key of ['s', 't']) store.put([transfer(key, { state: 'succeeded', status })]);
    for (const key of ['u', 'v']) goes(key, 'succeeded');
    const text = 'warning: Transferred 2 files to Beta, but a.sh was not started: it is gone.';
    assert.deepEqual(await takeNotifications(), [text, text, 'information: 2 transfers succeeded.']);
  });

  it('report an ended transfer once, with a button that shows it', async () => {
    goes('t', 'active', 'succeeded', 'succeeded');
    assert.deepEqual(await takeNotifications(), ['information: Transferred 2 files to Beta.']);
    const notice = await person.notice();
    notice.press('Show Details');
    await notice.answered;
    await clock.pass(0);
    assert.deepEqual(done, ['progress t']);
  });

  it('say that there is no reason if nobody could see the message', async () => {
    for (const message of ['', '\u200b\u2060', '\u2800 \u3164']) {
      const shown = person.notices.length;
      goes('t', 'active');
      store.put([transfer('t', { state: 'failed', status: { message } })]);
      const text = 'error: Transfer of 2 files to Beta failed: the service gave no reason';
      assert.deepEqual((await takeNotifications()).slice(shown), [text], JSON.stringify(message));
      claimed.clear();
    }
  });

  it('offer to show the files of a successful transfer first, unless it has none', async () => {
    goes('t', 'active', 'succeeded');
    await takeNotifications();
    const notice = await person.notice();
    assert.deepEqual(notice.buttons, ['Show Files', 'Show Details']);
    notice.press('Show Files');
    await notice.answered;
    await clock.pass(0);
    assert.deepEqual(done, ['files t']);
    goes('u', 'active', 'failed');
    await takeNotifications();
    assert.deepEqual((await person.notice()).buttons, ['Show Details']);
    goes('v', 'active');
    ends('v', 0);
    await takeNotifications();
    assert.deepEqual((await person.notice()).buttons, ['Show Details']);
  });

  it('combine transfers that end together', async () => {
    for (const key of ['t', 'u', 'v']) goes(key, 'active', 'succeeded');
    assert.deepEqual(await takeNotifications(), ['information: 3 transfers succeeded.']);
    goes('w', 'active', 'failed');
    goes('x', 'active', 'succeeded');
    assert.deepEqual((await takeNotifications())[1], 'error: 2 transfers ended: 1 failed, 1 complete.');
    for (const key of ['y', 'z']) goes(key, 'active', 'failed');
    assert.deepEqual((await takeNotifications())[2], 'error: 2 transfers failed.');
  });

  it('do not call an expired transfer failed, because its outcome is unknown (D11)', async () => {
    goes('t', 'active', 'expired');
    const one = 'The service no longer has a record of the transfer of 2 files to Beta; its outcome is unknown.';
    assert.deepEqual(await takeNotifications(), [`warning: ${one}`]);
    for (const key of ['u', 'v']) goes(key, 'active', 'expired');
    goes('w', 'active', 'succeeded');
    assert.deepEqual((await takeNotifications()).slice(1), [
      'warning: The service no longer has a record of 2 transfers; their outcomes are unknown.',
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
    it(`${count === 0 ? 'do not report' : 'report'} a transfer that is ${state} with the setting "${setting}"`, async () => {
      level = setting;
      goes('t', 'submitting', state);
      assert.equal((await takeNotifications()).length, count);
    });
  }

  it('offer two commands for a transfer that is not confirmed (D12)', async () => {
    for (const label of ['Mark as Started…', 'Submit Again (Not Started)…']) {
      goes('t', 'submitting', 'notConfirmed');
      claimed.clear();
      const notice = await person.notice(/^It's unclear whether the transfer of 2 files to Beta has started/);
      notice.press(label);
      await notice.answered;
      await clock.pass(0);
    }
    assert.deepEqual(done, ['did t', 'did not t']);
  });

  it('do not repeat a notification that another window has shown', async () => {
    isMine = false;
    goes('t', 'active', 'failed');
    goes('u', 'submitting', 'notConfirmed');
    claimed = new Set(['t ended', 'u not confirmed']);
    await clock.pass(10_000);
    assert.deepEqual(await takeNotifications(), []);
  });

  it('wait for the submitting window, and are shown here if that window is closed', async () => {
    isMine = false;
    goes('t', 'active', 'failed');
    assert.deepEqual(await takeNotifications(), []);
    await clock.pass(2000);
    assert.equal((await takeNotifications()).length, 1);
  });

  it('do not report transfers that ended earlier, even when they are restored', async () => {
    goes('t', 'failed');
    store.remove(['t']);
    goes('t', 'failed');
    goes('u', 'notConfirmed');
    assert.deepEqual(await takeNotifications(), []);
  });
});
