import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { ScanQueue, StoreCatalog } from '../../../src/service/stores/storeCatalog.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';

describe('Scans of a store', () => {
  it('share the next scan while one runs', async () => {
    const runs: { readonly folders: readonly string[]; readonly end: () => void }[] = [];
    const queue = new ScanQueue(async (folders) => {
      await new Promise<void>((end) => runs.push({ folders: [...folders], end }));
    });
    const first = queue.request('a');
    await eventually(async () => (runs.length === 1 ? true : undefined));
    const others = [queue.request('b'), queue.request('c'), queue.request('b')];
    runs[0]?.end();
    await first;
    await eventually(async () => (runs.length === 2 ? true : undefined));
    const last = queue.request('c');
    runs[1]?.end();
    await Promise.all(others);
    await eventually(async () => (runs.length === 3 ? true : undefined));
    runs[2]?.end();
    await Promise.all([last, queue.ended]);
    assert.deepEqual(
      runs.map(({ folders }) => folders),
      [['a'], ['b', 'c'], ['c']],
    );
  });

  describe('by rclone', () => {
    let folder: string;
    let catalog: StoreCatalog;
    const readListed = async (): Promise<readonly string[]> =>
      (await fs.readFile(nodePath.join(folder, 'listed'), 'utf8')).split('\n').slice(0, -1);

    /**
     * Opens and scans the catalog of a store with `fileCount` files. The store's rclone records the remotes that it
     * lists.
     */
    async function open(fileCount: number, clock: Clock = systemClock): Promise<void> {
      const program = nodePath.join(folder, 'rclone');
      const files = Array.from({ length: fileCount }, (_, index) => ({ Path: `${index}`, Size: 1 }));
      await fs.writeFile(nodePath.join(folder, 'files'), files.map((file) => `${JSON.stringify(file)},\n`).join(''));
      await fs.writeFile(
        program,
        `#!/bin/sh
for last in "$@"; do :; done
case "$1" in
  version) echo 'rclone v1.75.0' ;;
  backend) echo '{"Features":{}}' ;;
  lsjson)
    echo "$last" >> '${folder}/listed'; test ! -p '${folder}/gate' || cat '${folder}/gate'
    test "$last" != lab: || cat '${folder}/files' ;;
esac\n`,
        { mode: 0o755 },
      );
      const log = (): void => undefined;
      const logger = { trace: log, debug: log, info: log, warn: log, error: log };
      const config = { name: 'Lab', remote: 'lab:', rclone: program, rescanMs: 60_000, hasRestore: false };
      catalog = new StoreCatalog({ ...config, file: nodePath.join(folder, 'lab.db') }, { clock, logger });
      await catalog.rescan();
    }

    beforeEach(async () => (folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-scans-'))));
    afterEach(async () => {
      await catalog.close();
      await fs.rm(folder, { recursive: true });
    });

    it('list a small store once after many transfers, instead of each folder', async () => {
      await open(3);
      for (let count = 0; count < 50; count += 1) catalog.resumeTracking(`dts-${count}`);
      const listed = await eventually(async () => {
        const remotes = await readListed();
        return remotes.length > 1 && catalog.getListing().state === 'listed' ? remotes : undefined;
      });
      assert.deepEqual(listed, ['lab:', 'lab:']);
    });

    it('list each folder of a large store once after many transfers, and none before the whole store', async () => {
      await open(3_000);
      for (const under of ['dts-a', 'dts-b', 'dts-a']) catalog.resumeTracking(under);
      await eventually(async () => ((await readListed()).length === 3 ? true : undefined));
      for (const under of ['dts-c', 'dts-d']) catalog.resumeTracking(under);
      await catalog.rescan();
      assert.deepEqual(await readListed(), ['lab:', 'lab:dts-a', 'lab:dts-b', 'lab:']);
      assert.equal(catalog.getListing().files, 3_000);
    });

    it('are not started by a search right after one that took longer than the interval between them', async () => {
      const clock = new ManualClock();
      await open(1, clock);
      execFileSync('mkfifo', [nodePath.join(folder, 'gate')]);
      const scan = catalog.rescan();
      await eventually(async () => ((await readListed()).length === 2 ? true : undefined));
      clock.sleep(120_000);
      await fs.writeFile(nodePath.join(folder, 'gate'), '');
      await fs.rm(nodePath.join(folder, 'gate'));
      await scan;
      await catalog.filesByIds(['0']);
      assert.deepEqual([catalog.getListing().state, (await readListed()).length], ['listed', 2]);
    });

    it('list a store again at the first search after the clock was set back (D62)', async () => {
      const clock = new ManualClock();
      await open(1, clock);
      clock.sleep(-300 * 86_400_000);
      await catalog.filesByIds(['0']);
      await eventually(async () => ((await readListed()).length === 2 ? true : undefined));
    });
  });
});
