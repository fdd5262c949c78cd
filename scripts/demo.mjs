/**
 * `npm run demo` starts the local service with sample data and an editor with the extension, and says where to look.
 * `npm run demo -- --headless` does the main job through the interface and ends.
 */
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { root, run, runProgram, step, toolNode } from './setup/steps.mjs';

await runScript(async () => {
  await setup();
  await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
  process.exitCode = await runProgram([join(root, 'scripts', 'demo', 'main.ts'), ...process.argv.slice(2)]);
});
