import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotificationClaims } from '../../../src/core/transfers/notificationClaims.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('Claims of notifications', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const window = (): NotificationClaims => new NotificationClaims(folder, systemClock, new MemoryLog());

  it('succeed in exactly one of many windows', async () => {
    const windows = Array.from({ length: 20 }, window);
    const claimed = await Promise.all(windows.map((one) => one.claim('k ended')));
    assert.equal(claimed.filter(Boolean).length, 1);
    assert.equal(await window().claim('k ended'), false);
    assert.equal(await window().claim('k not confirmed'), true);
  });

  it("succeed in every window if they can't be written, because a duplicate is better than no notification", async () => {
    await writeFile(join(folder, 'told'), 'a file where the folder should be');
    const log = new MemoryLog();
    assert.equal(await new NotificationClaims(folder, systemClock, log).claim('k ended'), true);
    assert.match(
      log.lines.join(),
      /^debug A file that coordinates notifications could not be written or deleted: Error: E/,
    );
  });

  it('succeed without an error if another window has deleted an old claim in the meantime', async () => {
    await mkdir(join(folder, 'told'));
    await symlink(join(folder, 'deleted'), join(folder, 'told', 'old'));
    const log = new MemoryLog();
    const claims = new NotificationClaims(folder, systemClock, log);
    assert.equal(await claims.claim('k ended'), true);
    await claims['cleaning'];
    assert.deepEqual(log.lines, []);
  });

  it('succeed if nothing was ever claimed', async () => {
    const log = new MemoryLog();
    assert.equal(await new NotificationClaims(folder, systemClock, log).claim('k ended'), true);
    assert.deepEqual(log.lines, []);
  });

  it('expire after a day', async () => {
    await window().claim('old');
    await window().claim('of yesterday');
    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
    await utimes(join(folder, 'told', 'old'), hoursAgo(25), hoursAgo(25));
    await utimes(join(folder, 'told', 'of%20yesterday'), hoursAgo(23), hoursAgo(23));
    await window().claim('new');
    const left = await eventually(async () => {
      const names = await readdir(join(folder, 'told'));
      return names.includes('old') ? undefined : names;
    });
    assert.deepEqual(left.sort(), ['new', 'of%20yesterday']);
  });
});
