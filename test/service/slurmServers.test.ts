import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { canRunSlurm, SlurmServers, slurmVersions } from '../support/slurmServers.ts';

for (const version of canRunSlurm ? slurmVersions : [])
  describe(`The cluster of the tests (${version} Slurm)`, () => {
    let servers: SlurmServers;
    before(async () => {
      servers = await SlurmServers.start({ version });
    });
    after(async () => await servers.stop());

    it('runs the tasks of an array on both nodes at a time', async () => {
      const meet = 'touch $SLURM_ARRAY_TASK_ID; while ! [ -e 0 -a -e 1 ]; do sleep 0.1; done; echo $SLURMD_NODENAME';
      const options = ['--array=0-1', `--chdir=${servers.root}`, '--output=output.%a.txt'];
      servers.run('sbatch', ...options, `--wrap=${meet}`);
      const nodes = await eventually(async () => {
        const outputs = [0, 1].map(async (index) => await readFile(join(servers.root, `output.${index}.txt`), 'utf8'));
        const texts = await Promise.all(outputs).catch(() => ['']);
        return texts.includes('') ? undefined : texts;
      });
      assert.deepEqual(nodes.toSorted(), ['dtn1\n', 'dtn2\n']);
    });
  });
