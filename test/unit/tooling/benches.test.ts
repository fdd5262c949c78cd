import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { limits } from '../../../bench/support/limits.ts';
import { run as runReference } from '../../../bench/support/tree.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

describe('npm run bench', () => {
  for (const args of [[], ['--help']])
    it(`lists every bench ${args.length > 0 ? `with ${args.join(' ')}` : 'without arguments'}`, async () => {
      const { stdout } = await run(process.execPath, [join(root, 'scripts', 'bench.mjs'), ...args]);
      const benches = globSync('*.ts', { cwd: join(root, 'bench') }).map((file) => basename(file, '.ts'));
      assert.ok(benches.length > 0);
      assert.deepEqual(
        benches.filter((bench) => !stdout.includes(`npm run bench -- ${bench} `)),
        [],
      );
    });
});

describe('The measurements of a bench', () => {
  it('are all reported', () => {
    const readSource = (file: string): string => readFileSync(join(root, 'bench', file), 'utf8');
    const support = globSync('support/*.ts', { cwd: join(root, 'bench'), exclude: ['support/limits.ts'] }).map(
      readSource,
    );
    const unreported = Object.entries(limits).flatMap(([bench, measurements]) => {
      const sources = [readSource(`${bench}.ts`), ...support];
      return Object.keys(measurements).filter((name) => !sources.some((source) => source.includes(`'${name}'`)));
    });
    assert.deepEqual(unreported, []);
  });

  const codes = [
    { measured: 0, quick: false, code: 0 },
    { measured: 1, quick: false, code: 1 },
    { measured: 1, quick: true, code: 0 },
  ];
  for (const { measured, quick, code } of codes)
    it(`end the bench with code ${code} at ${measured} of at most 0${quick ? ', with less data' : ''}`, () => {
      const rounds = pathToFileURL(join(root, 'bench', 'support', 'rounds.ts')).href;
      const name = 'commands of Slurm in ten idle seconds';
      const script = `import { createReport } from '${rounds}';
        createReport('cluster', { json: true, quick: ${quick} })('${name}', ${measured});`;
      const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
        encoding: 'utf8',
      });
      const text = quick ? `${name}, with less data` : name;
      assert.deepEqual(
        [status, JSON.parse(stdout)],
        [code, { name: text, ratio: measured, limit: 0, ok: measured === 0 }],
      );
    });
});

describe('The reference of a bench', () => {
  it('is not measured if its command fails', async () => {
    await runReference('true', devNull);
    for (const command of ['false', 'exit 2']) await assert.rejects(runReference(command, devNull), /ended with \d/);
  });
});
