import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from '../../support/eventually.ts';
import { startLocalService } from '../../support/localService.ts';
import { SeededRandom } from '../../support/random.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { canRunSlurm, SlurmServers } from '../../support/slurmServers.ts';
import { bySize } from '../../support/testSize.ts';
import { TransferClient } from '../../support/transferClient.ts';

/** The follow-up of a transfer, in its status. */
interface ThenBody {
  readonly state: string;
  readonly job?: string;
  readonly problem?: string;
}

/** Number of times that the service is killed at a random moment. */
const rounds = bySize(4, 30);
const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

if (canRunSlurm)
  describe('The job that follows a transfer (D72)', () => {
    let servers: SlurmServers;
    let rig: ServiceRig;
    let script: string;
    before(async () => {
      servers = await SlurmServers.start();
    });
    after(async () => await servers.stop());
    beforeEach(async () => {
      rig = await ServiceRig.start({ 'a.txt': 'content' });
      script = nodePath.join(rig.root, 'analyse.sbatch');
      await writeScript('printenv DATA_TRANSFER_FOLDER DATA_TRANSFER_MANIFEST DATA_TRANSFER_ID > seen.$SLURM_JOB_ID');
    });
    afterEach(async () => {
      // Jobs write to the folder that is removed.
      await eventually(async () => await Promise.resolve(servers.run('squeue', '--noheader') === '' || undefined));
      await rig.stop();
    });

    async function writeScript(...lines: readonly string[]): Promise<void> {
      await fs.writeFile(script, ['#!/bin/sh', '#SBATCH --job-name=mine', ...lines, ''].join('\n'));
    }

    async function submit(): Promise<string> {
      return await rig.mustSubmit(['a.txt'], { instructions: { then: { sbatch: script } } });
    }

    async function readThen(id: string): Promise<ThenBody | undefined> {
      return ((await rig.status(id)) as { then?: ThenBody }).then;
    }

    function listJobs(id: string): readonly string[] {
      const output = servers.run('squeue', '--noheader', '--states=all', '--format=%A', `--name=dts-then-${id}`);
      return output.split('\n').filter(Boolean);
    }

    async function waitForSeen(job: string | undefined, folder = rig.root): Promise<readonly string[]> {
      return await eventually(async () => {
        const text = await fs.readFile(nodePath.join(folder, `seen.${job}`), 'utf8').catch(() => '');
        const lines = text.split('\n').filter(Boolean);
        return lines.length === 3 ? lines : undefined;
      });
    }

    function setStatus(id: string, status: object): () => void {
      return () => {
        const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
        const value = JSON.stringify({ kind: 'sbatch', path: script, ...status });
        journal.prepare('UPDATE follow_ups SET status = ? WHERE transfer = ?').run(value, id);
        journal.close();
      };
    }

    it('is submitted once the manifest stands, and knows where the files are', async () => {
      const id = await submit();
      await rig.waitForStatus(id, 'succeeded');
      const then = await readThen(id);
      assert.equal(then?.state, 'submitted');
      assert.deepEqual(listJobs(id), [then.job]);
      const folder = nodePath.join(rig.target, `dts-${id}`);
      assert.deepEqual(await waitForSeen(then.job), [folder, nodePath.join(folder, 'manifest.json'), id]);
    });

    it('is found by its name after a crash, and not submitted again (D12)', async () => {
      const id = await submit();
      await rig.waitForStatus(id, 'succeeded');
      const [job] = listJobs(id);
      await rig.restart({ whileStopped: setStatus(id, { state: 'waiting', isStarting: true }) });
      await rig.waitForStatus(id, 'succeeded');
      assert.deepEqual(
        [(await readThen(id))?.state, (await readThen(id))?.job, listJobs(id)],
        ['submitted', job, [job]],
      );
    });

    it('is not submitted again if Slurm does not know whether it was', async () => {
      await writeScript('sleep 600');
      const id = await submit();
      await rig.waitForStatus(id, 'succeeded');
      const [job = ''] = listJobs(id);
      servers.run('scontrol', 'update', `JobId=${job}`, 'JobName=other');
      await rig.restart({ whileStopped: setStatus(id, { state: 'waiting', isStarting: true }) });
      await rig.waitForStatus(id, 'succeeded');
      assert.deepEqual([(await readThen(id))?.state, listJobs(id)], ['unclear', []]);
      servers.run('scancel', job);
    });

    it('is refused by Slurm with a reason, and its transfer stays successful', async () => {
      await writeScript('#SBATCH --partition=nowhere', 'true');
      const id = await submit();
      await rig.waitForStatus(id, 'succeeded');
      const then = await readThen(id);
      assert.equal(then?.state, 'notStarted');
      assert.match(then.problem ?? '', /invalid partition/i);
      await rig.restart();
      assert.deepEqual(listJobs(id), []);
    });

    it('waits while Slurm does not respond, and can then be given up', async () => {
      await servers.stopController();
      try {
        const [id, other] = [await submit(), await submit()];
        for (const one of [id, other]) {
          const { message } = await rig.waitForStatus(one, 'inactive');
          assert.match(message, /all files have arrived; waiting to start analyse\.sbatch: Slurm can't be used: /);
        }
        assert.equal((await rig.cancel(other)).status, 202);
        assert.equal((await rig.status(other)).status, 'succeeded');
        assert.deepEqual((await readThen(other))?.problem, 'canceled');
        assert.equal((await rig.cancel(other)).status, 409);
        servers.startController();
        await rig.waitForStatus(id, 'succeeded');
        assert.equal((await readThen(id))?.state, 'submitted');
        assert.deepEqual([listJobs(id).length, listJobs(other).length], [1, 0]);
      } finally {
        await servers.waitForNodes();
      }
    });

    it(`is submitted at most once when the service is killed at random moments (CRASH_SEED=${seed})`, async () => {
      const random = new SeededRandom(seed);
      const folder = nodePath.join(rig.root, 'crashes');
      await fs.mkdir(nodePath.join(folder, 'target'), { recursive: true });
      const databases = [
        { name: 'Source', folder: rig.source },
        { name: 'Target', folder: nodePath.join(folder, 'target') },
      ];
      const config = { databases, dataFolder: nodePath.join(folder, 'data'), followUps: true };
      for (let round = 0; round < rounds; round += 1) {
        const service = await startLocalService(config);
        const id = await new TransferClient(service).submit(['a.txt'], { then: { sbatch: script } });
        await new Promise((resolve) => setTimeout(resolve, random.below(120)));
        await service.kill();
        const next = await startLocalService(config);
        const status = await new TransferClient(next).waitForStatus(id, 'succeeded');
        const { state, job } = (status as { then?: ThenBody }).then ?? { state: '' };
        await next.stop();
        assert.deepEqual(listJobs(id), state === 'submitted' ? [job] : [], state);
        assert.ok(['submitted', 'unclear'].includes(state), state);
      }
    });
  });
