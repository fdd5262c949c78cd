import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoticeClaims } from '../../../src/core/ledger/noticeClaims.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('Claims of what is told', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const window = (): NoticeClaims => new NoticeClaims(folder, systemClock, new MemoryLog());

  it('are had by one of many windows, once', async () => {
    const windows = Array.from({ length: 20 }, window);
    const taken = await Promise.all(windows.map((one) => one.take('k ended')));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal(await window().take('k ended'), false);
    assert.equal(await window().take('k not confirmed'), true);
  });

  it('are had by everyone where they cannot be written: twice told is better than never', async () => {
    await writeFile(join(folder, 'told'), 'a file where the folder should be');
    const log = new MemoryLog();
    assert.equal(await new NoticeClaims(folder, systemClock, log).take('k ended'), true);
    assert.match(log.lines.join(), /^debug Windows cannot agree on which of them tells of a transfer: Error: E/);
  });

  it('are no trouble where nothing was ever told', async () => {
    const log = new MemoryLog();
    assert.equal(await new NoticeClaims(folder, systemClock, log).take('k ended'), true);
    assert.deepEqual(log.lines, []);
  });

  it('are thrown away after a day', async () => {
    await window().take('old');
    await window().take('of yesterday');
    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
    await utimes(join(folder, 'told', 'old'), hoursAgo(25), hoursAgo(25));
    await utimes(join(folder, 'told', 'of%20yesterday'), hoursAgo(23), hoursAgo(23));
    await window().take('new');
    const left = await eventually(async () => {
      const names = await readdir(join(folder, 'told'));
      return names.includes('old') ? undefined : names;
    });
    assert.deepEqual(left.sort(), ['new', 'of%20yesterday']);
  });
});
