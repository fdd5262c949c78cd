import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { formatRecord } from '../../../src/core/transfers/recordFiles.ts';
import { withState } from '../../../src/core/model/transferModel.ts';
import type { Clock } from '../../../src/core/util/clock.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { mapConcurrently } from '../../../src/core/util/concurrentCalls.ts';
import { countFileCalls } from '../../support/fileCalls.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { bySize } from '../../support/testSize.ts';
import { submittingTransfer } from './specimens.ts';

const count = 3;

describe('The index of the transfers that ended last (D48)', () => {
  let folder: string;
  let log: MemoryLog;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'last-ended-'));
    await mkdir(join(folder, 'ended'));
    log = new MemoryLog();
    clock = new ManualClock(Date.now() + 60_000);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const path = (...names: readonly string[]): string => join(folder, ...names);
  const newWindow = (): TransferLedger => new TransferLedger(folder, log, clock);
  const end = (key: string): ReturnType<TransferLedger['write']> =>
    newWindow().write(withState({ ...submittingTransfer, key }, 'failed', 2));
  const list = async (window = newWindow()): Promise<readonly string[]> =>
    (await window.loadLastEnded(count)).transfers.map(({ key }) => key);
  const readIndex = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(path('lastEnded.json'), 'utf8')) as Record<string, unknown>;

  /** Writes a record as a version without an index does. Sets the record's modification time to `minute`, if given. */
  const writeUnindexed = async (key: string, minute?: number): Promise<void> => {
    const file = path('ended', `${key}.json`);
    await writeFile(file, formatRecord(withState({ ...submittingTransfer, key }, 'failed', 2)));
    if (minute !== undefined) await utimes(file, minute * 60, minute * 60);
  };
  const writeAll = async (total: number): Promise<void> => {
    const keys = Array.from({ length: total }, (_, index) => index);
    await mapConcurrently(keys, 32, (index) => writeUnindexed(`key-${String(index)}`, index));
  };

  it('makes the list of thousands take no more calls than that of a few', async () => {
    await writeAll(count);
    const calls = await countFileCalls(() => list());
    await writeAll(bySize(2_000, 20_000));
    const scanned = await list();
    const window = newWindow();
    assert.ok((await countFileCalls(() => list(window))) <= calls);
    assert.deepEqual(await list(), scanned);
    await end('new');
    assert.ok((await countFileCalls(() => list(window))) <= calls, 'nor after another transfer has ended');
    assert.deepEqual(await list(), ['new', ...scanned.slice(0, 2)]);
    assert.equal((await window.loadLastEnded(count)).hasMore, true);
  });

  it('follows the transfers that end in several windows, and any that is written again', async () => {
    await writeAll(5);
    assert.deepEqual(await list(), ['key-4', 'key-3', 'key-2']);
    const windows = [newWindow(), newWindow()];
    for (const [index, window] of [...windows, ...windows].entries())
      await window.write(withState({ ...submittingTransfer, key: `new-${String(index)}` }, 'failed', 2));
    assert.deepEqual(await list(), ['new-3', 'new-2', 'new-1']);
    await newWindow().write({ ...withState({ ...submittingTransfer, key: 'new-2' }, 'failed', 2), id: 'late' });
    assert.deepEqual(await list(), ['new-2', 'new-3', 'new-1']);
    assert.deepEqual((await readIndex())['keys'], ['new-2', 'new-3', 'new-1']);
  });

  it("isn't used after a window of version 0.1 has written a record", async () => {
    await writeAll(5);
    await list();
    await writeUnindexed('of-version-0.1');
    assert.deepEqual(await list(), ['of-version-0.1', 'key-4', 'key-3']);
    await writeUnindexed('of-version-0.1');
    await end('new');
    assert.deepEqual(await list(), ['new', 'of-version-0.1', 'key-4']);
  });

  it("isn't used after transfers were removed or restored", async () => {
    await writeAll(6);
    await list();
    await newWindow().remove(['key-5', 'key-3']);
    assert.deepEqual(await list(), ['key-4', 'key-2', 'key-1']);
    await newWindow().restore(['key-5']);
    assert.deepEqual(await list(), ['key-5', 'key-4', 'key-2']);
  });

  it('is replaced if it is missing, damaged, or names transfers without a record', async () => {
    await writeAll(5);
    const listed = await list();
    const { changedAt } = await readIndex();
    const wrong = [
      '',
      '{"chan',
      '[]',
      '{"changedAt":1}',
      JSON.stringify({ changedAt, keys: 'key-1' }),
      JSON.stringify({ changedAt, keys: [1, 2, 3] }),
      JSON.stringify({ changedAt, keys: ['gone', 'key-1', 'key-2'] }),
    ];
    for (const text of wrong) {
      await writeFile(path('lastEnded.json'), text);
      assert.deepEqual(await list(), listed, text);
      assert.deepEqual(await readIndex(), { changedAt, keys: listed }, text);
    }
    await rm(path('lastEnded.json'));
    assert.deepEqual(await list(), listed);
    assert.deepEqual(log.lines, []);
  });

  it("doesn't make the ledger read or move files outside its folder", async () => {
    await writeAll(5);
    const listed = await list();
    await writeFile(path('outside.json'), 'no record');
    const { changedAt } = await readIndex();
    await writeFile(path('lastEnded.json'), JSON.stringify({ changedAt, keys: ['../outside', 'key-1', 'key-2'] }));
    assert.deepEqual(await list(), listed);
    assert.equal(await readFile(path('outside.json'), 'utf8'), 'no record');
    assert.deepEqual(log.lines, []);
  });

  it("isn't written while the folder may still change within the same tick of its clock", async () => {
    await writeAll(5);
    clock = new ManualClock((await stat(path('ended'))).mtimeMs + 1_000);
    assert.deepEqual(await list(), ['key-4', 'key-3', 'key-2']);
    await assert.rejects(readIndex());
    clock.sleep(2_000);
    await list();
    assert.deepEqual((await readIndex())['keys'], ['key-4', 'key-3', 'key-2']);
  });

  it("isn't used on a network file system, where a change is noticed late (D30)", async () => {
    await writeAll(5);
    await list();
    const { statfsSync } = fs;
    const install = (replacement: unknown): void => {
      Object.assign(fs, { statfsSync: replacement });
      syncBuiltinESMExports();
    };
    install(() => ({ type: 0x6969 }));
    try {
      await writeFile(
        path('lastEnded.json'),
        (await readFile(path('lastEnded.json'), 'utf8')).replace('key-4', 'key-0'),
      );
      assert.deepEqual(await list(), ['key-4', 'key-3', 'key-2']);
      await end('new');
      assert.deepEqual((await readIndex())['keys'], ['key-0', 'key-3', 'key-2']);
    } finally {
      install(statfsSync);
    }
  });

  it("changes nothing if it can't be written", async () => {
    await mkdir(path('lastEnded.json'));
    await writeAll(5);
    assert.deepEqual(await list(), ['key-4', 'key-3', 'key-2']);
    await end('new');
    assert.deepEqual(await list(), ['new', 'key-4', 'key-3']);
    assert.deepEqual(log.lines, []);
  });

  it("doesn't prevent the end of a transfer from being written while another window is stuck", async () => {
    await writeAll(5);
    await list();
    const lock = await FileLock.acquire(path('lastEnded.json.lock'), new ManualClock(clock.now() + 3_600_000));
    let reads = 0;
    const passing: Clock = { now: () => clock.now() + 100 * reads++, after: (ms, call) => clock.after(ms, call) };
    const window = new TransferLedger(folder, log, passing);
    await window.write(withState({ ...submittingTransfer, key: 'new' }, 'failed', 2));
    assert.deepEqual(await list(), ['new', 'key-4', 'key-3']);
    await lock?.release();
  });

  it("rejects if the record can't be written, and lists the others", async () => {
    await writeAll(5);
    await list();
    const clear = fillDisk(path('ended'));
    await assert.rejects(end('new').finally(clear), { code: 'ENOSPC' });
    assert.deepEqual(await list(), ['key-4', 'key-3', 'key-2']);
    await end('new');
    assert.deepEqual(await list(), ['new', 'key-4', 'key-3']);
  });

  it('lists what two processes ended at the same time', async () => {
    await writeAll(5);
    await list();
    const program = join(import.meta.dirname, '../../support/endedWriter.ts');
    const writers = ['left', 'right'].map((side) => fork(program, [folder, side], { stdio: 'ignore' }));
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    assert.deepEqual(codes, [0, 0]);
    const { changedAt } = await readIndex();
    assert.equal(changedAt, (await stat(path('ended'))).mtimeMs, 'the index has followed all changes');
    const listed = await list();
    await rm(path('lastEnded.json'));
    assert.deepEqual([...listed].sort(), [...(await list())].sort());
  });
});
