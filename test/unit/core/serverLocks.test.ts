import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerLocks } from '../../../src/core/ledger/serverLocks.ts';
import type { RequestKind } from '../../../src/core/model/requestTurn.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const address = 'https://a.example/dts';

/** Acquires a lock for a request of one kind. */
async function acquire(
  locks: ServerLocks,
  kind: RequestKind = 'status',
  didWait: (holder: RequestKind | undefined) => void = () => undefined,
): Promise<{ release(): Promise<void> }> {
  const held = await locks.acquire(address, () => kind, didWait);
  assert.ok(held);
  return held;
}

describe('The locks that windows take on a server (D34)', () => {
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

  it('are held by one window at a time, and leave nothing behind', async () => {
    const held = await acquire(one);
    let isHeldByOther = false;
    const waiting = acquire(other).finally(() => (isHeldByOther = true));
    await eventually(async () => ((await files()).length === 1 ? true : undefined));
    assert.equal(isHeldByOther, false);
    await held.release();
    await (await waiting).release();
    assert.deepEqual(await files(), []);
  });

  it('are one for each address', async () => {
    await acquire(one);
    assert.ok(
      await other.acquire(
        'https://b.example',
        () => 'status',
        () => undefined,
      ),
    );
  });

  it('tell the window that waits what kind of request holds them', async () => {
    const held = await acquire(one, 'submission');
    const told = await new Promise((resolve) => void acquire(other, 'cancel', resolve));
    assert.equal(told, 'submission');
    await held.release();
  });

  it('are freed at once when the holder ends, in order or not', async () => {
    await acquire(one, 'submission');
    one.dispose();
    await (await acquire(other)).release();
    const held = await acquire(other);
    const [file = ''] = await files();
    await held.release();
    // No process has this id.
    const dead = { host: hostname(), pid: 2 ** 30, at: clock.now(), mark: 'dead' };
    await writeFile(join(folder, 'servers', file), JSON.stringify(dead));
    await (await acquire(other)).release();
  });

  it('go to the more urgent request of another window first', async () => {
    const held = await acquire(one, 'submission');
    const order: string[] = [];
    const take = async (locks: ServerLocks, kind: RequestKind): Promise<void> => {
      const own = await acquire(locks, kind);
      order.push(kind);
      await own.release();
    };
    const taking = [take(one, 'status'), take(other, 'submission')];
    await eventually(async () => ((await files()).some((file) => file.includes('.submission.')) ? true : undefined));
    taking.push(take(other, 'cancel'));
    await eventually(async () => ((await files()).some((file) => file.includes('.cancel.')) ? true : undefined));
    await held.release();
    await Promise.all(taking);
    assert.deepEqual(order, ['cancel', 'submission', 'status']);
    assert.deepEqual(await files(), []);
  });

  it('are not waited for when no request waits any longer', async () => {
    await acquire(one);
    let kind: RequestKind | undefined = 'cancel';
    const waiting = other.acquire(
      address,
      () => kind,
      () => (kind = undefined),
    );
    assert.equal(await waiting, undefined);
  });

  it('do without other windows where the folder cannot be written, and say so once', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const locks = new ServerLocks(file, clock, log);
    await acquire(locks);
    await acquire(locks);
    assert.equal(log.lines.filter((line) => line.includes('may overlap')).length, 1);
  });
});
