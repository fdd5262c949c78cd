import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerLocks } from '../../../src/core/transfers/serverLocks.ts';
import type { RequestKind } from '../../../src/core/model/requestTurn.ts';
import type { Clock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const address = 'https://a.example/dts';

/** Acquires the lock of the test's server for a request of the given kind. */
async function acquire(
  locks: ServerLocks,
  kind: RequestKind = 'status',
  didWait: (holder: RequestKind | undefined) => void = () => undefined,
): Promise<{ release(): Promise<void> }> {
  const lock = await locks.acquire(address, () => kind, didWait);
  assert.ok(lock);
  return lock;
}

describe('The locks on a server (D34)', () => {
  let folder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let one: ServerLocks;
  let other: ServerLocks;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dts-servers-'));
    [clock, log] = [new ManualClock(Date.now()), new MemoryLog()];
    [one, other] = [new ServerLocks(folder, clock, log), new ServerLocks(folder, clock, log)];
  });
  afterEach(async () => {
    for (const locks of [one, other]) locks.dispose();
    await rm(folder, { recursive: true });
  });

  const files = async (): Promise<readonly string[]> => await readdir(join(folder, 'servers'));

  it('are held by one window at a time, and leave no files', async () => {
    const lock = await acquire(one);
    let isHeldByOther = false;
    const waiting = acquire(other).finally(() => (isHeldByOther = true));
    await eventually(async () => ((await files()).length === 1 ? true : undefined));
    assert.equal(isHeldByOther, false);
    await lock.release();
    await (await waiting).release();
    assert.deepEqual(await files(), []);
  });

  it('are separate for each address', async () => {
    await acquire(one);
    assert.ok(
      await other.acquire(
        'https://b.example',
        () => 'status',
        () => undefined,
      ),
    );
  });

  it('report to a waiting window the kind of request that holds them', async () => {
    const lock = await acquire(one, 'submission');
    let waiting: ReturnType<typeof acquire> | undefined;
    const reported = await new Promise((resolve) => {
      waiting = acquire(other, 'cancel', resolve);
    });
    assert.equal(reported, 'submission');
    await lock.release();
    await (await waiting)?.release();
  });

  it('are freed immediately when the holder closes, even after a crash', async () => {
    await acquire(one, 'submission');
    one.dispose();
    await (await acquire(other)).release();
    const lock = await acquire(other);
    const [file = ''] = await files();
    await lock.release();
    // No process has this id.
    const dead = { host: hostname(), pid: 2 ** 30, at: clock.now(), mark: 'dead' };
    await writeFile(join(folder, 'servers', file), JSON.stringify(dead));
    await (await acquire(other)).release();
  });

  it('go to the more urgent request of another window first', async () => {
    const lock = await acquire(one, 'submission');
    const order: string[] = [];
    const runLocked = async (locks: ServerLocks, kind: RequestKind): Promise<void> => {
      const own = await acquire(locks, kind);
      order.push(kind);
      await own.release();
    };
    const pending = [runLocked(one, 'status'), runLocked(other, 'submission')];
    await eventually(async () => ((await files()).some((file) => file.includes('.submission.')) ? true : undefined));
    pending.push(runLocked(other, 'cancel'));
    await eventually(async () => ((await files()).some((file) => file.includes('.cancel.')) ? true : undefined));
    await lock.release();
    await Promise.all(pending);
    assert.deepEqual(order, ['cancel', 'submission', 'status']);
    assert.deepEqual(await files(), []);
  });

  it('are given up for a more urgent request that began to wait while they were acquired', async () => {
    const lock = await acquire(one);
    const [file = ''] = await files();
    await lock.release();
    const ticket = join(
      folder,
      'servers',
      file.replace('.lock', '.cancel.00000000-0000-4000-8000-000000000001.ticket'),
    );
    const putTicket = (): void => {
      const holder = { host: 'another machine', pid: 1, at: clock.now(), mark: 'x' };
      if (!existsSync(ticket)) writeFileSync(ticket, JSON.stringify(holder));
    };
    // The time is read when the lock file is written.
    const lateClock: Clock = { now: () => (putTicket(), clock.now()), after: (ms, call) => clock.after(ms, call) };
    const late = new ServerLocks(folder, lateClock, log);
    let waiting: Promise<unknown> | undefined;
    const outcome = await new Promise((resolve) => {
      waiting = acquire(late, 'status', () => resolve('waiting')).then(() => resolve('acquired'));
    });
    late.dispose();
    await waiting;
    assert.equal(outcome, 'waiting');
  });

  it('delete the tickets of crashed windows, and no others', async () => {
    await mkdir(join(folder, 'servers'));
    const putTicket = async (id: number, holder: object): Promise<string> => {
      const name = `aa.cancel.00000000-0000-4000-8000-00000000000${String(id)}.ticket`;
      await writeFile(join(folder, 'servers', name), JSON.stringify({ mark: 'x', ...holder }));
      return name;
    };
    // No process has this id.
    await putTicket(1, { host: hostname(), pid: 2 ** 30, at: clock.now() });
    await putTicket(2, { host: 'another machine', pid: 1, at: clock.now() - 120_000 });
    const waiting = await putTicket(3, { host: 'another machine', pid: 1, at: clock.now() });
    await (await acquire(one)).release();
    assert.deepEqual(await files(), [waiting]);
  });

  it("are acquired although a ticket can't be read", async () => {
    await mkdir(join(folder, 'servers'));
    const ticket = join(folder, 'servers', 'aa.cancel.00000000-0000-4000-8000-000000000001.ticket');
    await symlink(ticket, ticket);
    await acquire(one);
    assert.equal((await files()).filter((file) => file.endsWith('.lock')).length, 1);
    assert.deepEqual(log.lines, []);
  });

  it('stop waiting when no request waits any longer', async () => {
    await acquire(one);
    let kind: RequestKind | undefined = 'cancel';
    const waiting = other.acquire(
      address,
      () => kind,
      () => (kind = undefined),
    );
    assert.equal(await waiting, undefined);
  });

  it("don't wait for other windows if the folder can't be written, and log that once", async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const locks = new ServerLocks(file, clock, log);
    await acquire(locks);
    await acquire(locks);
    assert.equal(log.lines.filter((line) => line.includes('may overlap')).length, 1);
  });
});
