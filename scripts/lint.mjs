/**
 * Runs all linters, and prints the progress of each: `npm run lint`. If files are given, runs only ESLint and Prettier
 * on those files: `npm run lint -- src/core/util/clock.ts`.
 */
import { join } from 'node:path';
import { runScript } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { root, run, step, toolNode } from './setup/steps.mjs';

const tool = (...path) => join(root, 'node_modules', ...path);
const eslint = [tool('eslint', 'bin', 'eslint.js'), '--max-warnings', '0', '--no-warn-ignored'];
const prettier = [tool('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level', 'warn', '--ignore-unknown'];

/** The linters that check the whole project. */
const wholeProject = {
  'Unused code and dependencies': [tool('knip', 'bin', 'knip.js')],
  'Subjects of commits': [join(root, 'scripts', 'lint', 'commits.mjs')],
  Counts: [join(root, 'scripts', 'metrics', 'main.ts')],
};

async function lint() {
  const usage = {
    command: 'npm run lint --',
    about: 'Runs all linters, or checks the rules and format of files.',
    operand: '[FILE…]',
  };
  const given = readOptions(usage);
  if (given === undefined) return;
  const files = given.positionals;
  const places = files.length === 0 ? ['.'] : files;
  const checks = { Rules: [...eslint, ...places], Format: [...prettier, ...places] };
  for (const [title, args] of Object.entries(files.length === 0 ? { ...checks, ...wholeProject } : checks)) {
    await step(title, () => run(toolNode, args, { label: title.toLowerCase() }));
  }
}

await runScript(lint);
