import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { Cluster } from '../../../src/service/cluster/cluster.ts';
import { ClusterRoute } from '../../../src/service/cluster/clusterRoute.ts';
import { TaskArray } from '../../../src/service/cluster/taskFiles.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000001';
const folderName = 'run 42';

if (process.platform !== 'win32')
  describe('The folder of a canceled transfer on a cluster', () => {
    const pathBefore = process.env['PATH'];
    const threads = new FileThreads(systemClock);
    let root: string;
    let cluster: Cluster;
    let route: ClusterRoute;
    beforeEach(() => {
      root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dts-discard-')));
      for (const name of ['commands', 'source', 'target']) fs.mkdirSync(join(root, name));
      process.env['PATH'] = [join(root, 'commands'), pathBefore].join(delimiter);
      const place = (name: string) => ({
        document: { id: name, name, organization: '', url: '' },
        location: { folder: join(root, name) },
      });
      cluster = new Cluster({ slurm: { folder: join(root, 'tasks') } }, systemClock);
      const sides = { source: place('source'), destination: place('target'), destinationPlace: undefined };
      const limits = { throttleBytesPerSecond: undefined, isFlushed: true, abandonment: new AbortController().signal };
      route = new ClusterRoute({ transferId, folderName, ...sides, ...limits, threads }, cluster);
    });
    afterEach(() => {
      process.env['PATH'] = pathBefore;
      fs.rmSync(root, { recursive: true });
    });
    after(async () => await threads.end());

    function replace(command: string, script: string): void {
      fs.writeFileSync(join(root, 'commands', command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }

    it('keeps its mark until its tasks have ended, because they may still write to it (D24)', async () => {
      await route.prepare();
      const side = { location: { folder: root } };
      const job = { transferId, source: side, destination: side, files: [], isFlushed: true };
      const array = await TaskArray.create(await cluster.createTransferFolder(transferId), 1, [{ kind: 'move', job }]);
      await array.confirm('17');
      replace('scancel', 'exit 1');
      assert.equal(await route.discard('manifest.json'), false);
      assert.deepEqual(fs.readdirSync(join(root, 'target', folderName)), [`.part-${transferId}`]);
      replace('scancel', 'exit 0');
      replace('squeue', 'exit 0');
      assert.equal(await route.discard('manifest.json'), true);
      assert.deepEqual(fs.readdirSync(join(root, 'target')), []);
    });
  });
