import assert from 'node:assert/strict';
import { Freshness } from '../../../src/service/catalog/folderChanges.ts';
import { ManualClock } from '../../support/manualClock.ts';

const hourMs = 3_600_000;

describe('The freshness of a scanned folder', () => {
  let clock: ManualClock;
  let freshness: Freshness;
  beforeEach(() => {
    clock = new ManualClock();
    freshness = new Freshness(clock);
  });

  const recordScan = (tookMs: number): void => freshness.recordScan(tookMs, { identity: 'folder', isRemote: false });

  it('lasts twenty times as long as a slow scan took', () => {
    recordScan(hourMs);
    clock.sleep(20 * hourMs - 1);
    assert.equal(freshness.isStale(false), false);
    clock.sleep(1);
    assert.equal(freshness.isStale(false), true);
  });

  it('lasts no more than a day, even if the machine slept during the scan', () => {
    recordScan(60 * hourMs);
    clock.sleep(24 * hourMs - 1);
    assert.equal(freshness.isStale(false), false);
    clock.sleep(1);
    assert.equal(freshness.isStale(false), true);
  });
});
