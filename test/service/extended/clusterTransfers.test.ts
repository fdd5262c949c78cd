import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { canRunSlurm, nodeNames, SlurmServers } from '../../support/slurmServers.ts';

const fileCount = 40;
const files = Object.fromEntries(
  Array.from({ length: fileCount }, (_, index) => [`run${index % 3}/${index}.bin`, `${index}`.repeat(40_000)]),
);
const paths = Object.keys(files);

if (canRunSlurm)
  describe('A transfer on a cluster', () => {
    let servers: SlurmServers;
    let rig: ServiceRig;
    before(async () => {
      servers = await SlurmServers.start();
    });
    after(async () => await servers.stop());
    beforeEach(async () => {
      rig = await ServiceRig.start(files, options());
    });
    afterEach(async () => await rig.stop());

    function options(more: object = {}) {
      const folder = nodePath.join(servers.root, 'tasks');
      return { cluster: { slurm: { folder, minFiles: 2, tasks: 2, ...more } }, retryDelayMs: 500 };
    }

    /** Options with which the tasks take several seconds. */
    function slowOptions() {
      return { ...options(), throttleBytesPerSecond: 500_000 };
    }

    /** Returns the job IDs of the arrays of a transfer, also of ended ones. */
    function listArrays(id: string, kind: 'stage' | 'move'): readonly string[] {
      const names = [1, 2, 3, 4, 5].map((number) => `tasks-${id}-${kind}-${number}`).join(',');
      const output = servers.run('squeue', '--noheader', '--states=all', '--format=%F', `--name=${names}`);
      return [...new Set(output.split('\n').filter(Boolean))];
    }

    async function listFiles(id: string) {
      const { body } = await rig.call('GET', `/transfers/${id}/files`);
      return body as { readonly counts: Readonly<Record<string, number>> };
    }

    function countTasks(): number {
      return servers.run('squeue', '--noheader', '--array').split('\n').filter(Boolean).length;
    }

    async function waitForTasks(id: string): Promise<string> {
      return await eventually(async () => {
        const { message } = await rig.status(id);
        return / of \d+ tasks on dtn/.test(message) && listArrays(id, 'move').length > 0 ? message : undefined;
      });
    }

    async function assertReceived(id: string, folder = `dts-${id}`): Promise<void> {
      const status = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.deepEqual([status.status, status.num_files_transferred], ['succeeded', fileCount], status.message);
      for (const [path, content] of Object.entries(files))
        assert.equal(await fs.readFile(nodePath.join(rig.target, folder, path), 'utf8'), content);
      const received = await rig.listReceivedFiles();
      assert.deepEqual(received, [...paths, 'manifest.json'].map((path) => `${folder}/${path}`).sort());
      assert.deepEqual(await fs.readdir(nodePath.join(servers.root, 'tasks')).then(listTransfers), []);
    }

    function listTransfers(names: readonly string[]): readonly string[] {
      return names.filter((name) => name.startsWith('tasks-'));
    }

    async function waitForNoFolders(): Promise<void> {
      await eventually(async () => {
        const names = await fs.readdir(nodePath.join(servers.root, 'tasks'));
        return listTransfers(names).length === 0 || undefined;
      });
    }

    it('has no tasks while it is paused, also after the service was killed before it ended them (D70)', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      assert.equal((await rig.changePause(id, 'pause')).status, 200);
      await eventually(async () => await Promise.resolve(countTasks() === 0 || undefined));
      assert.equal((await rig.status(id)).message, `Transfer ${id}: paused by you`);
      await rig.changePause(id, 'resume');
      await waitForTasks(id);
      const whileStopped = (): void => {
        assert.notEqual(countTasks(), 0);
        const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
        journal.exec('INSERT INTO paused SELECT id FROM transfers');
        journal.close();
      };
      await rig.restart({ ...slowOptions(), whileStopped });
      await eventually(async () => await Promise.resolve(countTasks() === 0 || undefined));
      assert.equal((await rig.status(id)).status, 'inactive');
      await rig.restart(options());
      await rig.changePause(id, 'resume');
      await assertReceived(id);
    });

    it('can be paused and resumed repeatedly, although Slurm still lists the former tasks of the same name (D70)', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      const countArrays = (): number => listArrays(id, 'move').length;
      for (const count of [1, 2, 3]) {
        await eventually(
          async () =>
            (/ of \d+ tasks on dtn/.test((await rig.status(id)).message) && countArrays() === count) || undefined,
        );
        assert.equal((await rig.changePause(id, 'pause')).status, 200);
        await waitForNoFolders();
        assert.equal(countTasks(), 0);
        assert.equal((await rig.changePause(id, 'resume')).status, 200);
      }
      await assertReceived(id);
      const lines = servers.run('squeue', '--noheader', '--states=all', '--format=%j %F', `--name=tasks-${id}-move-1`);
      const arrays = new Set(lines.split('\n').map((line) => line.split(' ')[1]));
      assert.ok(arrays.size > 1, lines);
    });

    it('runs in one array for hashing and one for copying, and says where', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      const message = await waitForTasks(id);
      assert.match(
        message,
        /: transferring 40 files \(.*\); \d of 2 tasks on dtn[12](?:, dtn[12])?(?:; \d pending \(\w+\))?$/,
      );
      await assertReceived(id);
      assert.deepEqual([listArrays(id, 'stage').length, listArrays(id, 'move').length], [1, 1]);
    });

    it('continues with the options of a later lease, and stays on the cluster if a later one has none', async () => {
      const slurm = { folder: nodePath.join(servers.root, 'tasks'), minFiles: 2, tasks: 2, partition: 'none' };
      await rig.restart({ shared: true, retryDelayMs: 500, throttleBytesPerSecond: 500_000 });
      await rig.lease(rig.folders, { cluster: { slurm } });
      const id = await rig.mustSubmit(paths);
      const { message } = await rig.waitForStatus(id, 'inactive');
      assert.match(message, /Slurm can't be used: .* \(see cluster\.slurm\.partition in the configuration\)/);
      await rig.lease(rig.folders, { cluster: { slurm: { ...slurm, partition: 'xfer' } } });
      await waitForTasks(id);
      assert.deepEqual((await rig.status(id)).cluster, { tasks: 2, partition: 'xfer' });
      await rig.lease(rig.folders, { cluster: null });
      assert.deepEqual((await rig.status(id)).cluster, { tasks: 2, partition: 'xfer' });
      await assertReceived(id);
      assert.equal((await rig.status(id)).cluster, undefined);
      const other = await rig.mustSubmit(paths);
      await rig.waitForStatus(other, 'succeeded');
      assert.deepEqual(listArrays(other, 'move'), []);
    });

    it('follows its tasks although its databases are served only after another cluster has replaced theirs (D12)', async () => {
      const describe = (name: string) => ({
        slurm: { folder: nodePath.join(servers.root, name), minFiles: 2, tasks: 2 },
      });
      const shared = { shared: true, retryDelayMs: 500, throttleBytesPerSecond: 500_000 };
      await rig.restart(shared);
      await rig.lease(rig.folders, { cluster: describe('tasks') });
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await rig.restart(shared);
      await rig.lease([], { cluster: describe('tasks') });
      await rig.lease(rig.folders, { cluster: describe('others') });
      await assertReceived(id);
      assert.deepEqual([listArrays(id, 'stage').length, listArrays(id, 'move').length], [1, 1]);
    });

    it('stays on this machine if it is small', async () => {
      const id = await rig.mustSubmit(paths.slice(0, 1));
      await rig.waitForStatus(id, 'succeeded');
      assert.deepEqual([...listArrays(id, 'stage'), ...listArrays(id, 'move')], []);
    });

    it('has its files in the folder whose name was chosen, which the service marks before the tasks start (D24)', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths, { instructions: { folder: 'run 42' } });
      await waitForTasks(id);
      assert.ok((await rig.listReceivedFiles()).includes(`run 42/.part-${id}`));
      await rig.restart(options());
      await assertReceived(id, 'run 42');
    });

    it('continues while the service is stopped, and is never submitted again (D12)', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await rig.restart(options());
      await assertReceived(id);
      assert.deepEqual([listArrays(id, 'stage').length, listArrays(id, 'move').length], [1, 1]);
    });

    it('finds its array by its name if the job ID was lost (D12)', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      const idFile = nodePath.join(servers.root, 'tasks', `tasks-${id}`, 'move-2', 'id');
      await rig.restart({ ...options(), whileStopped: () => rmSync(idFile) });
      await assertReceived(id);
      assert.equal(listArrays(id, 'move').length, 1);
    });

    it('leaves no task and no unfinished file after a cancellation', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      assert.equal((await rig.cancel(id)).status, 202);
      await rig.waitForStatus(id, 'failed');
      await eventually(async () => (await Promise.resolve(countTasks())) === 0 || undefined);
      await waitForNoFolders();
      const received = (await rig.listReceivedFiles()).map((path) => path.replace(`dts-${id}/`, ''));
      assert.deepEqual(
        received.filter((path) => !paths.includes(path)),
        [],
      );
      const { counts } = await listFiles(id);
      assert.deepEqual(counts, { transferred: received.length, unfinished: fileCount - received.length });
    });

    it('says that each running task is transferring one file, and has transferred those before it', async () => {
      await rig.restart({ ...options({ tasks: 4 }), throttleBytesPerSecond: 500_000 });
      const id = await rig.mustSubmit(paths);
      await eventually(
        async () => /transferring .*; 2 of 4 tasks .*; 2 pending/.test((await rig.status(id)).message) || undefined,
      );
      const { counts } = await listFiles(id);
      const { transferring = 0, staged = 0, transferred = 0 } = counts;
      assert.equal(transferring + staged + transferred, fileCount);
      assert.ok(transferring <= 2 && staged >= fileCount / 2, JSON.stringify(counts));
      await rig.restart(options());
      await assertReceived(id);
    });

    it('continues without its tasks if the configuration no longer has their folder, and says so', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await rig.restart({ retryDelayMs: 500 });
      assert.equal(countTasks(), 0);
      const folder = nodePath.join(servers.root, 'tasks');
      const line = `cluster.slurm.folder is no longer ${folder}: the tasks of 1 transfer there are ended`;
      assert.ok(rig.logged.includes(line), rig.logged.join('\n'));
      await assertReceived(id);
    });

    it('continues without its tasks if the configuration no longer allows them for its size, and says so', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await rig.restart(options({ minFiles: fileCount + 1 }));
      assert.equal(countTasks(), 0);
      const folder = nodePath.join(servers.root, 'tasks');
      const line = `cluster.slurm.minBytes and minFiles no longer allow all tasks in ${folder}: the tasks of 1 transfer there are ended`;
      assert.ok(rig.logged.includes(line), rig.logged.join('\n'));
      await assertReceived(id);
    });

    it('leaves no task after a cancellation while its destination is not served', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await rig.restart({ ...slowOptions(), without: 'Target' });
      assert.notEqual(countTasks(), 0);
      assert.equal((await rig.cancel(id)).status, 202);
      await eventually(async () => (await Promise.resolve(countTasks())) === 0 || undefined);
      await waitForNoFolders();
    });

    it('waits, and says which setting is wrong, if Slurm refuses the tasks', async () => {
      await rig.restart(options({ partition: 'nowhere' }));
      const id = await rig.mustSubmit(paths);
      const { message } = await rig.waitForStatus(id, 'inactive');
      const refusal = 'Batch job submission failed: Invalid partition name specified';
      const reason = `invalid partition specified: nowhere; ${refusal}`;
      assert.equal(
        message,
        `Transfer ${id}: waiting: Slurm can't be used: ${reason} (see cluster.slurm.partition in the configuration)`,
      );
      await rig.restart(options());
      await assertReceived(id);
    });

    it('waits, and names the setting, if it cannot write to the folder of the tasks', async () => {
      const folder = nodePath.join(rig.root, 'file', 'tasks');
      await fs.writeFile(nodePath.join(rig.root, 'file'), '');
      await rig.restart(options({ folder }));
      const id = await rig.mustSubmit(paths);
      const { message } = await rig.waitForStatus(id, 'inactive');
      assert.match(
        message,
        /waiting: the folder of the cluster's tasks can't be used: ENOTDIR \(see cluster\.slurm\.folder /,
      );
    });

    it('waits if others could replace the program of its tasks', async () => {
      const folder = nodePath.join(rig.root, 'open');
      await fs.mkdir(folder);
      await fs.chmod(folder, 0o777);
      await rig.restart(options({ folder }));
      const id = await rig.mustSubmit(paths);
      const { message } = await rig.waitForStatus(id, 'inactive');
      assert.match(message, /: only the user of the service may own it and write to it \(see cluster\.slurm\.folder /);
      assert.deepEqual(await fs.readdir(folder), []);
    });

    it('repeats tasks that were killed, without their complete files', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      const pids = nodeNames.flatMap((name) => servers.listTaskProcesses(name));
      assert.notEqual(pids.length, 0);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      const { message } = await rig.waitForStatus(id, 'inactive');
      assert.match(message, /waiting to try again: a task on the cluster ended early \(/);
      await assertReceived(id);
    });

    it('ends its tasks after a cancellation even while Slurm does not respond', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths, { instructions: { folder: 'run 42' } });
      await waitForTasks(id);
      await servers.stopController();
      assert.equal((await rig.cancel(id)).status, 202);
      await rig.waitForStatus(id, 'failed');
      await eventually(async () => {
        const pids = nodeNames.flatMap((name) => servers.listTaskProcesses(name));
        const commands = pids.map(async (pid) => await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
        return (await Promise.all(commands)).some((command) => command.includes('/task-')) ? undefined : true;
      });
      const listReceived = async (): Promise<readonly string[]> =>
        (await rig.listReceivedFiles()).map((path) => path.replace('run 42/', ''));
      const isOther = (path: string): boolean => !paths.includes(path);
      const received = await listReceived();
      assert.ok(received.length < fileCount, received.join());
      // Without its mark, the folder would no longer be cleaned.
      assert.deepEqual(received.filter(isOther), [`.part-${id}`]);
      assert.equal((await rig.submit(paths, { instructions: { folder: 'run 42' } })).status, 409);
      servers.startController();
      await servers.waitForNodes();
      await eventually(async () => ((await listReceived()).some(isOther) ? undefined : true));
      await waitForNoFolders();
    });

    it('waits while Slurm does not respond, and continues afterwards', async () => {
      await rig.restart(slowOptions());
      const id = await rig.mustSubmit(paths);
      await waitForTasks(id);
      await servers.stopController();
      const { message } = await rig.waitForStatus(id, 'inactive');
      assert.match(message, /waiting: Slurm can't be used: /);
      servers.startController();
      await assertReceived(id);
      assert.equal(listArrays(id, 'move').length, 1);
    });
  });
