import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, Slurm, SlurmError } from '../../../src/service/cluster/slurm.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { CommandScripts } from '../../support/commandScripts.ts';

if (process.platform !== 'win32')
  describe('The commands of Slurm', () => {
    let folder: string;
    let commands: CommandScripts;
    let slurm: Slurm;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'dts-commands-'));
      commands = new CommandScripts(folder);
      slurm = new Slurm(systemClock);
    });
    afterEach(() => {
      commands.restore();
      rmSync(folder, { recursive: true });
    });

    const submission = {
      name: 'dts-1-move-1',
      count: 3,
      parallel: 2,
      options: ['--array=0-9', '--account=lab'],
      folder: '/tmp',
      command: ['/tmp/task.sh', 'a b', '$HOME;'],
    };

    async function assertFails(work: Promise<unknown>, message: RegExp): Promise<void> {
      await assert.rejects(work, (error) => error instanceof SlurmError && message.test(error.message));
    }

    it('receive arguments as they are, the options of the array last, and no secrets', async () => {
      process.env['LAB_TOKEN'] = 'secret';
      commands.replace('sbatch', `printf '%s\\n' "$@" > ${folder}/args; env > ${folder}/env; echo '17;lab'`);
      assert.equal(await slurm.submit(submission), '17');
      const args = readFileSync(join(folder, 'args'), 'utf8').split('\n');
      assert.deepEqual(args.slice(-4), ['/tmp/task.sh', 'a b', '$HOME;', '']);
      assert.ok(args.indexOf('--array=0-2%2') > args.indexOf('--array=0-9'));
      assert.doesNotMatch(readFileSync(join(folder, 'env'), 'utf8'), /secret/);
      delete process.env['LAB_TOKEN'];
    });

    it('say why they fail with the last lines that they print, as one line of at most 300 characters', async () => {
      const wrapped = ['This does not look like a batch script.  The first', 'line must start with #! followed by'];
      const lines = [...wrapped, 'the path.', 'For instance: #!/bin/sh'];
      commands.replace('sbatch', lines.map((line) => `echo 'sbatch: error: ${line}' >&2`).join('\n') + '; exit 1');
      await assertFails(
        slurm.submit(submission),
        /^This does not look like a batch script\. The first line must start with #! followed by the path\. For instance: #!\/bin\/sh \(see /,
      );
      const retries = [3, 2, 1].map((count) => `sbatch: error: Attempt ${count} of 3`);
      const causes = ['no config', 'no config', 'no config'].map((cause) => `sbatch: error: Fetch: ${cause}`);
      const last = `sbatch: fatal: Could not establish a configuration source`;
      const printed = [...retries, ...causes, last].map((line) => `echo '${line}' >&2`);
      commands.replace('sbatch', `${printed.join('\n')}; exit 1`);
      await assertFails(
        slurm.submit(submission),
        /^Attempt 2 of 3; Attempt 1 of 3; Fetch: no config; Could not establish a configuration source \(see/,
      );
      commands.replace('squeue', `printf 'squeue: error: %0500d end' 0 >&2; exit 1`);
      await assertFails(slurm.findTasks(['a']), /^…0{295} end$/);
    });

    it('name the setting that may help', async () => {
      commands.replace('sbatch', `echo 'sbatch: error: Invalid account or account/partition combination' >&2; exit 1`);
      await assertFails(slurm.submit(submission), /^Invalid account .* \(see cluster\.slurm\.options in the conf/);
      commands.replace(
        'sbatch',
        `printf 'sbatch: error: one\\nsbatch: error: Requested \\033time limit is invalid\\n' >&2; exit 1`,
      );
      await assertFails(
        slurm.submit(submission),
        /^one; Requested time limit is invalid \(see cluster\.slurm\.options /,
      );
      commands.replace(
        'sbatch',
        `printf "sbatch: unrecognized option '--a'\\nTry \\"sbatch --help\\" for more information\\n" >&2; exit 255`,
      );
      await assertFails(slurm.submit(submission), /^unrecognized option '--a' \(see cluster\.slurm\.options /);
      commands.replace('squeue', `echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1`);
      await assertFails(slurm.findTasks(['a']), /^slurm_load_jobs error: Unable to contact slurm controller$/);
    });

    it('are named if they are missing, or print something else', async () => {
      process.env['PATH'] = folder;
      await assertFails(slurm.submit(submission), /^its command sbatch isn't on the PATH of the service$/);
      commands.replace('sbatch', 'echo Submitted batch job 4');
      await assertFails(slurm.submit(submission), /^sbatch printed something unexpected$/);
      commands.replace('squeue', 'echo "1|0|a|RUNNING"');
      await assertFails(slurm.findTasks(['a']), /^squeue printed something unexpected$/);
      commands.replace('scontrol', 'echo MaxArraySize = none');
      await assertFails(slurm.getMaxTasks(), /^scontrol printed something unexpected$/);
    });

    it('are asked once for the tasks of several transfers, which each get their own', async () => {
      commands.replace(
        'squeue',
        `echo "$@" >> ${folder}/calls; echo '4|0|a|RUNNING|None|dtn1'; echo '4|1|a|PENDING|Priority|'; echo '5|0|b|TIMEOUT|TimeLimit|dtn2'`,
      );
      const [one, other] = await Promise.all([slurm.findTasks(['a']), slurm.findTasks(['b', 'c'])]);
      assert.deepEqual(
        [one, other].map((tasks) => tasks.map(({ arrayId, index, node }) => [arrayId, index, node])),
        [
          [
            ['4', 0, 'dtn1'],
            ['4', 1, ''],
          ],
          [['5', 0, 'dtn2']],
        ],
      );
      assert.deepEqual([...one, ...other].map(isAlive), [true, true, false]);
      const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
      assert.equal(calls.length, 1);
      assert.match(calls[0] ?? '', /--name=a,b,c /);
    });

    it('tell how many tasks an array can have', async () => {
      commands.replace('scontrol', `printf 'MaxArraySize            = 1001\\nMaxDBDMsgs = 2\\n'`);
      assert.equal(await slurm.getMaxTasks(), 1_001);
    });
  });
