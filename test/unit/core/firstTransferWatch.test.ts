import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FirstTransferWatch } from '../../../src/core/transfers/recordFolders.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('Watching for the first transfer', () => {
  let parent: string;
  let ledger: string;
  let running: string;
  let clock: ManualClock;
  let first: FirstTransferWatch;
  let calls: number;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'first-'));
    ledger = join(parent, 'ledger');
    await mkdir(ledger);
    running = join(ledger, 'running');
    clock = new ManualClock();
    calls = 0;
    first = new FirstTransferWatch(ledger, clock, () => calls++);
  });
  afterEach(async () => {
    first.dispose();
    await rm(parent, { recursive: true });
  });

  const isCalled = (): Promise<unknown> => eventually(() => Promise.resolve(calls > 0 || undefined));

  it('calls back immediately if a transfer is running, and never again', async () => {
    await mkdir(running);
    await writeFile(join(running, 'one.json'), '{}');
    await first.start();
    assert.equal(calls, 1);
    await first.start();
    assert.equal(calls, 1);
  });

  it('calls back when another window writes a record', async () => {
    await mkdir(running);
    await mkdir(join(ledger, 'ended'));
    await writeFile(join(ledger, 'ended', 'two.json'), '{}');
    await writeFile(join(running, 'one.json.x.part'), '{}');
    await first.start();
    assert.equal(calls, 0);
    await rename(join(running, 'one.json.x.part'), join(running, 'one.json'));
    await isCalled();
  });

  it("checks every five seconds if the system doesn't report changes", async () => {
    await rm(ledger, { recursive: true });
    await writeFile(ledger, 'a file where the folder should be');
    await first.start();
    assert.equal(clock.waitingCount, 1);
    await rm(ledger);
    await mkdir(running, { recursive: true });
    await writeFile(join(running, 'one.json'), '{}');
    await clock.pass(5_000);
    await isCalled();
    assert.equal(clock.waitingCount, 0);
  });

  it("doesn't call back after it is disposed", async () => {
    await mkdir(running);
    await writeFile(join(running, 'one.json'), '{}');
    const started = first.start();
    first.dispose();
    await started;
    assert.equal(calls, 0);
  });
});
