import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliRig } from './cliRig.ts';

describe('The command line with a service that uses a cluster', () => {
  let folder: string;
  let rig: CliRig;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cluster-plan-'));
    const cluster = { slurm: { folder: join(folder, 'tasks'), partition: 'xfer', minFiles: 2 } };
    rig = await CliRig.start({ 'a.txt': 'a', 'b/c.txt': 'c' }, { cluster });
  });
  afterEach(async () => {
    await rig.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes a recipe that transfers the files of a search, and returns its path. */
  async function writeRecipe(query: string): Promise<string> {
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'all.transfer.json');
    const from = { database: 'Source Data', search: { query } };
    await writeFile(file, JSON.stringify({ from, to: { database: 'Target' } }));
    return file;
  }

  it('says in a dry run that a large transfer would run there', async () => {
    const recipe = await writeRecipe('');
    const { stdout } = await rig.run('run', recipe, '--dry-run');
    assert.match(stdout, /^runs on: cluster, partition xfer, up to 4 tasks at a time$/m);
    const { cluster } = await rig.runJson(0, 'run', recipe, '--dry-run');
    assert.deepEqual(cluster, { tasks: 4, partition: 'xfer' });
  });

  it('says nothing of it for a small one', async () => {
    const recipe = await writeRecipe('a.txt');
    const { stdout } = await rig.run('run', recipe, '--dry-run');
    assert.match(stdout, /^1 file,/);
    assert.doesNotMatch(stdout, /cluster/);
  });
});
