/**
 * `npm run demo` starts the local service with sample data and an editor with the extension. Prints how to open the
 * editor. `npm run demo -- --headless` runs the main workflow through the UI and exits.
 */
import { join } from 'node:path';
import { runWithBuild } from './build/buildLock.mjs';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { root, run, runProgram, step, toolNode } from './setup/steps.mjs';

const usage = {
  command: 'npm run demo --',
  about: 'Starts the local service with sample data and an editor with the extension.',
  options: { headless: { type: 'boolean', about: 'runs the main workflow through the UI, and exits' } },
};

await runScript(async () => {
  if (!readOptions(usage)) return;
  await setup();
  await runWithBuild('demo', async () => {
    await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
    process.exitCode = await runProgram([join(root, 'scripts', 'demo', 'main.ts'), ...process.argv.slice(2)]);
  });
});
