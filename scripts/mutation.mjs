/**
 * Runs mutation tests. Makes small changes to the code, one at a time, and checks whether a test fails:
 * `npm run mutation -- recipes --sample 200 --seed 1`. Prints the changes that no test detected and a summary of each
 * part. Exits with code 1 if too few changes were detected.
 */
import { Stryker } from '@stryker-mutator/core';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parts } from './mutation/parts.mjs';
import { runScript } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const leastPercent = 80;

const plugin = (name) => join(root, 'scripts', 'mutation', `${name}.mjs`);

function chosenParts(names) {
  for (const name of names)
    if (!(name in parts)) throw new StepError(`Unknown part: ${name}. Available: ${Object.keys(parts).join(', ')}.`);
  return names.length === 0 ? Object.keys(parts) : names;
}

const common = {
  testRunner: 'mocha-files',
  plugins: [plugin('mochaRunner'), plugin('sampleChecker')],
  ignorePatterns: ['bench', 'dist', 'media', 'test-results', 'test/host', 'test/ui'],
  reporters: ['progress-append-only'],
  warnings: { unknownOptions: false },
  // Stryker detects infinite loops by counting iterations, so the time limit only has to allow for a busy machine.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 10,
  logLevel: 'warn',
};

/**
 * Runs the tests against each change, or against a random sample of the changes. Resolves to Stryker's result for each
 * change.
 */
async function results({ changed, tests, isQuick = false }, options) {
  // Property tests detect more changes if they try more values.
  process.env.DATA_TRANSFER_TEST_SIZE = isQuick ? 'quick' : 'deep';
  const checkers = options.sample === undefined ? [] : ['sample'];
  return await new Stryker({ ...common, ...options, checkers, mutate: changed, tests }).runMutationTest();
}

function printSurvivors(survivors) {
  for (const { fileName, location, status, mutatorName, replacement } of survivors) {
    const place = `${fileName.slice(root.length + 1)}:${location.start.line}:${location.start.column}`;
    say(`  ${place} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`);
  }
}

/** Prints the changes that no test detected, and a summary. Returns true if enough changes were detected. */
function reportPart(name, found, { sample, seed }, started) {
  const of = (...statuses) => found.filter(({ status }) => statuses.includes(status));
  const survivors = of('Survived', 'NoCoverage');
  printSurvivors(survivors);
  const noticed = of('Killed', 'Timeout').length;
  const all = noticed + survivors.length;
  const percent = (100 * noticed) / all;
  const changes = sample === undefined ? 'changes' : `changes in a sample (seed ${seed}) of ${found.length}`;
  const score = `${noticed} of ${all} ${changes} detected, ${percent.toFixed(1)}%`;
  say(`${name}: ${score} (at least ${leastPercent}%), in ${seconds(started)}`);
  return percent >= leastPercent;
}

function toCount(name, text) {
  if (!/^[1-9]\d*$/.test(text)) throw new StepError(`--${name} must be a positive whole number.`);
  return Number(text);
}

const number = { type: 'string', value: 'N' };
const usage = {
  command: 'npm run mutation --',
  about: `Makes small changes to the code and checks whether a test fails. Parts: ${Object.keys(parts).join(', ')}.`,
  operand: '[part…]',
  options: {
    sample: { ...number, about: 'tests only N random changes to each part' },
    seed: { ...number, about: 'the seed of the random samples, to repeat a run' },
    workers: { ...number, default: '2', about: 'the number of changes to test in parallel (default: 2)' },
  },
};

function toChoice({ values, positionals }) {
  const { sample, seed = String(randomInt(1e6)), workers } = values;
  const count = sample === undefined ? undefined : toCount('sample', sample);
  return { names: positionals, concurrency: toCount('workers', workers), sample: count, seed };
}

await runScript(async () => {
  const given = readOptions(usage);
  if (!given) return;
  const { names, ...options } = toChoice(given);
  for (const name of chosenParts(names)) {
    const started = performance.now();
    const found = await results(parts[name], options);
    if (!reportPart(name, found, options, started)) process.exitCode = 1;
  }
});
