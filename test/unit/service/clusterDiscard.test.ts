import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { Cluster } from '../../../src/service/cluster/cluster.ts';
import { ClusterRoute } from '../../../src/service/cluster/clusterRoute.ts';
import { TaskArray } from '../../../src/service/cluster/taskFiles.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import { CommandScripts } from '../../support/commandScripts.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000001';
const folderName = 'run 42';

if (process.platform !== 'win32')
  describe('The folder of a canceled transfer on a cluster', () => {
    const threads = new FileThreads(systemClock);
    let root: string;
    let commands: CommandScripts;
    let cluster: Cluster;
    let route: ClusterRoute;
    beforeEach(() => {
      root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dts-discard-')));
      for (const name of ['source', 'target']) fs.mkdirSync(join(root, name));
      commands = new CommandScripts(join(root, 'commands'));
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
      commands.restore();
      fs.rmSync(root, { recursive: true });
    });
    after(async () => await threads.end());

    it('keeps its mark until its tasks have ended, because they may still write to it (D24)', async () => {
      await route.prepare();
      const side = { location: { folder: root } };
      const job = { transferId, source: side, destination: side, files: [], isFlushed: true };
      const array = await TaskArray.create(await cluster.createTransferFolder(transferId), 1, [{ kind: 'move', job }]);
      await array.confirm('17');
      commands.replace('scancel', 'exit 1');
      assert.equal(await route.discard('manifest.json'), false);
      assert.deepEqual(fs.readdirSync(join(root, 'target', folderName)), [`.part-${transferId}`]);
      commands.replace('scancel', 'exit 0');
      commands.replace('squeue', 'exit 0');
      assert.equal(await route.discard('manifest.json'), true);
      assert.deepEqual(fs.readdirSync(join(root, 'target')), []);
    });
  });
