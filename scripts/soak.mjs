/**
 * `npm run soak` submits 200 transfers through the built service in ten minutes. Repeatedly kills the service and
 * windows, and compares the ledger with the service's journal. `npm run soak -- --minutes 1 --seed 7` runs a shorter
 * test with a given seed. The last line is JSON. Exits with code 1 if the ledger and the journal disagree.
 */
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { StepError, root, run, runProgram, step, toolNode } from './setup/steps.mjs';

const number = { type: 'string', value: 'N' };
const usage = {
  command: 'npm run soak --',
  about: 'Submits transfers, repeatedly kills the service and windows, and compares the ledger with the journal.',
  options: {
    minutes: { ...number, about: 'the duration in minutes (default: 10)' },
    seed: { ...number, about: 'the random seed, to repeat a run' },
    transfers: { ...number, about: 'the number of transfers (default: 20 per minute, at least 20)' },
  },
};

await runScript(async () => {
  const options = readOptions(usage);
  if (!options) return;
  for (const [name, text] of Object.entries(options.values))
    if (!/^\d+(\.\d+)?$/.test(text)) throw new StepError(`--${name} must be a number.`);
  await setup({ editor: false });
  const build = [join(root, 'esbuild.mjs'), '--only', 'lib'];
  await step('Service build', () => run(toolNode, build, { label: 'esbuild' }));
  process.exitCode = await runProgram([join(root, 'scripts', 'soak', 'main.ts'), ...process.argv.slice(2)]);
});
