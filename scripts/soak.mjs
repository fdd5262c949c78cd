/**
 * `npm run soak` submits 200 transfers through the built service in ten minutes, while service and windows are killed,
 * and holds what the ledger says against what is true. `npm run soak -- --minutes 1 --seed 7` is shorter, and the same
 * again. The last line is JSON; it ends with 1 where the ledger was wrong.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, step, toolEnvironment, toolNode } from './setup/steps.mjs';

function runSoak(args) {
  const child = spawn(toolNode, [join(root, 'scripts', 'soak', 'main.ts'), ...args], {
    cwd: root,
    env: toolEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

await runScript(async () => {
  await setup({ editor: false });
  const build = [join(root, 'esbuild.mjs'), '--only', 'service,thread'];
  await step('Build of the service', () => run(toolNode, build, { label: 'esbuild' }));
  process.exitCode = await runSoak(process.argv.slice(2));
});
