/**
 * `npm run screenshots` takes the screenshots for the README, and `-- --check` takes them twice and compares them.
 * `-- --animation` creates the README's animation and requires `img2webp`. `-- --all` captures every state of every
 * view and page in four themes for review, and writes a page that shows all screenshots; `--look narrow` and
 * `--look wide` capture the states with a narrow or wide side bar, and `--look zoom` captures them zoomed in.
 */
import { join } from 'node:path';
import { runWithBuild } from './build/buildLock.mjs';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { root, run, runProgram, step, toolEnvironment, toolNode } from './setup/steps.mjs';

const flag = { type: 'boolean' };
const names = { type: 'string', multiple: true, value: 'NAME' };
const usage = {
  command: 'npm run screenshots --',
  about: 'Takes the screenshots for the README.',
  options: {
    check: { ...flag, about: 'takes them twice and compares them' },
    animation: { ...flag, about: 'creates the animation for the README; requires img2webp' },
    all: { ...flag, about: 'captures every state of every view and page in four themes' },
    scene: { ...names, about: 'with --all: captures only this scene; can be repeated' },
    theme: { ...names, about: 'captures only this theme; can be repeated' },
    look: { ...names, about: 'captures this look (plain, narrow, wide or zoom); can be repeated' },
  },
};

await runScript(async () => {
  if (!readOptions(usage)) return;
  await setup();
  await runWithBuild('screenshots', async () => {
    await step('Build', () => run(toolNode, [join(root, 'esbuild.mjs')], { label: 'esbuild' }));
    const program = join(root, 'scripts', 'screenshots', 'main.ts');
    const env = toolEnvironment({ TZ: 'UTC', LANG: 'en_US.UTF-8' });
    process.exitCode = await runProgram([program, ...process.argv.slice(2)], { env });
  });
});
