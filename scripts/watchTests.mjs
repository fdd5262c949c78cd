/**
 * `npm run test:watch` runs the unit ring in one process, and again after each change to a file that it has loaded. If
 * files are given, runs only those: `npm run test:watch -- test/unit/core/pollSchedule.test.ts`. Node.js watches,
 * because mocha's own watch mode can't load modules that use top-level await.
 */
import { join } from 'node:path';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { root, runProgram } from './setup/steps.mjs';

const usage = {
  command: 'npm run test:watch --',
  about: 'Runs the unit ring or test files, and again after each change.',
  operand: '[FILE…]',
};

await runScript(async () => {
  const given = readOptions(usage);
  if (given === undefined) return;
  await setup();
  const files = given.positionals.length > 0 ? given.positionals : ['test/unit/**/*.test.ts'];
  const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  process.exitCode = await runProgram(['--watch', '--watch-preserve-output', mocha, ...files]);
});
