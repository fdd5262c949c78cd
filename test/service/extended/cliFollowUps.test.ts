import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { canRunSlurm, SlurmServers } from '../../support/slurmServers.ts';
import { CliRig } from '../cliRig.ts';

/** A transfer as JSON, as far as it is about what follows. */
interface Followed {
  readonly id: string;
  readonly state: string;
  readonly outcome: string;
  readonly then?: { readonly state: string; readonly job?: string; readonly exitCode?: number };
}

if (canRunSlurm)
  describe('What follows a transfer, on the command line (D72)', () => {
    let rig: CliRig;
    let folder: string;
    let recipe: string;
    beforeEach(async () => {
      rig = await CliRig.start({ 'a.csv': 'a', 'b.csv': 'b' });
      folder = await mkdtemp(join(tmpdir(), 'cli-then-'));
      recipe = join(folder, 'reads.transfer.json');
      await writeRecipe({});
    });
    afterEach(async () => {
      await rig.stop();
      await rm(folder, { recursive: true });
    });

    async function writeRecipe(more: object): Promise<void> {
      const reads = { from: { database: 'Source Data', search: { query: 'csv' } }, to: { database: 'Target' } };
      await writeFile(recipe, JSON.stringify({ ...reads, ...more }));
    }

    async function writeProgram(name: string, ...lines: readonly string[]): Promise<string> {
      const file = join(folder, name);
      await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'));
      await chmod(file, 0o700);
      return file;
    }

    async function runJson(code: number, ...args: readonly string[]): Promise<Followed> {
      return (await rig.runJson(code, ...args))['transfer'] as Followed;
    }

    it('is a program of a recipe, which a dry run names, and whose exit code is known later', async () => {
      await writeProgram('count.sh', 'while [ ! -e go ]; do sleep 0.1; done; exit 4');
      await writeRecipe({ then: { program: 'count.sh' } });
      assert.match((await rig.run('run', recipe, '--dry-run')).stdout, /\nafterwards: start count\.sh\n$/);
      const other = ['run', recipe, '--dry-run', '--then', await writeProgram('other.sbatch')];
      assert.match((await rig.run(...other)).stdout, /\nafterwards: submit the job \/.*\/other\.sbatch\n/);
      assert.deepEqual((await rig.runJson(0, ...other))['then'], { sbatch: join(folder, 'other.sbatch') });
      const result = await rig.run('run', recipe);
      assert.equal(result.code, 0, result.stderr);
      assert.match(result.stderr, new RegExp(`^Afterwards: start ${folder}/count\\.sh\\.$`, 'm'));
      await writeFile(join(folder, 'go'), '');
      // The transfer has long ended, but its program hasn't.
      const ended = await eventually(async () => {
        const { transfers } = await rig.runJson(0, 'status', result.stdout.trim());
        const [transfer] = transfers as readonly Followed[];
        return transfer?.then?.state === 'ended' ? transfer : undefined;
      });
      const { transfers } = await rig.runJson(0, 'status', '--offline', result.stdout.trim());
      assert.deepEqual(transfers, [ended]);
      assert.deepEqual([ended.outcome, ended.then?.exitCode], ['complete', 4]);
    });

    it('is a job named by an option, whose ID is part of the result', async () => {
      const servers = await SlurmServers.start();
      try {
        const script = await writeProgram('analyse.sbatch', 'sha256sum "$DATA_TRANSFER_MANIFEST" > sum.txt');
        const transfer = await runJson(0, 'run', recipe, '--then', script, '--wait');
        assert.deepEqual([transfer.outcome, transfer.then?.state], ['complete', 'submitted']);
        const name = servers.run('squeue', '--noheader', '--states=all', `--job=${transfer.then?.job}`, '--format=%j');
        assert.equal(name, `dts-then-${transfer.id}`);
      } finally {
        await servers.stop();
      }
    });

    it('makes the command fail if it was not started, although the files are there', async () => {
      const program = await writeProgram('odd.sh');
      await writeFile(program, '#!/no/such/interpreter\n');
      const result = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--then', program, '--wait');
      assert.equal(result.code, 1);
      assert.match(result.stderr, /succeeded, 1\/1 files: odd\.sh was not started: it can't be started \(ENOENT\)\./);
      assert.equal(await readFile(join(rig.service.target, `dts-${result.stdout.trim()}`, 'a.csv'), 'utf8'), 'a');
    });

    it('is refused before anything is transferred if it is missing', async () => {
      const result = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--then', join(folder, 'gone.sh'));
      assert.equal(result.code, 1);
      assert.match(result.stderr, /it can't be read \(ENOENT\)/);
      assert.deepEqual(await rig.service.listReceivedFiles(), []);
    });
  });
