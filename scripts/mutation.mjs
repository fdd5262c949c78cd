/**
 * Makes small changes to the code, one at a time, and checks whether a test fails:
 * `npm run mutation -- recipes --sample 200 --seed 1`. Prints the changes that no test noticed and a summary of each
 * part. Exits with 1 if too few were noticed.
 */
import { Stryker } from '@stryker-mutator/core';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parts } from './mutation/parts.mjs';
import { runScript } from './setup.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const leastPercent = 80;

const plugin = (name) => join(root, 'scripts', 'mutation', `${name}.mjs`);

function chosenParts(names) {
  for (const name of names)
    if (!(name in parts)) throw new StepError(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`);
  return names.length === 0 ? Object.keys(parts) : names;
}

/** Runs the tests against each change, or against those of a sample; resolves to the results. */
async function results({ changed, tests, isQuick = false }, { concurrency, ...sampling }) {
  // Properties that try all their values notice as many changes as possible.
  process.env.DATA_TRANSFER_TEST_SIZE = isQuick ? 'quick' : 'deep';
  return await new Stryker({
    mutate: changed,
    tests,
    concurrency,
    ...sampling,
    checkers: sampling.sample === undefined ? [] : ['sample'],
    testRunner: 'mocha-files',
    plugins: [plugin('mochaRunner'), plugin('sampleChecker')],
    ignorePatterns: ['bench', 'dist', 'media', 'test-results', 'test/host', 'test/ui'],
    reporters: ['progress-append-only'],
    warnings: { unknownOptions: false },
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 10,
    logLevel: 'warn',
  }).runMutationTest();
}

function tellUnnoticed(unnoticed) {
  for (const { fileName, location, status, mutatorName, replacement } of unnoticed) {
    const place = `${fileName.slice(root.length + 1)}:${location.start.line + 1}:${location.start.column + 1}`;
    say(`  ${place} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`);
  }
}

/** Prints the changes that no test noticed. Returns true if enough were noticed. */
function tell(name, found, { sample, seed }, started) {
  const of = (...statuses) => found.filter(({ status }) => statuses.includes(status));
  const unnoticed = of('Survived', 'NoCoverage');
  tellUnnoticed(unnoticed);
  const noticed = of('Killed', 'Timeout').length;
  const all = noticed + unnoticed.length;
  const percent = (100 * noticed) / all;
  const sampled = sample === undefined ? '' : ` in a sample (seed ${seed}) of ${found.length}`;
  const score = `${noticed} of ${all} changes${sampled} noticed, ${percent.toFixed(1)} %`;
  say(`${name}: ${score} (at least ${leastPercent} %), in ${seconds(started)}`);
  return percent >= leastPercent;
}

function parse() {
  const number = { type: 'string' };
  const options = { sample: number, seed: number, workers: { ...number, default: '2' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  return { names: positionals, concurrency: Number(values.workers), sample, seed: values.seed ?? randomInt(1e6) };
}

await runScript(async () => {
  const { names, ...options } = parse();
  for (const name of chosenParts(names)) {
    const started = performance.now();
    const found = await results(parts[name], options);
    if (!tell(name, found, options, started)) process.exitCode = 1;
  }
});
