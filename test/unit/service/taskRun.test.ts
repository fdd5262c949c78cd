import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { Cluster } from '../../../src/service/cluster/cluster.ts';
import { TaskArray, type TaskJob } from '../../../src/service/cluster/taskFiles.ts';
import { TaskRun } from '../../../src/service/cluster/taskRun.ts';
import { createJobSignal, JobStopped, requestStop } from '../../../src/service/transfers/fileJobs.ts';
import { CommandScripts } from '../../support/commandScripts.ts';
import { eagerClock } from '../../support/eagerClock.ts';
import { eventually } from '../../support/eventually.ts';

if (process.platform !== 'win32')
  describe('The tasks of a transfer on a cluster', () => {
    let folder: string;
    let commands: CommandScripts;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'dts-tasks-'));
      commands = new CommandScripts(folder);
      commands.replace('sbatch', `printf '%s\\n' "$@" > ${folder}/submitted; echo 5`);
      commands.replace('scontrol', `echo 'MaxArraySize = 1001'`);
    });
    afterEach(() => {
      commands.restore();
      rmSync(folder, { recursive: true });
    });

    function describeJob(...positions: readonly number[]): TaskJob {
      const files = positions.map((position) => ({ position, path: `${position}`, bytes: 1, sha256: '' }));
      const side = { location: { folder } };
      return { kind: 'move', job: { transferId: 'a', source: side, destination: side, isFlushed: true, files } };
    }

    interface RunChange {
      /** The index of a task that has a result. */
      readonly withResult?: number;
      readonly isConfirmed?: boolean;
      /** The numbers of files that the tasks have completed, as they report themselves. */
      readonly done?: readonly number[];
    }

    /**
     * Starts a run for files 0 to 7. Slurm has an array with two files in each of its tasks, whose states are given; a
     * task without one has ended without a result. Slurm also lists an array of the same name that a pause has ended.
     * Resolves to the run after it has been stopped.
     */
    async function run(
      states: readonly (string | undefined)[],
      tasks: number,
      { withResult, isConfirmed = true, done: doneCounts = [] }: RunChange = {},
    ): Promise<TaskRun> {
      const cluster = new Cluster({ slurm: { folder: join(folder, 'tasks'), tasks } }, eagerClock);
      const jobs = states.map((_, index) => describeJob(2 * index, 2 * index + 1));
      const array = await TaskArray.create(await cluster.createTransferFolder('a'), 1, jobs);
      if (isConfirmed) await array.confirm('4');
      const done = jobs[withResult ?? -1]?.job.files.map(({ position }) => ({ position, bytes: 1 }));
      if (done !== undefined) await array.tasks[withResult ?? -1]?.files.writeResult({ done });
      for (const [index, count] of doneCounts.entries())
        await array.tasks[index]?.files.writeProgress({ restart: 0, done: count, copied: count, read: count });
      const former = states.map((_, index) => `echo '3|${index}|${array.name}|CANCELLED|None|dtn1'`);
      const lines = states.map((state, index) => state && `echo '4|${index}|${array.name}|${state}|None|dtn1'`);
      commands.replace('squeue', [...former, ...lines.filter(Boolean)].join('\n'));
      const signal = createJobSignal();
      const task = describeJob(0, 1, 2, 3, 4, 5, 6, 7);
      const taskRun = new TaskRun({ cluster, transferId: 'a', arrays: [array], task, signal });
      await taskRun.adopt();
      const end = taskRun.run();
      await eventually(async () => await Promise.resolve(taskRun.activity));
      requestStop(signal);
      await assert.rejects(end, JobStopped);
      // The next query would otherwise come during a later test, and run its command.
      cluster.slurm.close();
      return taskRun;
    }

    function listStates(taskRun: TaskRun): readonly (string | undefined)[] {
      return [0, 1, 2, 3, 4, 5, 6, 7].map((position) => taskRun.getState(position));
    }

    function readSubmission(): string {
      return existsSync(join(folder, 'submitted')) ? readFileSync(join(folder, 'submitted'), 'utf8') : '';
    }

    it('that are repeated run only together with as many others as may run', async () => {
      await run(['RUNNING', 'COMPLETING', undefined, undefined], 3);
      assert.match(readSubmission(), /--array=0-2%1\n/);
      assert.doesNotMatch(readSubmission(), /--dependency/);
    });

    it('that are repeated wait for the others if as many as may run are left', async () => {
      await run(['RUNNING', 'PENDING', 'PENDING', undefined], 3);
      assert.match(readSubmission(), /--array=0-1%3\n/);
      assert.match(readSubmission(), /--dependency=afterany:4\n/);
    });

    it('that run are distinguished from those that wait, for the first time or again, and from those that are done', async () => {
      const taskRun = await run(['RUNNING', 'PENDING', 'REQUEUE_HOLD', 'COMPLETED'], 4, { withResult: 3 });
      assert.equal(taskRun.activity, '1 of 4 tasks on dtn1; 2 pending (None)');
      const waiting = [undefined, undefined, undefined, undefined];
      const [moving, moved] = ['transferring', 'transferred'];
      assert.deepEqual(listStates(taskRun), [moving, undefined, ...waiting, moved, moved]);
      assert.equal(readSubmission(), '');
    });

    it('have moved as many of their files, in order, as they say, and move the next one if they run', async () => {
      const taskRun = await run(['RUNNING', 'RUNNING', 'RUNNING', 'PENDING'], 4, { done: [0, 1, 2, 1] });
      const [moving, moved] = ['transferring', 'transferred'];
      assert.deepEqual(listStates(taskRun), [moving, undefined, moved, moving, moved, moved, moved, undefined]);
    });

    it('are those that work if the answer to their submission was lost after a pause', async () => {
      const taskRun = await run(['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING'], 4, { isConfirmed: false });
      assert.equal(taskRun.activity, '4 of 4 tasks on dtn1');
      assert.equal(readFileSync(join(folder, 'tasks', 'tasks-a', 'move-1', 'id'), 'utf8'), '4');
      assert.equal(readSubmission(), '');
    });

    it('cost nothing before the first and after the last of them', async () => {
      const timers = new Set<object>();
      const clock: Clock = {
        now: () => systemClock.now(),
        after: (delayMs, callback) => {
          const end = (work: () => void): void => {
            timers.delete(timer);
            work();
          };
          const timer = systemClock.after(delayMs, () => end(callback));
          timers.add(timer);
          return { dispose: () => end(() => timer.dispose()) };
        },
      };
      const cluster = new Cluster({ slurm: { folder: join(folder, 'tasks') } }, clock);
      assert.equal(timers.size, 0);
      const job = describeJob(0, 1);
      const array = await TaskArray.create(await cluster.createTransferFolder('a'), 1, [job]);
      await array.confirm('4');
      await array.tasks[0]?.files.writeResult({ done: [0, 1].map((position) => ({ position, bytes: 1 })) });
      commands.replace('squeue', `echo asked >> ${folder}/asked; echo '4|0|${array.name}|COMPLETED|None|dtn1'`);
      const options = { cluster, transferId: 'a', arrays: [array], task: job, signal: createJobSignal() };
      const taskRun = new TaskRun(options);
      await taskRun.adopt();
      assert.equal((await taskRun.run()).done.length, 2);
      assert.equal(timers.size, 0);
      assert.equal(readFileSync(join(folder, 'asked'), 'utf8'), 'asked\n');
    });
  });
