import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PollingLease } from '../../../src/core/transfers/pollingLease.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The polling lease', () => {
  let folder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let leases: PollingLease[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'asking-'));
    clock = new ManualClock(Date.now());
    log = new MemoryLog();
    leases = [];
  });
  afterEach(async () => {
    for (const lease of leases) lease.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const newWindow = (hasFocus = (): boolean => false): PollingLease => {
    const lease = new PollingLease({ folder, clock, log, hasFocus });
    leases.push(lease);
    return lease;
  };

  const until = async (isTrue: () => boolean): Promise<void> => {
    await eventually(() => Promise.resolve(isTrue() || undefined));
  };

  /** Waits long enough for a heartbeat's disk operations, of which at most 20 run one after another. */
  const settleDisk = async (): Promise<void> => {
    for (let count = 0; count < 20; count += 1) await stat(folder);
  };

  /** Advances the clock in steps and waits for the disk operations of each step. */
  const pass = async (ms: number, stepMs = 500): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.pass(stepMs);
      await settleDisk();
    }
  };

  /** Returns the names of the files with which the windows coordinate. */
  const names = (): Promise<string[]> => readdir(join(folder, 'asking')).catch(() => []);

  const acquire = async (connections: readonly string[] = ['c']): Promise<PollingLease> => {
    const lease = newWindow();
    lease.setEligible(new Set(connections), true);
    await until(() => connections.every((id) => lease.hasLease(id)));
    return lease;
  };

  it('is acquired immediately by a single window', async () => {
    assert.ok((await acquire(['c', 'local@a machine/:'])).hasLease('c'));
  });

  it('is held by one of two windows, for each connection', async () => {
    const one = await acquire(['c', 'd']);
    const other = newWindow();
    other.setEligible(new Set(['c', 'd', 'e']), true);
    await until(() => other.hasLease('e'));
    await pass(30_000);
    assert.deepEqual(
      [one, other].map((lease) => ['c', 'd', 'e'].map((id) => lease.hasLease(id))),
      [
        [true, true, false],
        [false, false, true],
      ],
    );
  });

  it('passes to another window immediately when its holder closes or is no longer eligible', async () => {
    const one = await acquire();
    const [other, third] = [newWindow(), newWindow()];
    other.setEligible(new Set(['c']), true);
    one.dispose();
    await until(() => other.hasLease('c'));
    third.setEligible(new Set(['c']), true);
    other.setEligible(new Set(), true);
    await until(() => third.hasLease('c'));
    assert.equal(other.hasLease('c'), false);
  });

  it('passes to another window within ten seconds when its holder crashes', async () => {
    const text = JSON.stringify({ host: `not ${hostname()}`, pid: 1, at: clock.now(), mark: 'dead' });
    const lease = newWindow();
    await lease.requestPoll({ connectionId: 'x' });
    await writeFile(join(folder, 'asking', 'c.lock'), text);
    lease.setEligible(new Set(['c']), true);
    await pass(9_500);
    assert.equal(lease.hasLease('c'), false);
    await pass(500);
    await until(() => lease.hasLease('c'));
  });

  it('passes to another window at the next heartbeat when the process of its holder has ended', async () => {
    const lease = newWindow();
    await lease.requestPoll({ connectionId: 'x' });
    const ended = { host: hostname(), pid: 2 ** 22 + 1, at: clock.now(), mark: 'dead' };
    await writeFile(join(folder, 'asking', 'c.lock'), JSON.stringify(ended));
    lease.setEligible(new Set(['c']), true);
    await until(() => lease.hasLease('c'));
  });

  it('is lost by a holder that slept too long, which is notified', async () => {
    const one = await acquire();
    const other = { host: 'another-machine', pid: 1, at: clock.now() + 60_000, mark: 'awake' };
    await writeFile(join(folder, 'asking', 'c.lock'), JSON.stringify(other));
    let changes = 0;
    one.onDidChange(() => (changes += 1));
    await clock.pass(3_000);
    await until(() => !one.hasLease('c'));
    assert.equal(changes, 1);
  });

  it('notifies its holder immediately of a poll that another window requests', async () => {
    const one = await acquire();
    const requests: Parameters<PollingLease['requestPoll']>[0][] = [];
    one.onDidRequestPoll((request) => requests.push(request));
    const other = newWindow();
    await other.requestPoll({ connectionId: 'c', key: 'k' });
    await other.requestPoll({ connectionId: 'c' });
    await other.requestPoll({ connectionId: 'unknown' });
    await until(() => requests.length === 2);
    const byKey = requests.toSorted((a, b) => Number(a.key === undefined) - Number(b.key === undefined));
    assert.deepEqual(byKey, [{ connectionId: 'c', key: 'k' }, { connectionId: 'c' }]);
    assert.equal((await readdir(join(folder, 'asking'))).filter((name) => name.endsWith('.want')).length, 1);
  });

  it('considers the focus of any window, until it loses the focus or closes', async () => {
    const one = await acquire();
    let hasFocus = true;
    const other = newWindow(() => hasFocus);
    other.setEligible(new Set(), true);
    assert.equal(one.isAnyWindowFocused(), false);
    await clock.pass(0);
    await until(() => one.isAnyWindowFocused());
    hasFocus = false;
    await clock.pass(3_000);
    await until(() => !one.isAnyWindowFocused());
    hasFocus = true;
    await clock.pass(3_000);
    await until(() => one.isAnyWindowFocused());
    other.dispose();
    await until(() => !one.isAnyWindowFocused());
  });

  it('lets a window poll when nothing can be written, and logs that once', async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    const lease = await acquire();
    await pass(10_000);
    assert.ok(lease.hasLease('c'));
    assert.equal(log.lines.filter((line) => line.includes('cannot agree')).length, 1);
    await rm(join(folder, 'asking'));
    await pass(4_000);
    assert.ok(await eventually(async () => (await names()).join() === 'c.lock' || undefined));
  });

  it('leaves no files when its window closes', async () => {
    const lease = newWindow(() => true);
    lease.setEligible(new Set(['c']), true);
    await clock.pass(0);
    await until(() => lease.hasLease('c'));
    await eventually(async () => ((await names()).some((name) => name.endsWith('.focus')) ? true : undefined));
    lease.dispose();
    assert.deepEqual(await readdir(join(folder, 'asking')), []);
  });

  const writeMessage = async (name: string, content: object): Promise<void> => {
    await mkdir(join(folder, 'asking'), { recursive: true });
    await writeFile(join(folder, 'asking', name), JSON.stringify(content));
  };
  const createLock = (at: number): object => ({ host: 'another-machine', pid: 1, at, mark: 'another' });

  it('is acquired as soon as the lock of a crashed window expires', async () => {
    await writeMessage('c.lock', createLock(clock.now() - 6_000));
    const lease = newWindow();
    lease.setEligible(new Set(['c']), true);
    await eventually(() => Promise.resolve(clock.waitingCount > 0 || undefined));
    await pass(4_000);
    await until(() => lease.hasLease('c'));
  });

  it('considers the focus of a crashed window for at most ten seconds', async () => {
    const lease = newWindow();
    /** Writes a focus file with the given time and waits until the lease reports `isFocused`. */
    const expectFocus = async (isFocused: boolean, at: unknown): Promise<void> => {
      await writeMessage('dead.focus', { at });
      await clock.pass(3_000);
      await eventually(() => Promise.resolve(lease.isAnyWindowFocused() === isFocused || undefined));
    };
    lease.setEligible(new Set(), true);
    assert.equal(lease.isAnyWindowFocused(), false);
    await expectFocus(true, clock.now());
    await expectFocus(false, clock.now() - 10_001);
    await expectFocus(true, clock.now());
    await expectFocus(false, 'now');
  });

  it('removes its focus file, and stops its heartbeat, once no transfer is running', async () => {
    const lease = newWindow(() => true);
    lease.setEligible(new Set(), true);
    await clock.pass(0);
    await eventually(async () => ((await names()).some((name) => name.endsWith('.focus')) ? true : undefined));
    lease.setEligible(new Set(), false);
    await clock.pass(3_000);
    await eventually(async () => ((await names()).length === 0 ? true : undefined));
    assert.equal(clock.waitingCount, 0);
  });

  it('starts no heartbeat when nothing was ever running, nor after it is disposed', async () => {
    const lease = newWindow();
    lease.setEligible(new Set(), false);
    assert.equal(clock.waitingCount, 0);
    lease.setEligible(new Set(), true);
    assert.equal(clock.waitingCount, 1);
    lease.dispose();
    assert.equal(clock.waitingCount, 0);
  });

  it('is left to other windows by a window that became ineligible before it acquired it', async () => {
    const [lease, other] = [newWindow(), newWindow()];
    lease.setEligible(new Set(['c']), true);
    lease.setEligible(new Set(), true);
    other.setEligible(new Set(['c']), true);
    await until(() => other.hasLease('c'));
    assert.equal(lease.hasLease('c'), false);
  });

  it('stops a window from polling without it once another window holds it', async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    const lease = await acquire();
    let changes = 0;
    lease.onDidChange(() => (changes += 1));
    await rm(join(folder, 'asking'));
    await writeMessage('c.lock', createLock(clock.now() + 60_000));
    await pass(3_000);
    await until(() => !lease.hasLease('c'));
    assert.equal(changes, 1);
  });

  it('ignores requests for a connection whose name only shares a prefix', async () => {
    const one = await acquire(['c']);
    const requests: Parameters<PollingLease['requestPoll']>[0][] = [];
    one.onDidRequestPoll((request) => requests.push(request));
    const other = newWindow();
    await other.requestPoll({ connectionId: 'c.d' });
    await other.requestPoll({ connectionId: 'c' });
    await until(() => requests.length > 0);
    assert.deepEqual(requests, [{ connectionId: 'c' }]);
    assert.equal((await readdir(join(folder, 'asking'))).filter((name) => name.endsWith('.want')).length, 1);
  });

  it('polls all transfers for an incomplete request, ignores an incomplete focus, and leaves no partial file', async () => {
    const one = await acquire();
    const requests: Parameters<PollingLease['requestPoll']>[0][] = [];
    one.onDidRequestPoll((request) => requests.push(request));
    await writeFile(join(folder, 'asking', 'torn.focus'), '{"at":');
    await writeFile(join(folder, 'asking', 'list.focus'), '[1]');
    await writeFile(join(folder, 'asking', `c.${randomUUID()}.want`), '{"key":');
    await until(() => requests.length === 1);
    assert.deepEqual(requests, [{ connectionId: 'c' }]);
    assert.equal(one.isAnyWindowFocused(), false);
    await newWindow().requestPoll({ connectionId: 'unknown', key: 'k' });
    const others = (await names()).filter((name) => !/^(?:c\.lock|torn\.focus|list\.focus)$/.test(name));
    assert.match(others.join(' '), /^unknown\.[\da-f-]+\.want$/);
  });

  it("ignores a request that can't be written, and logs it", async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    await newWindow().requestPoll({ connectionId: 'c' });
    assert.match(log.lines.join(), /^debug Other windows could not be notified: Error: E/);
  });
});
