/**
 * `npm run screenshots` makes the pictures of the README, `-- --check` makes them twice and compares them, and
 * `-- --all` makes every state of every view and page in four themes, for looking at, with a page of all of them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, step, toolEnvironment, toolNode } from './setup/steps.mjs';

function takePictures(args) {
  const child = spawn(toolNode, [join(root, 'scripts', 'screenshots', 'main.ts'), ...args], {
    cwd: root,
    env: toolEnvironment({ TZ: 'UTC', LANG: 'en_US.UTF-8' }),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

await runScript(async () => {
  await setup();
  await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
  process.exitCode = await takePictures(process.argv.slice(2));
});
