import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { AskingLease, type WantedAnswer } from '../../../src/core/ledger/askingLease.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The lease on asking for transfers', () => {
  let folder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let leases: AskingLease[];

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

  const newWindow = (hasFocus = (): boolean => false): AskingLease => {
    const lease = new AskingLease({ folder, clock, log, hasFocus });
    leases.push(lease);
    return lease;
  };

  const until = async (isSo: () => boolean): Promise<void> => {
    await eventually(() => Promise.resolve(isSo() || undefined));
  };

  /** Lets time pass in steps, with time for the disk between them. */
  const pass = async (ms: number, stepMs = 500): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.pass(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  };

  /** The files by which the windows agree; none before the first is written. */
  const names = (): Promise<string[]> => readdir(join(folder, 'asking')).catch(() => []);

  const holding = async (connections: readonly string[] = ['c']): Promise<AskingLease> => {
    const lease = newWindow();
    lease.compete(new Set(connections), true);
    await until(() => connections.every((id) => lease.isHeld(id)));
    return lease;
  };

  it('is held at once by a window that is alone, without waiting for any time to pass', async () => {
    assert.ok((await holding(['c', 'local@a machine/:'])).isHeld('c'));
  });

  it('is held by one of two, for each connection', async () => {
    const one = await holding(['c', 'd']);
    const other = newWindow();
    other.compete(new Set(['c', 'd', 'e']), true);
    await until(() => other.isHeld('e'));
    await pass(30_000);
    assert.deepEqual(
      [one, other].map((lease) => ['c', 'd', 'e'].map((id) => lease.isHeld(id))),
      [
        [true, true, false],
        [false, false, true],
      ],
    );
  }).timeout(15_000);

  it('goes to another at once when its holder ends, or could not ask any longer', async () => {
    const one = await holding();
    const [other, third] = [newWindow(), newWindow()];
    other.compete(new Set(['c']), true);
    one.dispose();
    await until(() => other.isHeld('c'));
    third.compete(new Set(['c']), true);
    other.compete(new Set(), true);
    await until(() => third.isHeld('c'));
    assert.equal(other.isHeld('c'), false);
  });

  it('goes to another within ten seconds when its holder dies', async () => {
    const text = JSON.stringify({ host: `not ${hostname()}`, pid: 1, at: clock.now(), mark: 'dead' });
    const lease = newWindow();
    await lease.wantNow({ connectionId: 'x' });
    await writeFile(join(folder, 'asking', 'c.lock'), text);
    lease.compete(new Set(['c']), true);
    await pass(9_500);
    assert.equal(lease.isHeld('c'), false);
    await pass(500);
    await until(() => lease.isHeld('c'));
  });

  it('goes to another by the next beat when its holder was a process of this machine that is gone', async () => {
    const lease = newWindow();
    await lease.wantNow({ connectionId: 'x' });
    const gone = { host: hostname(), pid: 2 ** 22 + 1, at: clock.now(), mark: 'dead' };
    await writeFile(join(folder, 'asking', 'c.lock'), JSON.stringify(gone));
    lease.compete(new Set(['c']), true);
    await until(() => lease.isHeld('c'));
  });

  it('is lost by a holder that was asleep for too long, and is told so', async () => {
    const one = await holding();
    const other = { host: 'another-machine', pid: 1, at: clock.now() + 60_000, mark: 'awake' };
    await writeFile(join(folder, 'asking', 'c.lock'), JSON.stringify(other));
    let changes = 0;
    one.onDidChange(() => (changes += 1));
    await clock.pass(3_000);
    await until(() => !one.isHeld('c'));
    assert.equal(changes, 1);
  });

  it('lets its holder know at once what another window wants to know now', async () => {
    const one = await holding();
    const wanted: WantedAnswer[] = [];
    one.onDidWantNow((answer) => wanted.push(answer));
    const other = newWindow();
    await other.wantNow({ connectionId: 'c', key: 'k' });
    await other.wantNow({ connectionId: 'c' });
    await other.wantNow({ connectionId: 'of nobody' });
    await until(() => wanted.length === 2);
    const byKey = wanted.toSorted((a, b) => Number(a.key === undefined) - Number(b.key === undefined));
    assert.deepEqual(byKey, [{ connectionId: 'c', key: 'k' }, { connectionId: 'c' }]);
    assert.equal((await readdir(join(folder, 'asking'))).filter((name) => name.endsWith('.want')).length, 1);
  });

  it('counts the focus of any window, until it goes elsewhere or its window ends', async () => {
    const one = await holding();
    let isLookedAt = true;
    const other = newWindow(() => isLookedAt);
    other.compete(new Set(), true);
    assert.equal(one.hasFocusSomewhere(), false);
    await clock.pass(0);
    await until(() => one.hasFocusSomewhere());
    isLookedAt = false;
    await clock.pass(3_000);
    await until(() => !one.hasFocusSomewhere());
    isLookedAt = true;
    await clock.pass(3_000);
    await until(() => one.hasFocusSomewhere());
    other.dispose();
    await until(() => !one.hasFocusSomewhere());
  });

  it('does not keep a window from asking where nothing can be written, and says so once', async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    const lease = await holding();
    await pass(10_000);
    assert.ok(lease.isHeld('c'));
    assert.equal(log.lines.filter((line) => line.includes('cannot agree')).length, 1);
    await rm(join(folder, 'asking'));
    await pass(4_000);
    assert.deepEqual(await readdir(join(folder, 'asking')), ['c.lock']);
  });

  it('leaves no file when its window ends', async () => {
    const lease = newWindow(() => true);
    lease.compete(new Set(['c']), true);
    await clock.pass(0);
    await eventually(async () => ((await names()).length === 2 ? true : undefined));
    lease.dispose();
    assert.deepEqual(await readdir(join(folder, 'asking')), []);
  });

  const note = async (name: string, what: object): Promise<void> => {
    await mkdir(join(folder, 'asking'), { recursive: true });
    await writeFile(join(folder, 'asking', name), JSON.stringify(what));
  };
  const ofAnother = (at: number): object => ({ host: 'another-machine', pid: 1, at, mark: 'another' });

  it('is had at the very moment at which the lock of one that died counts no longer', async () => {
    await note('c.lock', ofAnother(clock.now() - 6_000));
    const lease = newWindow();
    lease.compete(new Set(['c']), true);
    await eventually(() => Promise.resolve(clock.waitingCount > 0 || undefined));
    await pass(4_000);
    await until(() => lease.isHeld('c'));
  });

  it('counts the focus of a window that died no longer than ten seconds', async () => {
    const lease = newWindow();
    const isSeen = async (at: unknown): Promise<boolean> => {
      await note('dead.focus', { at });
      await pass(3_000, 3_000);
      await pass(3_000, 3_000);
      return lease.hasFocusSomewhere();
    };
    lease.compete(new Set(), true);
    assert.equal(await isSeen(clock.now()), true);
    assert.equal(await isSeen(clock.now() - 10_001), false);
    assert.equal(await isSeen('now'), false);
  });

  it('leaves its focus untold, and sets no clock, once nothing runs for which it matters', async () => {
    const lease = newWindow(() => true);
    lease.compete(new Set(), true);
    await clock.pass(0);
    await eventually(async () => ((await names()).some((name) => name.endsWith('.focus')) ? true : undefined));
    lease.compete(new Set(), false);
    await clock.pass(3_000);
    await eventually(async () => ((await names()).length === 0 ? true : undefined));
    assert.equal(clock.waitingCount, 0);
  });

  it('sets no clock where it never mattered, nor after its end', async () => {
    const lease = newWindow();
    lease.compete(new Set(), false);
    assert.equal(clock.waitingCount, 0);
    lease.compete(new Set(), true);
    assert.equal(clock.waitingCount, 1);
    lease.dispose();
    assert.equal(clock.waitingCount, 0);
  });

  it('is left to others by a window that could not ask any more before it had it', async () => {
    const [lease, other] = [newWindow(), newWindow()];
    lease.compete(new Set(['c']), true);
    lease.compete(new Set(), true);
    other.compete(new Set(['c']), true);
    await until(() => other.isHeld('c'));
    assert.equal(lease.isHeld('c'), false);
  });

  it('is given up by a window that asked all the same, once windows can agree again', async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    const lease = await holding();
    let changes = 0;
    lease.onDidChange(() => (changes += 1));
    await rm(join(folder, 'asking'));
    await note('c.lock', ofAnother(clock.now() + 60_000));
    await pass(3_000);
    await until(() => !lease.isHeld('c'));
    assert.equal(changes, 1);
  });

  it('takes no wish of a connection for its own whose name only begins alike', async () => {
    const one = await holding(['c']);
    const wanted: WantedAnswer[] = [];
    one.onDidWantNow((answer) => wanted.push(answer));
    const other = newWindow();
    await other.wantNow({ connectionId: 'c.d' });
    await other.wantNow({ connectionId: 'c' });
    await until(() => wanted.length > 0);
    assert.deepEqual(wanted, [{ connectionId: 'c' }]);
    assert.equal((await readdir(join(folder, 'asking'))).filter((name) => name.endsWith('.want')).length, 1);
  });

  it('lets a wish be where it cannot be written, and says so in the log', async () => {
    await writeFile(join(folder, 'asking'), 'a file where the folder should be');
    await newWindow().wantNow({ connectionId: 'c' });
    assert.match(log.lines.join(), /^debug Other windows could not be told: Error: E/);
  });
});
