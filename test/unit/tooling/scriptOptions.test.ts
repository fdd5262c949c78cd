import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script. It must exit without doing its work, because the work would exceed the time limit. */
function runScript(file: string, ...args: readonly string[]): Result {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, file), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: status, stdout, stderr };
}

const commands: Readonly<Record<string, string>> = {
  'esbuild.mjs': 'npm run build',
  'scripts/bench.mjs': 'npm run bench',
  'scripts/demo.mjs': 'npm run demo',
  'scripts/lint.mjs': 'npm run lint',
  'scripts/mutation.mjs': 'npm run mutation',
  'scripts/package.mjs': 'npm run package',
  'scripts/release.mjs': 'npm run release',
  'scripts/screenshots.mjs': 'npm run screenshots',
  'scripts/soak.mjs': 'npm run soak',
  'scripts/test.mjs': 'npm test',
  'scripts/watchTests.mjs': 'npm run test:watch',
};

describe('The options of a script', () => {
  for (const [file, command] of Object.entries(commands)) {
    it(`are printed by ${command} -- --help`, () => {
      const { code, stdout, stderr } = runScript(file, '--help');
      assert.deepEqual([code, stderr, stdout.split('\n', 1)[0]?.startsWith(`Usage: ${command} -- `)], [0, '', true]);
    });
  }

  const refusals = [
    ...Object.keys(commands).map((file) => [file, '--nope'] as const),
    ['scripts/bench.mjs', 'client', '--nope'],
    ['scripts/bench.mjs', 'client', '--quick'],
    ['scripts/demo.mjs', 'something'],
    ['scripts/soak.mjs', '--minutes', 'many'],
    ['scripts/test.mjs', '--ring'],
  ] as const;
  // `npm run package` passes its arguments to vsce, which rejects invalid ones.
  for (const [file, ...args] of refusals.filter(([one]) => one !== 'scripts/package.mjs')) {
    it(`are the only ones that it accepts: ${file} ${args.join(' ')} is an error of one line`, () => {
      const { code, stdout, stderr } = runScript(file, ...args);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, /^[^\n]+\n$/);
    });
  }
});
