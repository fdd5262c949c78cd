/**
 * `npm run screenshots` takes the pictures for the README, and `-- --check` takes them twice and compares them.
 * `-- --animation` makes the animation of the README, which needs `img2webp`.
 * `-- --all` takes every state of every view and page in four themes for review, and writes a page that shows all of
 * them; `--look narrow` and `--look zoom` take them with a narrow side bar and enlarged.
 */
import { join } from 'node:path';
import { runWithBuild } from './build/buildLock.mjs';
import { runScript, setup } from './setup.mjs';
import { root, run, runProgram, step, toolEnvironment, toolNode } from './setup/steps.mjs';

await runScript(async () => {
  await setup();
  await runWithBuild('screenshots', async () => {
    await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
    const program = join(root, 'scripts', 'screenshots', 'main.ts');
    const env = toolEnvironment({ TZ: 'UTC', LANG: 'en_US.UTF-8' });
    process.exitCode = await runProgram([program, ...process.argv.slice(2)], { env });
  });
});
