/**
 * Installs dependencies, builds, and runs the rings of tests (docs/testing.md) in parallel:
 * `npm test -- --ring unit,service --grep pattern`. The last line of the output is `N passed, N failed`. To find tests
 * that depend on each other, `--order reverse` runs the tests of each ring in reverse order, and `--order alone` runs
 * each test separately. Any option also includes the extended tests; `--extended` has no other effect (D69: extended
 * tests). `--deep` (`npm run test:deep`) repeats tests often enough to find rare failures.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { rings, runRing } from './rings/ring.mjs';
import { Slots } from './rings/slots.mjs';
import { tallyLine } from './rings/tallyLine.mjs';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { StepError, root, run, say, seconds, step, toolNode } from './setup/steps.mjs';

function chosenRings(text) {
  const usual = Object.keys(rings).filter((name) => !rings[name].onRequest);
  const names = text === undefined ? usual : text.split(',');
  const unknown = names.filter((name) => !(name in rings));
  if (unknown.length === 0) return names;
  throw new StepError(`Unknown ring: ${unknown.join(', ')}. Available: ${Object.keys(rings).join(', ')}.`);
}

/** Runs work whose failure doesn't stop the run. On failure, prints the error and resolves to false. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    say(error instanceof StepError ? error.message : error.stack);
    return false;
  }
}

function build(title, args) {
  return step(title, () => run(toolNode, [join(root, 'esbuild.mjs'), ...args], { label: 'esbuild' }));
}

function runPreparation(title, program) {
  return step(title, () => run(toolNode, [join(root, 'scripts', 'rings', program)], { label: title.toLowerCase() }));
}

/**
 * Prepares everything that the selected rings need. Resolves to one flag per step, which is false if the step failed. A
 * ring can't run if a step that it needs has failed.
 */
async function prepare(names) {
  await setup({ editor: false });
  const needs = (what) => names.some((name) => rings[name][what]);
  const hasEditor = !needs('needsEditor') || (await attempt(() => setup()));
  // Packing leaves a production build in `dist`, so it comes before the build for the tests.
  const hasPackage = !needs('needsPackage') || (await attempt(() => runPreparation('Package', 'packExtension.ts')));
  const [hasInstalled, hasBuild, hasSuites] = await Promise.all([
    !needs('needsInstalled') ||
      (hasEditor && hasPackage && attempt(() => runPreparation('Installation', 'installPacked.ts'))),
    !needs('needsBuild') || attempt(() => build('Build', [])),
    !needs('needsSuites') || attempt(() => build('Test suite build', ['--only', 'tests'])),
  ]);
  return { hasEditor, hasPackage, hasInstalled, hasBuild, hasSuites };
}

function findMissingPrerequisite(name, { hasEditor, hasPackage, hasInstalled, hasBuild, hasSuites }) {
  const ring = rings[name];
  if (ring.needsBuild && !hasBuild) return 'the build failed';
  if (ring.needsSuites && !hasSuites) return 'the build of its test suites failed';
  if (ring.needsEditor && !hasEditor) return 'the editor could not be set up';
  if (ring.needsPackage && !hasPackage) return 'the extension could not be packed';
  if (ring.needsInstalled && !hasInstalled) return 'the extension could not be installed';
  return undefined;
}

/** The rings whose coverage is checked if both run completely. */
const coveringRings = ['unit', 'service'];

/** Prints the coverage. Resolves to the failures: none, or one if the coverage is too low or can't be measured. */
async function checkCoverage(countsFolder) {
  const program = join(root, 'scripts', 'rings', 'coverage.mjs');
  const isEnough = await attempt(() =>
    step('Coverage', () =>
      run(toolNode, ['--disable-warning=ExperimentalWarning', program, countsFolder], { label: 'coverage' }),
    ),
  );
  return isEnough ? [] : ['coverage: too low, or not measured'];
}

const orders = ['written', 'reverse', 'alone'];

function chosenOrder(order = 'written') {
  if (orders.includes(order)) return order;
  throw new StepError(`Unknown order: ${order}. Available: ${orders.join(', ')}.`);
}

