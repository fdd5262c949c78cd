import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { FileLock, runUnderLock } from '../../../src/core/util/fileLock.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

/** A script that is killed while it acquires a lock, after creating the lock file but before writing its content. */
const killedWhileAcquiring = `
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { open, writeFile } = fs;
  const kill = () => process.kill(process.pid, 'SIGKILL');
  fs.open = async (...options) => Object.assign(await open(...options), { writeFile: kill });
  fs.writeFile = async (path, text, options) => { await writeFile(path, '', options); kill(); };
  syncBuiltinESMExports();
  const [, file, lockModule, clockModule] = process.argv;
  const { FileLock } = await import(lockModule);
  const { systemClock } = await import(clockModule);
  await FileLock.acquire(file, systemClock);
`;

describe('The file lock (D30)', () => {
  let folder: string;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-lock-'));
    clock = new ManualClock(Date.now());
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  const file = (): string => nodePath.join(folder, 'a.lock');

  const writeLock = async (more: object): Promise<void> => {
    const text = JSON.stringify({ host: os.hostname(), pid: process.pid, at: clock.now(), mark: 'other', ...more });
    await fs.writeFile(file(), text);
  };

  const isFree = async (): Promise<boolean> => (await FileLock.acquire(file(), clock)) !== undefined;

  it('is held by one process, records machine and process, and is free after its release', async () => {
    const lock = await FileLock.acquire(file(), clock);
    assert.ok(lock);
    const { host, pid } = JSON.parse(await fs.readFile(file(), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([host, pid], [os.hostname(), process.pid]);
    assert.equal(await isFree(), false);
    await lock.release();
    assert.deepEqual(await fs.readdir(folder), []);
    assert.equal(await isFree(), true);
  });

  it("isn't restored by a renewal that runs while the process disposes of it", async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const lock = await FileLock.acquire(file(), clock);
      assert.ok(lock);
      await clock.pass(3_000);
      for (let waits = 0; waits < turn; waits += 1) await new Promise(setImmediate);
      lock.dispose();
      await eventually(async () => ((await fs.readdir(folder)).length === 0 ? true : undefined));
      // Waits for a renewal that is still running, and would otherwise write to the folder while it is deleted.
      await lock.release();
    }
  });

  it('goes stale after ten seconds, for any holder', async () => {
    await writeLock({ host: 'another-machine' });
    await clock.pass(9_999);
    assert.equal(await isFree(), false);
    await clock.pass(1);
    assert.equal(await isFree(), true);
  });

  it("doesn't go stale while it is renewed", async () => {
    const lock = await FileLock.acquire(file(), clock);
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

  it('is free immediately when its process on this machine has ended', async () => {
    await writeLock({ pid: 2 ** 22 + 1 });
    assert.equal(await isFree(), true);
  });

  it('is not free before it is stale if its process is in another container', async () => {
    await writeLock({ pid: 2 ** 22 + 1, namespaces: { pid: 'pid:[1]', net: 'net:[1]' } });
    assert.equal((await FileLock.acquire(file(), clock)) === undefined, process.platform === 'linux');
  });

  it('is free immediately if a process was killed while it acquired the lock', async () => {
    const modules = ['fileLock', 'clock'].map((name) => import.meta.resolve(`../../../src/core/util/${name}.ts`));
    const options = ['--input-type=module', '--eval', killedWhileAcquiring, '--', file(), ...modules];
    const child = spawn(process.execPath, options, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.notEqual(code, 0, 'the process was killed');
    assert.equal((await fs.readdir(folder)).length, 1, 'it has created a file');
    assert.equal(await isFree(), true);
  });

  it('is held by one process on a file system without hard links', async () => {
    const { link } = fs;
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    Object.assign(fs, { link: refuse });
    syncBuiltinESMExports();
    try {
      const taken = await Promise.all(Array.from({ length: 8 }, () => FileLock.acquire(file(), clock)));
      const [lock, ...others] = taken.filter((one) => one !== undefined);
      assert.equal(others.length, 0);
      assert.deepEqual(await fs.readdir(folder), ['a.lock']);
      await lock?.release();
    } finally {
      Object.assign(fs, { link });
      syncBuiltinESMExports();
    }
    assert.deepEqual(await fs.readdir(folder), []);
  });

  it("isn't free while its file is still empty", async () => {
    await fs.writeFile(file(), '');
    assert.equal(await isFree(), false);
  });

  it("doesn't release the lock of another process that took it over", async () => {
    const lock = await FileLock.acquire(file(), clock);
    await writeLock({});
    await lock?.release();
    assert.match(await fs.readFile(file(), 'utf8'), /"other"/);
  });

  it('is taken over by exactly one of many processes that find it stale', async () => {
    for (let round = 0; round < 20; round += 1) {
      await writeLock({ mark: `round-${String(round)}`, at: 0 });
      const taken = await Promise.all(Array.from({ length: 8 }, () => FileLock.acquire(file(), clock)));
      const locks = taken.filter((lock) => lock !== undefined);
      assert.equal(locks.length, 1);
      await locks[0]?.release();
      assert.deepEqual(await fs.readdir(folder), []);
    }
  });

  it("notifies its holder of a takeover, and doesn't take it back", async () => {
    const lock = await FileLock.acquire(file(), clock);
    assert.ok(lock);
    let isLost = false;
    lock.onDidLose = () => (isLost = true);
    await writeLock({});
    await clock.pass(3_000);
    await eventually(() => Promise.resolve(isLost || undefined));
    assert.match(await fs.readFile(file(), 'utf8'), /"other"/);
  });

  it('is released synchronously by dispose', async () => {
    const lock = await FileLock.acquire(file(), clock);
    lock?.dispose();
    assert.deepEqual(await fs.readdir(folder), []);
  });

  it('returns when it will be free', async () => {
    assert.equal(await FileLock.getFreeAt(file()), Number.NEGATIVE_INFINITY);
    await writeLock({ host: 'another-machine' });
    assert.equal(await FileLock.getFreeAt(file()), clock.now() + 10_000);
    await writeLock({ pid: 2 ** 22 + 1 });
    assert.equal(await FileLock.getFreeAt(file()), Number.NEGATIVE_INFINITY);
  });

  it('runs one action at a time, and rejects after waiting too long', async () => {
    let inside = 0;
    let most = 0;
    const act = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => runUnderLock(file(), systemClock, act)));
    assert.equal(most, 1);
    const lock = await FileLock.acquire(file(), clock);
    const refused = assert.rejects(runUnderLock(file(), clock, act), /for too long/);
    const whenRejected = refused.then(() => true);
    await eventually(async () => {
      await clock.pass(1_000);
      return await Promise.race([whenRejected, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
    });
    await lock?.release();
  });

  it('does not report completed work as failed if the lock file cannot be deleted', async () => {
    const away = `${file()}.away`;
    const act = async (): Promise<string> => {
      await fs.rename(file(), away);
      await fs.mkdir(file());
      return 'done';
    };
    assert.equal(await runUnderLock(file(), systemClock, act), 'done');
  });
});
