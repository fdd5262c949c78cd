import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { openLedgerLocation } from '../../../src/extension/editor/ledgerLocation.ts';
import { dataHomeVariables, getLedgerIn } from '../../support/dataHome.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { load, summarize, withKey } from './ledgerSpecimens.ts';

describe('A repeated import into the shared records (D63)', () => {
  let folder: string;
  let own: string;
  let shared: string;
  let log: MemoryLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'repeated-import-'));
    [own, shared] = [join(folder, 'storage', 'transfers'), getLedgerIn(join(folder, 'home'))];
    log = new MemoryLog();
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  /** Imports the records as an opening window does. Returns the shared ledger. */
  const open = async (): Promise<TransferLedger> => {
    const location = await openLedgerLocation(join(folder, 'storage'), dataHomeVariables(join(folder, 'home')));
    assert.equal(location.folder, shared);
    return new TransferLedger(location.folder, log, systemClock, location.alias);
  };
  /** Makes the records in the editor's storage look as if they had been written or removed hours ago. */
  const makeOld = async (): Promise<void> => {
    const files = await readdir(own, { recursive: true });
    const hoursAgo = Date.now() / 1000 - 4 * 3600;
    for (const file of files.filter((name) => name.endsWith('.json')))
      await utimes(join(own, file), hoursAgo, hoursAgo);
  };

  it('receives records that a window of an earlier version writes', async () => {
    const earlier = new TransferLedger(own, log);
    await Promise.all(['a', 'b', 'c'].map((key) => earlier.write(withKey(key))));
    const ledger = await open();
    await earlier.write(withKey('a', 'succeeded'));
    await earlier.write(withKey('new'));
    await earlier.remove(['b']);
    await open();
    assert.deepEqual(summarize(await ledger.loadRunning()), ['c active', 'new active']);
    assert.deepEqual(summarize(await ledger.loadEnded()), ['a succeeded']);
    assert.deepEqual(summarize(await ledger.loadRemoved()), ['b active']);
  });

  it('receives a transfer that a window of an earlier version restored', async () => {
    const earlier = new TransferLedger(own, log);
    await Promise.all(['a', 'b'].map((key) => earlier.write(withKey(key, 'failed'))));
    await earlier.remove(['a', 'b']);
    await makeOld();
    const ledger = await open();
    await earlier.restore(['a']);
    await open();
    assert.deepEqual(summarize(await ledger.loadEnded()), ['a failed']);
    assert.deepEqual(summarize(await ledger.loadRemoved()), ['b failed']);
  });

  it('does not receive a transfer again that was removed and purged meanwhile', async () => {
    const earlier = new TransferLedger(own, log);
    await earlier.write(withKey('a', 'failed'));
    const ledger = await open();
    await ledger.remove(['a']);
    await rm(join(shared, 'removed', 'a.json'));
    await earlier.write(withKey('b', 'failed'));
    await open();
    assert.deepEqual(summarize(await load(ledger)), ['b failed']);
  });

  it('does not receive purged transfers again while one record cannot be read', async () => {
    await new TransferLedger(own, log).write(withKey('a'));
    await mkdir(join(own, 'running', 'bad.json'));
    const ledger = await open();
    await ledger.remove(['a']);
    await rm(join(shared, 'removed', 'a.json'));
    await rm(join(own, 'running', 'bad.json'), { recursive: true });
    await new TransferLedger(own, log).write(withKey('bad'));
    await open();
    assert.deepEqual(summarize(await load(ledger)), ['bad active']);
  });

  it('does not remove a transfer again that was restored meanwhile', async () => {
    const earlier = new TransferLedger(own, log);
    await earlier.write(withKey('a', 'failed'));
    await earlier.remove(['a']);
    const ledger = await open();
    await ledger.restore(['a']);
    await earlier.write(withKey('b', 'failed'));
    await open();
    assert.deepEqual(summarize(await ledger.loadEnded()), ['a failed', 'b failed']);
  });
});
