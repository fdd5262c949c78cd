import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { FileLock, underLock } from '../../../src/core/util/fileLock.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('A lock that is a file (D30)', () => {
  let folder: string;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-lock-'));
    clock = new ManualClock(Date.now());
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  const file = (): string => nodePath.join(folder, 'a.lock');

  const left = async (more: object): Promise<void> => {
    const text = JSON.stringify({ host: os.hostname(), pid: process.pid, at: clock.now(), mark: 'other', ...more });
    await fs.writeFile(file(), text);
  };

  const isFree = async (): Promise<boolean> => (await FileLock.take(file(), clock)) !== undefined;

  it('is held by one, names machine and process, and is free again when it is released', async () => {
    const lock = await FileLock.take(file(), clock);
    assert.ok(lock);
    const { host, pid } = JSON.parse(await fs.readFile(file(), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([host, pid], [os.hostname(), process.pid]);
    assert.equal(await isFree(), false);
    await lock.release();
    assert.deepEqual(await fs.readdir(folder), []);
    assert.equal(await isFree(), true);
  });

  it('is not brought back by a renewal that was under way when the process let it go at its end', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const lock = await FileLock.take(file(), clock);
      assert.ok(lock);
      await clock.pass(3_000);
      for (let waits = 0; waits < turn; waits += 1) await new Promise(setImmediate);
      lock.dispose();
      await eventually(async () => ((await fs.readdir(folder)).length === 0 ? true : undefined));
    }
  });

  it('goes stale after ten seconds, whoever has it', async () => {
    await left({ host: 'another-machine' });
    await clock.pass(9_999);
    assert.equal(await isFree(), false);
    await clock.pass(1);
    assert.equal(await isFree(), true);
  });

  it('does not go stale as long as it is renewed', async () => {
    const lock = await FileLock.take(file(), clock);
    for (let turn = 0; turn < 5; turn += 1) {
      await clock.pass(3_000);
      const renewed = async (): Promise<true | undefined> => {
        const { at } = JSON.parse(await fs.readFile(file(), 'utf8')) as { at: number };
        return at === clock.now() ? true : undefined;
      };
      await eventually(renewed);
    }
    assert.equal(await isFree(), false);
    await lock?.release();
    assert.deepEqual(await fs.readdir(folder), []);
  });

  it('is free at once when the process of this machine that had it is gone', async () => {
    await left({ pid: 2 ** 22 + 1 });
    assert.equal(await isFree(), true);
  });

  it('is not free while what it holds is still being written', async () => {
    await fs.writeFile(file(), '');
    assert.equal(await isFree(), false);
  });

  it('leaves the lock of another alone when its own has been taken over', async () => {
    const lock = await FileLock.take(file(), clock);
    await left({});
    await lock?.release();
    assert.match(await fs.readFile(file(), 'utf8'), /"other"/);
  });

  it('is taken over by one of many who find it stale at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      await left({ mark: `round-${String(round)}`, at: 0 });
      const taken = await Promise.all(Array.from({ length: 8 }, () => FileLock.take(file(), clock)));
      const locks = taken.filter((lock) => lock !== undefined);
      assert.equal(locks.length, 1);
      await locks[0]?.release();
      assert.deepEqual(await fs.readdir(folder), []);
    }
  });

  it('tells its holder when another has taken it over meanwhile, and does not take it back', async () => {
    const lock = await FileLock.take(file(), clock);
    assert.ok(lock);
    let isLost = false;
    lock.onDidLose(() => (isLost = true));
    await left({});
    await clock.pass(3_000);
    await eventually(() => Promise.resolve(isLost || undefined));
    assert.match(await fs.readFile(file(), 'utf8'), /"other"/);
  });

  it('is let go before the program ends', async () => {
    const lock = await FileLock.take(file(), clock);
    lock?.dispose();
    assert.deepEqual(await fs.readdir(folder), []);
  });

  it('tells when it can be had', async () => {
    assert.equal(await FileLock.freeAt(file()), Number.NEGATIVE_INFINITY);
    await left({ host: 'another-machine' });
    assert.equal(await FileLock.freeAt(file()), clock.now() + 10_000);
    await left({ pid: 2 ** 22 + 1 });
    assert.equal(await FileLock.freeAt(file()), Number.NEGATIVE_INFINITY);
  });

  it('lets through one after the other, and says when it took too long', async () => {
    let inside = 0;
    let most = 0;
    const act = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => underLock(file(), systemClock, act)));
    assert.equal(most, 1);
    const lock = await FileLock.take(file(), clock);
    const refused = assert.rejects(underLock(file(), clock, act), /for too long/);
    const over = refused.then(() => true);
    await eventually(async () => {
      await clock.pass(1_000);
      return await Promise.race([over, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
    });
    await lock?.release();
  });
});
