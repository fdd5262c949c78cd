import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLocalConnectionId, getMachine } from '../../../src/core/model/connection.ts';
import { getUserLedgerFolder } from '../../../src/core/transfers/recordFolders.ts';
import { PollingLease } from '../../../src/core/transfers/pollingLease.ts';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { openLedgerLocation, type LedgerLocation } from '../../../src/extension/editor/ledgerLocation.ts';
import { localConnectionId } from '../../../src/extension/editor/machine.ts';
import { dataHomeVariables, getLedgerIn } from '../../support/dataHome.ts';
import { eventually } from '../../support/eventually.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { importProgram } from '../../support/importProcess.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { SeededRandom } from '../../support/random.ts';
import * as version01 from '../../support/version01.ts';
import { running } from '../core/specimens.ts';
import { load, summarize, withKey } from './ledgerSpecimens.ts';

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

describe('The folder of transfer records that all windows share (D63)', () => {
  let folder: string;
  let home: string;
  let storage: string;
  let own: string;
  let shared: string;
  let log: MemoryLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-location-'));
    [home, storage] = [join(folder, 'home'), join(folder, 'storage')];
    [own, shared] = [join(storage, 'transfers'), getLedgerIn(home)];
    log = new MemoryLog();
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const open = (storageFolder = storage): Promise<LedgerLocation> =>
    openLedgerLocation(storageFolder, dataHomeVariables(home));
  const getMessages = (location: LedgerLocation): readonly string[] => {
    const messages = new MemoryLog();
    location.log.writeTo(messages);
    return messages.lines;
  };
  const openLedger = ({ folder: ledgerFolder, alias }: LedgerLocation): TransferLedger =>
    new TransferLedger(ledgerFolder, log, systemClock, alias);
  const installVersion01 = (): Promise<void> =>
    version01.installStorage({ server: 'http://127.0.0.1:9', home, storage });

  it('is a folder of the data directory, and nothing is in the storage of a new editor', async () => {
    const location = await open();
    assert.deepEqual([location.folder, getMessages(location)], [shared, []]);
    await assert.rejects(readdir(storage));
  });

  it('receives a copy of every record of version 0.1 once, in the original order', async () => {
    await installVersion01();
    const before = await load(new TransferLedger(own, log));
    const lastBefore = await new TransferLedger(own, log).loadLastEnded(3);
    const files = await readdir(own, { recursive: true });
    const location = await open();
    assert.equal(location.folder, shared);
    assert.equal(before.length, 10);
    assert.deepEqual(await load(openLedger(location)), before);
    assert.deepEqual(await openLedger(location).loadLastEnded(3), lastBefore);
    assert.deepEqual((await readdir(own, { recursive: true })).sort(), files.toSorted());
    assert.deepEqual(getMessages(await open()), []);
    assert.deepEqual(summarize(await load(openLedger(location))), summarize(before));
    assert.deepEqual(log.lines, []);
  });

  it('receives them once from windows that open simultaneously', async () => {
    await installVersion01();
    const before = summarize(await load(new TransferLedger(own, log)));
    const locations = await Promise.all([open(), open(), open()]);
    for (const location of locations) assert.deepEqual(summarize(await load(openLedger(location))), before);
    assert.ok(locations.some((location) => getMessages(location).length > 0));
  });

  it(`receives all of them after imports were killed (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const ledger = new TransferLedger(own, log);
    const all = Array.from({ length: 150 }, (_, index) => withKey(`t${index}`, index % 2 === 0 ? 'active' : 'failed'));
    await Promise.all(all.map((transfer) => ledger.write(transfer)));
    for (let round = 0; round < 4; round += 1) {
      const importing = spawn(process.execPath, [importProgram, own, shared], { stdio: 'ignore' });
      const exited = once(importing, 'exit');
      await eventually(async () => ((await readdir(shared).catch(() => [])).length > 0 ? true : undefined));
      await wait(systemClock, random.below(40));
      importing.kill('SIGKILL');
      await exited;
    }
    assert.deepEqual(summarize(await load(openLedger(await open()))), summarize(all));
    assert.deepEqual(log.lines, []);
  });

  it('receives all of them again after it was deleted', async () => {
    await installVersion01();
    const before = summarize(await load(openLedger(await open())));
    await rm(shared, { recursive: true });
    assert.deepEqual(summarize(await load(openLedger(await open()))), before);
  });

  it('does not receive removed records again after the use of another data directory', async () => {
    await new TransferLedger(own, log).write(withKey('old'));
    const ledger = openLedger(await open());
    await openLedgerLocation(storage, dataHomeVariables(join(folder, 'other')));
    await ledger.remove(['old']);
    await rm(join(shared, 'removed'), { recursive: true });
    assert.deepEqual(summarize(await load(openLedger(await open()))), []);
  });

  it('receives the other records if one cannot be read, and tries that again later', async () => {
    await new TransferLedger(own, log).write(withKey('good'));
    await mkdir(join(own, 'running', 'bad.json'));
    const location = await open();
    assert.equal(location.folder, shared);
    assert.match(getMessages(location).join('\n'), /The record bad could not be imported: EISDIR/);
    assert.deepEqual(summarize(await openLedger(location).loadRunning()), ['good active']);
  });

  it('is not inside the revision folder of a snap, which other terminals do not use', () => {
    const ofSnap = { SNAP_USER_DATA: '/home/me/snap/code/1', XDG_DATA_HOME: '/home/me/snap/code/1/.local/share' };
    const usual = getUserLedgerFolder({}, 'linux');
    assert.equal(getUserLedgerFolder(ofSnap, 'linux'), usual);
    assert.match(getUserLedgerFolder({ ...ofSnap, XDG_DATA_HOME_VSCODE_SNAP_ORIG: '/data' }, 'linux'), /^\/data\//);
    assert.match(getUserLedgerFolder({ ...ofSnap, XDG_DATA_HOME: '/data' }, 'linux'), /^\/data\//);
  });

  it('is not used while its disk is full, and later receives the records that the window wrote meanwhile', async () => {
    await installVersion01();
    const before = summarize(await load(new TransferLedger(own, log)));
    const makeRoom = fillDisk(home);
    const full = await open().finally(makeRoom);
    assert.equal(full.folder, own);
    assert.match(getMessages(full).join('\n'), /can't be used.*ENOSPC/);
    await openLedger(full).write(withKey('meanwhile'));
    const location = await open();
    assert.equal(location.folder, shared);
    assert.deepEqual(summarize(await load(openLedger(location))), [...before, 'meanwhile active'].sort());
  });

  it("is not used if it can't be created, and the reason is logged", async () => {
    await writeFile(home, 'no folder');
    const location = await open();
    assert.deepEqual([location.folder, location.alias], [own, undefined]);
    assert.match(getMessages(location).join('\n'), /^warn The shared transfer records can't be used; .*: Error: E\w+/);
  });

  it('is still used after an import if its disk is full, because the records in the storage are outdated', async () => {
    const earlier = new TransferLedger(own, log);
    await earlier.write(withKey('a'));
    await openLedger(await open()).write(withKey('a', 'succeeded'));
    await earlier.write(withKey('b'));
    const makeRoom = fillDisk(home);
    const full = await open().finally(makeRoom);
    assert.deepEqual(summarize(await load(openLedger(full))), ['a succeeded']);
    assert.match(
      getMessages(full).join('\n'),
      /^warn Could not access .*, or import the transfer records in .* into it: .*ENOSPC/,
    );
    assert.deepEqual(summarize(await load(openLedger(await open()))), ['a succeeded', 'b active']);
  });

  it('is not used if the system names no home folder', async () => {
    const { homedir } = os;
    const fail = (): never => {
      throw Object.assign(new Error('A system error occurred: uv_os_homedir'), { code: 'ERR_SYSTEM_ERROR' });
    };
    Object.assign(os, { homedir: fail });
    syncBuiltinESMExports();
    const location = await openLedgerLocation(storage, {}).finally(() => {
      Object.assign(os, { homedir });
      syncBuiltinESMExports();
    });
    assert.equal(location.folder, own);
    assert.match(getMessages(location).join('\n'), /can't be used.*uv_os_homedir/);
  });

  it('receives a submission only after an earlier window has its response (D12)', async () => {
    const earlier = new TransferLedger(own, log);
    await earlier.write(withKey('sent', 'submitting'));
    await mkdir(join(own, 'submitting'));
    const pending = await FileLock.acquire(join(own, 'submitting', 'sent.lock'), systemClock);
    const ledger = openLedger(await open());
    assert.deepEqual(await load(ledger), []);
    await earlier.write(withKey('sent', 'accepted'));
    await pending?.release();
    await open();
    assert.deepEqual(summarize(await load(ledger)), ['sent accepted']);
  });

  it('receives a record of a later version unchanged', async () => {
    await mkdir(join(own, 'running'), { recursive: true });
    await writeFile(join(own, 'running', 'x.json'), '{"version":9}');
    await open();
    assert.equal(await readFile(join(shared, 'running', 'x.json'), 'utf8'), '{"version":9}');
  });

  it('does not replace a record of a later version with an earlier copy', async () => {
    for (const [ledger, text] of [
      [own, '{"version":9}'],
      [shared, '{"version":9,"state":"later"}'],
    ] as const) {
      await mkdir(join(ledger, 'running'), { recursive: true });
      await writeFile(join(ledger, 'running', 'x.json'), text);
    }
    await open();
    assert.equal(await readFile(join(shared, 'running', 'x.json'), 'utf8'), '{"version":9,"state":"later"}');
  });

  it('keeps the local services of the machines of a shared home apart (D29)', async () => {
    const machines = ['one', 'two'].map(getLocalConnectionId);
    for (const connectionId of machines)
      await new TransferLedger(own, log).write({ ...withKey(connectionId), order: { ...running.order, connectionId } });
    const { folder: ledgerFolder } = await open();
    const stored = await new TransferLedger(ledgerFolder, log).loadRunning();
    for (const { key, order } of stored) {
      assert.match(order.connectionId, /^local@(one|two):[\da-f]{8}$/);
      assert.equal(getMachine(order.connectionId), getMachine(key));
    }
    assert.equal(stored.length, 2);
  });

  it('keeps the local services of two editors apart (D29)', async () => {
    const storages = [storage, join(folder, 'other')];
    const order = { ...running.order, connectionId: localConnectionId };
    for (const one of storages)
      await new TransferLedger(join(one, 'transfers'), log).write({ ...withKey(one.slice(folder.length + 1)), order });
    const locations = [await open(storages[0]), await open(storages[1])];
    for (const [at, location] of locations.entries()) {
      const transfers = await openLedger(location).loadRunning();
      const local = transfers.filter(({ order: { connectionId } }) => connectionId === localConnectionId);
      assert.deepEqual([transfers.length, local.map(({ key }) => key)], [2, [at === 0 ? 'storage' : 'other']]);
      for (const {
        order: { connectionId },
      } of transfers)
        assert.equal(getMachine(connectionId), getMachine(localConnectionId));
    }
    const leases = locations.map(
      ({ folder: ledgerFolder, alias }) =>
        new PollingLease({ folder: ledgerFolder, alias, clock: systemClock, log, hasFocus: () => false }),
    );
    for (const lease of leases) lease.setEligible(new Set([localConnectionId]), true);
    await eventually(() => Promise.resolve(leases.every((lease) => lease.hasLease(localConnectionId)) || undefined));
    for (const lease of leases) lease.dispose();
  });
});
