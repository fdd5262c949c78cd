/**
 * `npm run demo` starts the local service with sample data and an editor with the extension, and says where to look.
 * `npm run demo -- --headless` does the main job through the interface and ends.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, step, toolEnvironment, toolNode } from './setup/steps.mjs';

/** Ctrl-C reaches the demo itself as well: this process only waits until it has cleaned up. */
function runDemo(args) {
  const child = spawn(toolNode, [join(root, 'scripts', 'demo', 'main.ts'), ...args], {
    cwd: root,
    env: toolEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

await runScript(async () => {
  await setup();
  await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
  process.exitCode = await runDemo(process.argv.slice(2));
});
