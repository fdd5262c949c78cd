/**
 * Makes small changes to the code, one at a time, and checks whether a test fails:
 * `npm run mutation -- --only monitor`. Prints the changes that no test noticed and a summary of each part. Exits with
 * 1 if too few were noticed.
 */
import { Stryker } from '@stryker-mutator/core';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runScript } from './setup.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const leastPercent = 80;

const core = (...names) => names.map((name) => `test/unit/core/${name}.test.ts`);

/** The files to change, and the tests that should notice, the fast ones first. */
const parts = {
  arguments: { changed: 'src/core/client/arguments.ts', tests: ['test/unit/client/*rgument*.test.ts'] },
  monitor: {
    changed: 'src/core/monitor/**/*.ts',
    tests: [
      ...core('pollSchedule', 'progressEstimate', 'estimates', 'statusUpdates', 'pollQueue', 'leaseElection'),
      ...core('transferMonitor', 'monitor'),
    ],
  },
  ledger: {
    changed: 'src/core/ledger/**/*.ts',
    tests: [
      ...core('transferRecord', 'transferMerge', 'unsavedRecords', 'ledgerWatch', 'windowMessages', 'noticeClaims'),
      ...core('ledgerFiles', 'ledger', 'pollingLease'),
    ],
  },
};

function chosenParts(only) {
  if (only === undefined) return Object.keys(parts);
  if (only in parts) return [only];
  throw new StepError(`There is no part ${only}; there are ${Object.keys(parts).join(', ')}.`);
}

/** Runs the tests against each change; resolves to the results. */
async function results({ changed, tests }, concurrency) {
  return await new Stryker({
    mutate: [changed],
    tests,
    concurrency,
    testRunner: 'mocha-files',
    plugins: [join(root, 'scripts', 'mutation', 'mochaRunner.mjs')],
    ignorePatterns: ['bench', 'dist', 'docs', 'media', 'test-results', 'test/host', 'test/ui'],
    reporters: ['progress-append-only'],
    warnings: { unknownOptions: false },
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 10,
    logLevel: 'warn',
  }).runMutationTest();
}

/** Prints the changes that no test noticed. Returns true if enough were noticed. */
function tell(name, found, started) {
  const of = (...statuses) => found.filter(({ status }) => statuses.includes(status));
  const unnoticed = of('Survived', 'NoCoverage');
  const noticed = of('Killed', 'Timeout').length;
  for (const { fileName, location, status, mutatorName, replacement } of unnoticed) {
    const place = `${fileName.slice(root.length + 1)}:${location.start.line + 1}:${location.start.column + 1}`;
    say(`  ${place} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`);
  }
  const all = noticed + unnoticed.length;
  const percent = (100 * noticed) / all;
  say(
    `${name}: ${noticed} of ${all} changes noticed, ${percent.toFixed(1)} % (at least ${leastPercent} %), in ${seconds(started)}`,
  );
  return percent >= leastPercent;
}

// Lets properties try all their values, so that they notice as many changes as possible.
process.env.DATA_TRANSFER_TEST_SIZE = 'deep';

await runScript(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' }, workers: { type: 'string', default: '2' } } });
  for (const name of chosenParts(values.only)) {
    const started = performance.now();
    const found = await results(parts[name], Number(values.workers));
    if (!tell(name, found, started)) process.exitCode = 1;
  }
});
