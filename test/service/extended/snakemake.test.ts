import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cliProgram } from '../../support/cliProcess.ts';
import { CliRig } from '../cliRig.ts';

const program = '/usr/bin/snakemake';
const orcid = '0000-0002-1825-0097';
const example = join(import.meta.dirname, '../../../examples/snakemake');

if (process.platform === 'linux')
  describe('The example for Snakemake', () => {
    let rig: CliRig;
    let folder: string;
    before(() => {
      const advice = 'sudo apt-get install --no-install-recommends snakemake';
      if (!existsSync(program)) throw new Error(`This test needs Snakemake: run \`${advice}\`.`);
    });
    beforeEach(async () => {
      rig = await CliRig.start({ 'a.csv': 'x\n1\n', 'b/d.csv': 'y\n', 'note.txt': 'no table' });
      folder = await mkdtemp(join(tmpdir(), 'snakemake-'));
      await cp(example, folder, { recursive: true });
    });
    afterEach(async () => {
      await rig.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Runs the workflow with the command line on the `PATH`. Returns what it printed and its exit code. */
    async function runWorkflow(): Promise<{ readonly code: number; readonly printed: string }> {
      const bin = join(folder, 'bin');
      await mkdir(bin, { recursive: true });
      await writeFile(join(bin, 'data-transfer'), `#!/bin/sh\nexec '${process.execPath}' '${cliProgram}' "$@"\n`, {
        mode: 0o755,
      });
      const { address, token } = rig.service.service;
      const connection = { id: 'lab', name: 'Lab', server: address, apiKeyVariable: 'LAB_KEY' };
      await writeFile(join(folder, 'connections.json'), JSON.stringify({ orcid, connections: [connection] }));
      const variables = { LAB_KEY: token, DATA_TRANSFER_CONNECTIONS: join(folder, 'connections.json') };
      const places = {
        DATA_TRANSFER_LEDGER: rig.ledger,
        HOME: folder,
        PATH: [bin, process.env['PATH']].join(delimiter),
      };
      const env = { ...process.env, ...variables, ...places };
      const child = spawn(program, ['--cores', '1'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
      const [code] = (await once(child, 'close')) as [number];
      return { code, printed };
    }

    it('transfers what the recipe finds, analyses the verified copies, and runs again only for a new recipe', async () => {
      const first = await runWorkflow();
      assert.equal(first.code, 0, first.printed);
      const table = join(folder, 'lines.tsv');
      assert.equal(await readFile(table, 'utf8'), 'a.csv\t2\nb/d.csv\t1\n');
      const before = await stat(table);
      const second = await runWorkflow();
      assert.match(second.printed, /Nothing to be done/);
      const recipe = join(folder, 'tables.transfer.json');
      const text = await readFile(recipe, 'utf8');
      await writeFile(recipe, text.replace('"csv"', '"d csv"'));
      const later = new Date(Date.now() + 60_000);
      await utimes(recipe, later, later);
      const third = await runWorkflow();
      assert.equal(third.code, 0, third.printed);
      assert.equal(await readFile(table, 'utf8'), 'b/d.csv\t1\n');
      assert.ok((await stat(table)).mtimeMs > before.mtimeMs);
    });

    it('stops if nothing was transferred', async () => {
      const recipe = join(folder, 'tables.transfer.json');
      await writeFile(recipe, (await readFile(recipe, 'utf8')).replace('"least": 1', '"least": 5'));
      const { code, printed } = await runWorkflow();
      assert.notEqual(code, 0);
      assert.match(printed, /Error in rule receive/);
      assert.ok(!existsSync(join(folder, 'verified.json')));
    });
  });
