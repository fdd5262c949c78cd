import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { StartLock } from '../../../src/host/sharing/startLock.ts';
import { compareVersions } from '../../../src/host/sharing/serviceRecord.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('The lock under which the local service is started (D30)', () => {
  let folder: string;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-lock-'));
    clock = new ManualClock(Date.now());
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  const file = (): string => nodePath.join(folder, 'start.lock');

  const left = async (more: object): Promise<void> => {
    const text = JSON.stringify({ host: os.hostname(), pid: process.pid, at: clock.now(), mark: 'other', ...more });
    await fs.writeFile(file(), text);
  };

  const isFree = async (): Promise<boolean> => (await StartLock.take(folder, clock)) !== undefined;

  it('is held by one, names machine and process, and is free again when it is released', async () => {
    const lock = await StartLock.take(folder, clock);
    assert.ok(lock);
    const { host, pid } = JSON.parse(await fs.readFile(file(), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([host, pid], [os.hostname(), process.pid]);
    assert.equal(await isFree(), false);
    await lock.release();
    assert.deepEqual(await fs.readdir(folder), []);
    assert.equal(await isFree(), true);
  });

  it('goes stale after ten seconds, whoever has it', async () => {
    await left({ host: 'another-machine' });
    await clock.pass(9_999);
    assert.equal(await isFree(), false);
    await clock.pass(1);
    assert.equal(await isFree(), true);
  });

  it('does not go stale as long as it is renewed', async () => {
    const lock = await StartLock.take(folder, clock);
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
    const lock = await StartLock.take(folder, clock);
    await left({});
    await lock?.release();
    assert.match(await fs.readFile(file(), 'utf8'), /"other"/);
  });
});

describe('Versions of the local service', () => {
  const rows: [one: string, other: string, order: number][] = [
    ['0.1.0', '0.1.0', 0],
    ['0.1.0', '0.2.0', -1],
    ['0.10.0', '0.9.9', 1],
    ['1.0', '1.0.1', -1],
    ['2.0.0', '1.9.9', 1],
  ];
  for (const [one, other, order] of rows) {
    it(`${one} beside ${other} is ${['older', 'the same', 'newer'][order + 1] ?? ''}`, () => {
      assert.equal(Math.sign(compareVersions(one, other)), order);
    });
  }
});
