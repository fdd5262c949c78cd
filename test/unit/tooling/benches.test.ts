import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
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

describe('The reference of a bench', () => {
  it('is not measured if its command fails', async () => {
    await runReference('true', devNull);
    for (const command of ['false', 'exit 2']) await assert.rejects(runReference(command, devNull), /ended with \d/);
  });
});
