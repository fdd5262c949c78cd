/**
 * `npm run package` builds the extension and packs it as a VSIX, and the command line as an npm package beside it.
 * Arguments after `--` are passed to vsce.
 */
import { join } from 'node:path';
import { runWithBuild } from './build/buildLock.mjs';
import { packCli } from './package/cliPackage.mjs';
import { runScript, setup } from './setup.mjs';
import { root, run, step, toolNode } from './setup/steps.mjs';

const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');

await runScript(async () => {
  await setup({ editor: false });
  const args = [vsce, 'package', '--no-dependencies', ...process.argv.slice(2)];
  await runWithBuild('package', async () => {
    await step('Package', () => run(toolNode, args, { label: 'vsce' }));
    await step('Command line', () => packCli(join(root, 'dist'), root));
  });
});
