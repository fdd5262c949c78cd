import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../../../src/service/cluster/cluster.ts';
import { endFormerTasks, rememberTasksFolder } from '../../../src/service/cluster/formerTasks.ts';
import { TaskArray } from '../../../src/service/cluster/taskFiles.ts';
import { CommandScripts } from '../../support/commandScripts.ts';
import { eagerClock } from '../../support/eagerClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

if (process.platform !== 'win32')
  describe('The tasks of earlier starts on a cluster', () => {
    let root: string;
    let commands: CommandScripts;
    let log: MemoryLog;
    let cluster: Cluster;
    beforeEach(() => {
      root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dts-former-')));
      log = new MemoryLog();
      cluster = new Cluster({ slurm: { folder: join(root, 'tasks') } }, eagerClock);
      commands = new CommandScripts(join(root, 'commands'));
      commands.replace('scancel', `printf '%s\\n' "$@" >> ${join(root, 'canceled')}`);
      commands.replace('squeue', 'exit 0');
    });
    afterEach(() => {
      commands.restore();
      fs.rmSync(root, { recursive: true });
    });

    /** Starts the transfers A and B with one task each. */
    async function startTasks(): Promise<void> {
      for (const [transferId, arrayId] of Object.entries({ A: '17', B: '18' })) {
        const side = { location: { folder: root } };
        const job = { transferId, source: side, destination: side, files: [], isFlushed: true };
        const folder = await cluster.createTransferFolder(transferId);
        await (await TaskArray.create(folder, 1, [{ kind: 'move', job }])).confirm(arrayId);
      }
    }

    async function end(current: Cluster | undefined, ids: readonly string[], tooSmallIds: readonly string[] = []) {
      const sets = { transferIds: new Set(ids), tooSmallIds: new Set(tooSmallIds) };
      await endFormerTasks({ dataFolder: root, cluster: current, ...sets, clock: eagerClock, logger: log });
    }

    function readFolders(): unknown {
      return JSON.parse(fs.readFileSync(join(root, 'cluster.json'), 'utf8'));
    }

    it('are ended if the cluster no longer takes their transfers, which go on without them', async () => {
      await startTasks();
      await end(cluster, ['A', 'B'], ['B']);
      assert.deepEqual(await cluster.listTransfers(), ['A']);
      assert.equal(fs.readFileSync(join(root, 'canceled'), 'utf8'), '--quiet\n18\n');
      const reason = `cluster.slurm.minBytes and minFiles no longer allow all tasks in ${cluster.folder}`;
      assert.deepEqual(log.lines, [`warn ${reason}: the tasks of 1 transfer there are ended`]);
    });

    it('are ended as soon as their folder is available again', async () => {
      await startTasks();
      await rememberTasksFolder(root, cluster.folder);
      fs.renameSync(cluster.folder, join(root, 'away'));
      await end(undefined, ['A', 'B']);
      assert.deepEqual(readFolders(), { folders: [cluster.folder] });
      fs.renameSync(join(root, 'away'), cluster.folder);
      await end(undefined, ['A', 'B']);
      assert.deepEqual([await cluster.listTransfers(), readFolders()], [[], { folders: [] }]);
    });

    it('are forgotten with their folder once there is no transfer that may have some', async () => {
      await rememberTasksFolder(root, cluster.folder);
      await end(undefined, []);
      assert.deepEqual([readFolders(), log.lines], [{ folders: [] }, []]);
    });
  });
