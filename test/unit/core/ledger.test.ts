import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { inState, type Transfer } from '../../../src/core/model/transfer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const order = { connectionId: 'c', orcid: '0000-0002-1825-0097', source: 'A', destination: 'B', files: [] };
const begun: Transfer = {
  key: 'one',
  order,
  createdAt: 1,
  state: 'submitting',
  changes: [{ state: 'submitting', at: 1 }],
};

describe('The ledger', () => {
  let folder: string;
  let log: MemoryLog;
  let ledger: TransferLedger;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    log = new MemoryLog();
    ledger = new TransferLedger(folder, log);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is empty where there is no folder yet', async () => {
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded(), await ledger.hasEnded()], [[], [], false]);
  });

  it('gives back what was written', async () => {
    await ledger.write(begun);
    assert.deepEqual(await new TransferLedger(folder, log).loadRunning(), [begun]);
  });

  it('keeps a transfer in one folder only, running or ended', async () => {
    const ended = inState(begun, 'failed', 2);
    await ledger.write(begun);
    await ledger.write(ended);
    assert.deepEqual([await ledger.loadRunning(), await ledger.loadEnded()], [[], [ended]]);
  });

  it('keeps the order of writes that were not waited for', async () => {
    const states = ['accepted', 'staging', 'active', 'finalizing'] as const;
    await Promise.all(states.map((state, at) => ledger.write(inState(begun, state, at))));
    assert.equal((await ledger.loadRunning())[0]?.state, 'finalizing');
  });

  it('sets a torn or foreign file aside, never deletes it, and says so in the log', async () => {
    await mkdir(join(folder, 'running'), { recursive: true });
    await writeFile(join(folder, 'running', 'torn.json'), '{"version":1,"tran');
    await writeFile(join(folder, 'running', 'later.json'), '{"version":99,"transfer":{}}');
    await ledger.write(begun);
    assert.deepEqual(await ledger.loadRunning(), [begun]);
    const aside = await readdir(join(folder, 'aside'));
    assert.deepEqual(aside.map((name) => name.replace(/^\d+-/, '')).sort(), ['later.json', 'torn.json']);
    assert.equal(log.lines.filter((line) => line.includes('set aside')).length, 2);
  });

  it('reads the others when one goes away, or cannot be read', async () => {
    await ledger.write(begun);
    await symlink(join(folder, 'gone'), join(folder, 'running', 'gone.json'));
    await mkdir(join(folder, 'running', 'folder.json'));
    assert.deepEqual(await ledger.loadRunning(), [begun]);
    assert.deepEqual(
      log.lines.map((line) => line.split(':')[0]),
      ['error The record folder.json of a transfer could not be read'],
    );
  });

  it('leaves no half file when it cannot write', async () => {
    await writeFile(join(folder, 'running'), 'a file where the folder should be');
    await assert.rejects(ledger.write(begun));
    assert.equal(await readFile(join(folder, 'running'), 'utf8'), 'a file where the folder should be');
  });

  it('forgets what is removed', async () => {
    await ledger.write(begun);
    await ledger.remove(['one', 'never there']);
    assert.deepEqual(await ledger.loadRunning(), []);
  });
});