/** Maximum number of concurrent processes. Exceeds the number of cores, because processes are sometimes idle. */
const slotCount = Math.max(2, availableParallelism()) + 2;

async function runRings(names, choice, countsFolder) {
  const prepared = await prepare(names);
  const slots = new Slots(slotCount);
  const results = names.map(async (name) => {
    const missing = findMissingPrerequisite(name, prepared);
    if (missing) return { name, passed: 0, failures: [`${name}: could not run, because ${missing}`], tallies: [] };
    const environment = {
      DATA_TRANSFER_TESTS_PREPARED: 'true',
      DATA_TRANSFER_TEST_ORDER: choice.order,
      DATA_TRANSFER_TEST_SIZE: choice.size,
      ...(countsFolder && coveringRings.includes(name) && { NODE_V8_COVERAGE: countsFolder }),
    };
    return await runRing(name, { ...choice, environment }, slots);
  });
  const total = { passed: 0, failures: [], tallies: [], rings: await Promise.all(results) };
  for (const { passed, failures, tallies } of total.rings) {
    total.passed += passed;
    total.failures.push(...failures);
    total.tallies.push(...tallies);
  }
  if (choice.pattern && total.passed + total.failures.length === 0)
    total.failures.push(`no test matches ${choice.pattern}`);
  return total;
}

/** Calls `work` with a new temporary folder, which is removed when `work` has ended. */
async function inNewFolder(prefix, work) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the rings and checks the coverage. Resolves to the totals; insufficient coverage counts as a failure. */
async function runCovered(names, choice) {
  return inNewFolder('coverage-', async (countsFolder) => {
    const total = await runRings(names, choice, countsFolder);
    total.failures.push(...(await checkCoverage(countsFolder)));
    return total;
  });
}

/** Runs the rings with a shared compile cache, because they start hundreds of processes that load the sources. */
async function runAll(names, choice) {
  return inNewFolder('compiled-', async (compiledFolder) => {
    process.env.NODE_COMPILE_CACHE = compiledFolder;
    const isCovering = choice.isExtended && !choice.pattern && coveringRings.every((name) => names.includes(name));
    return isCovering ? await runCovered(names, choice) : await runRings(names, choice);
  });
}

const usage = {
  command: 'npm test --',
  about: 'Runs the tests. Any option includes the extended tests.',
  options: {
    ring: { type: 'string', value: 'NAME,…', about: `runs only these rings: ${Object.keys(rings).join(', ')}` },
    grep: { type: 'string', value: 'PATTERN', about: 'runs only the tests whose title matches' },
    order: { type: 'string', value: 'ORDER', about: 'reverse: in reverse order; alone: each test separately' },
    extended: { type: 'boolean', about: 'adds the extended tests' },
    deep: { type: 'boolean', about: 'repeats tests to find rare failures' },
  },
};

/** Runs the tests, and prints the results; the last line is the summary. */
async function main() {
  const started = performance.now();
  const { values } = readOptions(usage) ?? {};
  if (!values) return;
  const total = { passed: 0, failures: ['the tests could not be run'], tallies: [], rings: [] };
  await attempt(async () => {
    const size = values.deep ? 'deep' : 'quick';
    const isExtended = Object.keys(values).length > 0;
    const choice = { pattern: values.grep, order: chosenOrder(values.order), size, isExtended };
    Object.assign(total, await runAll(chosenRings(values.ring), choice));
  });
  if (total.failures.length > 0) say(`\nFailed:\n${total.failures.map((title) => `  ✘ ${title}`).join('\n')}`);
  if (total.tallies.length > 0) say(`\n${tallyLine(total.tallies)}`);
  say(`\ntests took ${seconds(started)}`);
  for (const { name, passed, failures } of total.rings) say(`${name}: ${passed} passed, ${failures.length} failed`);
  say(`${total.passed} passed, ${total.failures.length} failed`);
  process.exitCode = total.failures.length > 0 ? 1 : 0;
}

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => process.exit(exitCode));
await runScript(main);
