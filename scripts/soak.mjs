/**
 * `npm run soak` submits 200 transfers through the built service in ten minutes, while service and windows are killed,
 * and holds what the ledger says against what is true. `npm run soak -- --minutes 1 --seed 7` is shorter, and the same
 * again. The last line is JSON; it ends with 1 where the ledger was wrong.
 */
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, runProgram, step, toolNode } from './setup/steps.mjs';

await runScript(async () => {
  await setup({ editor: false });
  const build = [join(root, 'esbuild.mjs'), '--only', 'service,thread'];
  await step('Build of the service', () => run(toolNode, build, { label: 'esbuild' }));
  process.exitCode = await runProgram([join(root, 'scripts', 'soak', 'main.ts'), ...process.argv.slice(2)]);
});
