/**
 * `npm run bench` lists the benchmarks, and `npm run bench -- client` runs one. `-- client --json` prints one JSON line
 * per measurement and nothing else to standard output. Exits with code 1 if a measurement exceeds its limit.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { StepError, root, runProgram, say } from './setup/steps.mjs';

const folder = join(root, 'bench');

const json = { type: 'boolean', about: 'prints one JSON line per measurement, and nothing else' };
const quick = { type: 'boolean', about: 'measures with less data; the limits apply only to the full amount' };
const row = { type: 'string', value: 'NAME', about: 'runs only this measurement' };

/** Options of the benchmarks that accept options other than `--json`. */
const ownOptions = {
  catalogue: { json, quick },
  editor: { json, row },
  science: { json, quick },
  stores: { json, quick },
};

function names() {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));
}

function readAbout(name) {
  return /^\/\*\* (.*?) \*\//s.exec(readFileSync(join(folder, `${name}.ts`), 'utf8'))?.[1] ?? '';
}

function list() {
  for (const name of names()) say(`npm run bench -- ${name.padEnd(12)} ${readAbout(name)}`);
  say('\nnpm run bench -- BENCH --help lists the options of a bench.');
}

async function runBench(name, args) {
  if (!names().includes(name)) throw new StepError(`Unknown benchmark: ${name}. Available: ${names().join(', ')}.`);
  const usage = { command: `npm run bench -- ${name}`, about: readAbout(name), options: ownOptions[name] ?? { json } };
  if (!readOptions(usage, args)) return;
  const prepare = `import { setup, runScript } from './scripts/setup.mjs'; await runScript(() => setup({ editor: ${name === 'editor'} }));`;
  const prepared = await runProgram(['--input-type=module', '--eval', prepare], { stdout: 2 });
  const bundles = name === 'cluster' ? 'lib,cluster' : 'cli,lib';
  const build = [join(root, 'esbuild.mjs'), '--only', bundles, '--production'];
  const built = prepared || (await runProgram(build, { stdout: 2 }));
  process.exitCode = built || (await runProgram(['--expose-gc', join(folder, `${name}.ts`), ...args]));
}

await runScript(async () => {
  const [name, ...args] = process.argv.slice(2);
  if (name === '--help') say('Usage: npm run bench -- BENCH [options]\n');
  if (name === undefined || name === '--help') list();
  else await runBench(name, args);
});
