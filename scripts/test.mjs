/**
 * Runs the tests on any machine: makes it ready, builds, and runs the rings one after the other.
 * `npm test -- --ring unit,service --grep pattern`; the last line is `N passed, N failed`. `--order reverse` runs the
 * tests of each ring backwards, `--order alone` each by itself: they must not depend on each other.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rings, runRing } from './rings/ring.mjs';
import { tallyLine } from './rings/tallyLine.mjs';
import { runScript, setup } from './setup.mjs';
import { StepError, root, run, say, seconds, step, toolNode } from './setup/steps.mjs';

function chosenRings(text) {
  const usual = Object.keys(rings).filter((name) => !rings[name].onRequest);
  const names = text === undefined ? usual : text.split(',');
  const unknown = names.filter((name) => !(name in rings));
  if (unknown.length === 0) return names;
  throw new StepError(`There is no ring ${unknown.join(', ')}; there are ${Object.keys(rings).join(', ')}.`);
}

/** What one part needs may fail without keeping the others from running; the reason is told once. */
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

/** Makes ready what the chosen rings need; each part tells the rings that go without it. */
async function prepare(names) {
  await setup({ editor: false });
  const needs = (what) => names.some((name) => rings[name][what]);
  return {
    hasEditor: !needs('needsEditor') || (await attempt(() => setup())),
    hasBuild: !needs('needsBuild') || (await attempt(() => build('Build', []))),
    hasSuites: !needs('needsSuites') || (await attempt(() => build('Build of the suites', ['--only', 'tests']))),
  };
}

function whatIsMissing(name, { hasEditor, hasBuild, hasSuites }) {
  const ring = rings[name];
  if (ring.needsBuild && !hasBuild) return 'the build failed';
  if (ring.needsSuites && !hasSuites) return 'the build of its suites failed';
  if (ring.needsEditor && !hasEditor) return 'the editor could not be made ready';
  return undefined;
}

/** The rings of which coverage is judged, where both run as a whole. */
const coveringRings = ['unit', 'service'];

/** Prints how much of the code ran; resolves to a failure where that is less than it should be. */
async function judgeCoverage(countsFolder) {
  const program = join(root, 'scripts', 'rings', 'coverage.mjs');
  const isEnough = await attempt(() =>
    step('Coverage', () =>
      run(toolNode, ['--disable-warning=ExperimentalWarning', program, countsFolder], { label: 'coverage' }),
    ),
  );
  return isEnough ? [] : ['coverage: less of the code ran than should'];
}

const orders = ['written', 'reverse', 'alone'];

function chosenOrder(order = 'written') {
  if (orders.includes(order)) return order;
  throw new StepError(`There is no order ${order}; there are ${orders.join(', ')}.`);
}

async function runRings(names, { pattern, order }, countsFolder) {
  const prepared = await prepare(names);
  const total = { passed: 0, failures: [], tallies: [] };
  for (const name of names) {
    const missing = whatIsMissing(name, prepared);
    const environment = {
      DATA_TRANSFER_TEST_ORDER: order,
      ...(countsFolder && coveringRings.includes(name) && { NODE_V8_COVERAGE: countsFolder }),
    };
    const result = missing
      ? { passed: 0, failures: [`${name}: could not run, because ${missing}`], tallies: [] }
      : await runRing(name, { pattern, environment });
    total.passed += result.passed;
    total.failures.push(...result.failures);
    total.tallies.push(...result.tallies);
  }
  if (pattern && total.passed + total.failures.length === 0) total.failures.push(`no test matches ${pattern}`);
  return total;
}

async function runAll(names, choice) {
  const isCovering = !choice.pattern && coveringRings.every((name) => names.includes(name));
  if (!isCovering) return await runRings(names, choice);
  const countsFolder = mkdtempSync(join(tmpdir(), 'coverage-'));
  try {
    const total = await runRings(names, choice, countsFolder);
    total.failures.push(...(await judgeCoverage(countsFolder)));
    return total;
  } finally {
    rmSync(countsFolder, { recursive: true, force: true });
  }
}

/** Ends with the promised line whatever happens before it. */
async function main() {
  const started = performance.now();
  const option = { type: 'string' };
  const { values } = parseArgs({ options: { ring: option, grep: option, order: option } });
  const total = { passed: 0, failures: ['the tests could not be run'], tallies: [] };
  await attempt(async () => {
    const choice = { pattern: values.grep, order: chosenOrder(values.order) };
    Object.assign(total, await runAll(chosenRings(values.ring), choice));
  });
  if (total.failures.length > 0) say(`\nFailed:\n${total.failures.map((title) => `  ✘ ${title}`).join('\n')}`);
  if (total.tallies.length > 0) say(`\n${tallyLine(total.tallies)}`);
  say(`\ntests took ${seconds(started)}`);
  say(`${total.passed} passed, ${total.failures.length} failed`);
  process.exitCode = total.failures.length > 0 ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
await runScript(main);
