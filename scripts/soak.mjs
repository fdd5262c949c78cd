/**
 * `npm run soak` submits 200 transfers through the built service in ten minutes while the service and windows are
 * killed, and compares the ledger with the service's journal. `npm run soak -- --minutes 1 --seed 7` is shorter and
 * repeats a run. The last line is JSON. Exits with 1 if the ledger was wrong.
 */
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, runProgram, step, toolNode } from './setup/steps.mjs';

await runScript(async () => {
  await setup({ editor: false });
  const build = [join(root, 'esbuild.mjs'), '--only', 'lib'];
  await step('Build of the service', () => run(toolNode, build, { label: 'esbuild' }));
  process.exitCode = await runProgram([join(root, 'scripts', 'soak', 'main.ts'), ...process.argv.slice(2)]);
});
