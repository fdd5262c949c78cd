import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { canRunSlurm, SlurmServers, slurmVersions, type NodeName } from '../../support/slurmServers.ts';
import { mountDiskIn, resizeDisk, unmountDisk } from '../../support/smallDisk.ts';
import { isDeep } from '../../support/testSize.ts';
import { TransferClient } from '../../support/transferClient.ts';

const fileCount = 60;
const paths = Array.from({ length: fileCount }, (_, index) => `f${index % 4}/${index}.bin`);
/**
 * Users of the partition `urgent` take nodes away from tasks. Only one account may use `lab`; without accounting, Slurm
 * 26.05 lets all use it.
 */
const moreConfig = [
  ...['MaxArraySize=3', 'PreemptType=preempt/partition_prio', 'PreemptMode=REQUEUE', 'EnforcePartLimits=ALL'],
  'PartitionName=urgent Nodes=dtn1,dtn2 PriorityTier=10 MaxTime=INFINITE State=UP',
  'PartitionName=lab Nodes=dtn1,dtn2 AllowAccounts=lab MaxTime=INFINITE State=UP',
];
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
      servers = await SlurmServers.start({ more: moreConfig });
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

    async function start(
      throttleBytesPerSecond: number | undefined,
      more: object = {},
      environment: Readonly<Record<string, string>> = {},
    ): Promise<void> {
      const databases = ['source', 'target'].map((name) => {
        return { name: name === 'source' ? 'Source' : 'Target', folder: nodePath.join(root, name) };
      });
      const slurm = { folder: nodePath.join(root, 'tasks'), minFiles: 2, tasks: 2, ...more };
      const config = { databases, dataFolder: nodePath.join(root, 'data'), cluster: { slurm } };
      const throttle = throttleBytesPerSecond && { throttleBytesPerSecond };
      service = await startLocalService({ ...config, ...throttle }, { environment });
      client = new TransferClient(service);
    }

    function getFolder(id: string, name: string): string {
      return nodePath.join(root, 'tasks', `tasks-${id}`, name);
    }

    /** Returns the number of arrays and the number of tasks of each. */
    function countTasks(id: string): readonly string[] {
      const names = ['stage-1', 'move-2', 'stage-2', 'move-3', 'move-4'].map((name) => `tasks-${id}-${name}`).join(',');
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

    it('says that its tasks are held, and continues when they are released', async () => {
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
      await waitForMessage(id, /transferring .* 2 of \d tasks on dtn1, dtn2(?:;|$)/);
      return 'dtn1';
    }

    it('waits while the destination is full, and continues when it has room', async () => {
      const target = nodePath.join(root, 'target');
      assert.ok(mountDiskIn(target, 1), 'Mounting a file system needs root.');
      try {
        await start(undefined);
        const id = await client.submit(paths);
        await waitForMessage(id, /: waiting: the destination is full$/);
        resizeDisk(target, 64);
        await assertReceived(id);
        await service.stop();
      } finally {
        unmountDisk(target);
      }
    });

    it('names the setting if a node does not have Node.js, and continues when it does', async () => {
      await start(undefined, { node: '/nowhere/node' });
      const id = await client.submit(paths);
      await waitForMessage(
        id,
        /: a task on the cluster ended early \(FAILED: Node\.js isn't at \/nowhere\/node on dtn[12] \(see cluster\.slurm\.node in the configuration\)\)$/,
      );
      await service.kill();
      await start(undefined);
      await assertReceived(id);
    });

    if (slurmVersions[0] === 'installed')
      it('names the setting if its account is refused', async () => {
        await start(undefined, { partition: 'lab', options: ['--account=other'] });
        const id = await client.submit(paths);
        await waitForMessage(
          id,
          /: waiting: Slurm can't be used: .*account.* \(see cluster\.slurm\.options in the configuration\)$/,
        );
        await service.kill();
        await start(undefined);
        await assertReceived(id);
      });

    it('uses the other node while one is drained, and waits while both are', async () => {
      await start(800_000, { tasks: 3 });
      const id = await client.submit(paths);
      const name = await waitForNode(id);
      const setState = (nodes: string, state: string): unknown =>
        servers.run('scontrol', 'update', `NodeName=${nodes}`, `State=${state}`, 'Reason=maintenance');
      setState(name, 'DRAIN');
      await waitForMessage(id, /: transferring .* 1 of 3 tasks on dtn2/);
      setState('dtn2', 'DRAIN');
      await assertReceived(id);
      const other = await client.submit(paths);
      await waitForMessage(other, /: staging .*; 0 of 3 tasks; 3 pending \([\w ,]+\)$/);
      setState('dtn1,dtn2', 'RESUME');
      await assertReceived(other);
    });

    it('is canceled at once while Slurm hangs, and the service stops without losing anything', async () => {
      await start(200_000);
      const id = await client.submit(paths);
      await waitForNode(id);
      // Its tasks wait for the nodes.
      const canceled = await client.submit(paths);
      await exists(getFolder(canceled, 'stage-1/id'));
      servers.signalController('SIGSTOP');
      try {
        await waitForMessage(id, /: waiting: Slurm can't be used: /);
        await client.cancel(canceled);
        assert.match((await client.waitForStatus(canceled, 'failed')).message, /: canceled$/);
        assert.match((await client.status(id)).message, /: waiting: Slurm can't be used: /);
        assert.equal(await service.stop(), 0);
      } finally {
        servers.signalController('SIGCONT');
      }
      await start(undefined);
      await assertReceived(id);
      await eventually(async () => await Promise.resolve(!existsSync(getFolder(canceled, '')) || undefined));
      assert.deepEqual(countTasks(id).toSorted(), ['move-2', 'move-2', 'stage-1', 'stage-1']);
    });

    it('continues after the administrator has requeued one of its tasks', async () => {
      await start(800_000);
      const id = await client.submit(paths);
      await waitForNode(id);
      servers.run('scontrol', 'requeue', `${await fs.readFile(getFolder(id, 'move-2/id'), 'utf8')}_1`);
      await assertReceived(id);
    });

    it('continues after its nodes were taken away for an urgent job', async () => {
      await start(800_000);
      const id = await client.submit(paths);
      await waitForNode(id);
      const output = `--output=${nodePath.join(root, 'urgent.txt')}`;
      servers.run('sbatch', '--partition=urgent', '--nodes=2', output, '--wrap=sleep 3; echo ended');
      await assertReceived(id);
      assert.equal(await fs.readFile(nodePath.join(root, 'urgent.txt'), 'utf8'), 'ended\n');
    });

    if (isDeep) {
      it('repeats only what its tasks have not done when their time is over', async () => {
        await start(20_000, { options: ['--time=1'] });
        const id = await client.submit(paths);
        await waitForMessage(id, /: waiting to try again: a task on the cluster ended early \(TIMEOUT/);
        const files = await fs.readdir(nodePath.join(root, 'target', `dts-${id}`), { recursive: true });
        assert.ok(files.filter((file) => file.endsWith('.bin')).length > 10, files.join());
        await service.kill();
        await start(undefined);
        await assertReceived(id);
      });

      it('waits while squeue hangs, and continues when it responds', async () => {
        const bin = nodePath.join(root, 'bin');
        await fs.mkdir(bin);
        await fs.writeFile(nodePath.join(bin, 'squeue'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
        await start(undefined, {}, { PATH: [bin, process.env['PATH']].join(nodePath.delimiter) });
        const id = await client.submit(paths);
        await waitForMessage(id, /: waiting: Slurm can't be used: squeue did not respond$/);
        await fs.rm(nodePath.join(bin, 'squeue'));
        await assertReceived(id);
        assert.deepEqual(countTasks(id).toSorted(), ['move-2', 'move-2', 'stage-1', 'stage-1']);
      });

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
