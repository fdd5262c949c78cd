import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, wait, type Clock } from '../../src/core/util/clock.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { isRunning, listRclones, type RunningProcess } from '../support/processTree.ts';
import { mustFindRclone } from '../support/storeServers.ts';

const idleMs = 60_000;

describe('The rclone that several transfers share (D62)', () => {
  let root: string;
  let staging: string;
  let log: MemoryLog;
  let becomeIdle: () => void;
  let daemon: RcloneDaemon;

  function createDaemon(stagingFolder: string): RcloneDaemon {
    const clock: Clock = {
      now: () => Date.now(),
      after: (ms, callback) => {
        if (ms !== idleMs) return systemClock.after(ms, callback);
        becomeIdle = callback;
        return { dispose: () => undefined };
      },
    };
    return new RcloneDaemon({ rclone: mustFindRclone(), clock, logger: log, stagingFolder });
  }

  /** Lists the rclone processes of daemons. Other children of this process may be servers of other tests. */
  const listDaemons = (): RunningProcess[] =>
    listRclones(process.pid).filter(({ command }) => command.includes(' rcd '));
  const getPort = async (): Promise<number> => await daemon.use(async ({ port }) => await Promise.resolve(port));

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-daemon-'));
    staging = nodePath.join(root, 'staging');
    log = new MemoryLog();
    daemon = createDaemon(staging);
  });
  afterEach(async () => {
    await daemon.close();
    await fs.rm(root, { recursive: true });
  });

  for (const delayMs of [0, 5, 20]) {
    it(`is one process if it is used again ${delayMs} ms after it became idle`, async () => {
      const first = await getPort();
      becomeIdle();
      if (delayMs > 0) await wait(systemClock, delayMs);
      await daemon.use(async ({ port }) => {
        assert.notEqual(port, first);
        assert.deepEqual([await getPort(), listDaemons().length], [port, 1]);
        assert.ok((await fs.stat(staging)).isDirectory());
      });
      await daemon.close();
      assert.equal(listDaemons().length, 0);
      await assert.rejects(fs.stat(staging), { code: 'ENOENT' });
    });
  }

  it('runs without a staging folder if that cannot be created', async () => {
    await fs.writeFile(staging, '');
    daemon = createDaemon(nodePath.join(staging, 'folder'));
    assert.ok((await getPort()) > 0);
    assert.match(log.lines.join('\n'), /^warn The staging folder could not be created: .*ENOTDIR/m);
  });

  it('exits when its supervising program is killed', async () => {
    await daemon.use(async () => {
      const [rclone] = listDaemons();
      assert.ok(rclone);
      process.kill(rclone.parent, 'SIGKILL');
      await eventually(async () => await Promise.resolve(!isRunning(rclone.pid) || undefined));
    });
  });

  it('removes the files of an earlier service from the staging folder', async () => {
    await fs.mkdir(nodePath.join(staging, 'batch-1'), { recursive: true });
    daemon.removeStaging();
    await assert.rejects(fs.stat(staging), { code: 'ENOENT' });
  });
});
