import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { canRunSlurm, SlurmServers, type NodeName } from '../../support/slurmServers.ts';
import { isDeep } from '../../support/testSize.ts';
import { TransferClient } from '../../support/transferClient.ts';

const fileCount = 60;
const paths = Array.from({ length: fileCount }, (_, index) => `f${index % 4}/${index}.bin`);
/** Slurm holds a task for two minutes after its node has failed. */
const longLimitMs = 280_000;

function getContent(path: string): string {
  return path.repeat(5_000);
}

if (canRunSlurm)
  describe('A transfer on a cluster that fails', () => {
    let servers: SlurmServers;
    let root: string;
    let service: StartedService;
    let client: TransferClient;
    before(async () => {
      servers = await SlurmServers.start({ more: ['MaxArraySize=3'] });
    });
    after(async () => await servers.stop());
    beforeEach(async () => {
      root = await fs.mkdtemp(nodePath.join(servers.root, 'place-'));
      for (const path of paths) {
        await fs.mkdir(nodePath.join(root, 'source', nodePath.dirname(path)), { recursive: true });
        await fs.writeFile(nodePath.join(root, 'source', path), getContent(path));
      }
      await fs.mkdir(nodePath.join(root, 'target'));
    });
    afterEach(async () => {
      await service.stop();
    });

    async function start(throttleBytesPerSecond: number | undefined, more: object = {}): Promise<void> {
      const databases = ['source', 'target'].map((name) => {
        return { name: name === 'source' ? 'Source' : 'Target', folder: nodePath.join(root, name) };
      });
      const slurm = { folder: nodePath.join(root, 'tasks'), minFiles: 2, tasks: 2, ...more };
      const config = { databases, dataFolder: nodePath.join(root, 'data'), cluster: { slurm } };
      service = await startLocalService(throttleBytesPerSecond ? { ...config, throttleBytesPerSecond } : config);
      client = new TransferClient(service);
    }

    function getFolder(id: string, name: string): string {
      return nodePath.join(root, 'tasks', `tasks-${id}`, name);
    }

    /** Returns the number of arrays and the number of tasks of each. */
    function countTasks(id: string): readonly string[] {
      const names = ['stage-1', 'move-2', 'stage-2', 'move-3'].map((name) => `tasks-${id}-${name}`).join(',');
      const output = servers.run('squeue', '--noheader', '--array', '--states=all', '--format=%j', `--name=${names}`);
      return output.split('\n').map((name) => name.slice(`tasks-${id}-`.length));
    }

    async function exists(path: string): Promise<void> {
      await eventually(async () => await Promise.resolve(existsSync(path) || undefined), 120_000, 2);
    }

    async function waitForMessage(id: string, pattern: RegExp): Promise<void> {
      await eventually(async () => pattern.test((await client.status(id)).message) || undefined);
    }

    async function assertReceived(id: string): Promise<void> {
      const status = await eventually(async () => {
        const one = await client.status(id);
        return ['succeeded', 'failed'].includes(one.status) ? one : undefined;
      }, longLimitMs);
      assert.deepEqual([status.status, status.num_files_transferred], ['succeeded', fileCount], status.message);
      const folder = nodePath.join(root, 'target', `dts-${id}`);
      for (const path of paths) assert.equal(await fs.readFile(nodePath.join(folder, path), 'utf8'), getContent(path));
      const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
      assert.equal(entries.filter((entry) => entry.isFile()).length, fileCount + 1);
    }

    it('is submitted once, however often the service is killed (D12)', async () => {
      await start(800_000);
      const id = await client.submit(paths);
      for (const file of ['stage-1', 'stage-1/id', 'stage-1/result.0.json', 'move-2', 'move-2/result.1.json']) {
        await exists(getFolder(id, file));
        await service.kill();
        await start(800_000);
      }
      await assertReceived(id);
      assert.deepEqual(countTasks(id).toSorted(), ['move-2', 'move-2', 'stage-1', 'stage-1']);
    });

    it('has larger tasks if the cluster permits only a few in an array', async () => {
      await start(undefined, { tasks: 8 });
      const id = await client.submit(paths);
      await assertReceived(id);
      assert.deepEqual(countTasks(id).toSorted(), ['move-2', 'move-2', 'move-2', 'stage-1', 'stage-1', 'stage-1']);
    });

    it('says that its tasks are held, and goes on when they are released', async () => {
      await start(undefined, { options: ['--hold'] });
      const id = await client.submit(paths);
      for (const name of ['stage-1', 'move-2']) {
        await waitForMessage(id, /; 0 of 2 tasks; 2 pending \(JobHeldUser\)$/);
        await exists(getFolder(id, `${name}/id`));
        servers.run('scontrol', 'release', await fs.readFile(getFolder(id, `${name}/id`), 'utf8'));
      }
      await assertReceived(id);
    });

    async function waitForNode(id: string): Promise<NodeName> {
      await waitForMessage(id, /transferring .* 2 of 2 tasks on dtn1, dtn2$/);
      return 'dtn1';
    }

    if (isDeep) {
      it('is complete after a node has failed', async () => {
        await start(400_000);
        const id = await client.submit(paths);
        const name = await waitForNode(id);
        await servers.killNode(name);
        await assertReceived(id);
        servers.startNode(name);
        await servers.waitForNodes();
      });

      it('is complete, and stays so, if a node is cut off and comes back', async () => {
        await start(400_000);
        const id = await client.submit(paths);
        const name = await waitForNode(id);
        servers.signalNode(name, 'SIGSTOP');
        await assertReceived(id);
        servers.signalNode(name, 'SIGCONT');
        await eventually(async () => await Promise.resolve(servers.listTaskProcesses(name).length === 0 || undefined));
        await assertReceived(id);
      });
    }
  });
