/**
 * `npm run package` builds the extension and packs it as a VSIX. Also packs the command-line tool as an npm package.
 * Arguments after `--` are passed to vsce.
 */
import { join } from 'node:path';
import { runWithBuild } from './build/buildLock.mjs';
import { packCli } from './package/cliPackage.mjs';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { root, run, step, toolNode } from './setup/steps.mjs';

const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');

const usage = {
  command: 'npm run package --',
  about:
    'Packs the extension as a VSIX, and the command line as an npm package. Other options are passed to vsce package.',
};

await runScript(async () => {
  const given = process.argv.slice(2);
  if (['--help', '-h'].some((option) => given.includes(option)) && !readOptions(usage, ['--help'])) return;
  await setup({ editor: false });
  const args = [vsce, 'package', '--no-dependencies', ...given];
  await runWithBuild('package', async () => {
    await step('Package', () => run(toolNode, args, { label: 'vsce' }));
    await step('Command line', () => packCli(join(root, 'dist'), root));
  });
});
