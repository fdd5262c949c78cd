/** Runs one ring of tests: distributes its files among several processes, and prints and counts their events. */
import { say, seconds } from '../setup/steps.mjs';
import { FileQueue } from './fileQueue.mjs';
import { listTestFiles } from './testFiles.mjs';
import { runWorker } from './worker.mjs';

/**
 * The rings, in the order in which they start, each with the program that runs it. `workers` is the number of processes
 * that share the ring's files; without it, one process runs all files. `longFiles` lists files that take longer than
 * their size suggests.
 */
export const rings = {
  host: {
    script: 'runHost.ts',
    workers: 2,
    longFiles: [
      'verifyTransferredFiles.test.ts',
      'sharedService.test.ts',
      'localService.test.ts',
      'serveFolder.test.ts',
      'serveStore.test.ts',
    ],
    needsEditor: true,
    needsBuild: true,
    needsSuites: true,
  },
  service: {
    script: 'runFiles.ts',
    workers: 2,
    longFiles: [
      'extended/storeResources.test.ts',
      'extended/storeFaults.test.ts',
      'extended/pipes.test.ts',
      'extended/cliRecipes.test.ts',
      'extended/storeCrashes.test.ts',
      'extended/crashes.test.ts',
      'extended/hangingFolders.test.ts',
      'extended/storeTransfers.test.ts',
      'extended/storeRoutes.test.ts',
      'extended/storeBandwidth.test.ts',
      'extended/storeLease.test.ts',
      'extended/soak.test.ts',
      'cliRecords.test.ts',
      'cliSearch.test.ts',
      'storeDaemon.test.ts',
    ],
    needsBuild: true,
  },
  unit: {
    script: 'runFiles.ts',
    workers: 2,
    longFiles: [
      'core/faultMatrix.test.ts',
      'core/secrets.test.ts',
      'service/pathIds.test.ts',
      'core/agentSessions.test.ts',
    ],
    needsBuild: true,
    needsPackage: true,
  },
  ui: {
    script: 'runFiles.ts',
    workers: 2,
    lastFile: 'test/ui/extended/everyCommand.test.ts',
    longFiles: [
      'extended/publicServer.test.ts',
      'extended/walkthrough.test.ts',
      'extended/agents.test.ts',
      'extended/twoWindows.test.ts',
      'journeys.test.ts',
      'accessibility.test.ts',
    ],
    needsEditor: true,
    needsBuild: true,
    needsPackage: true,
    needsInstalled: true,
  },
  desktop: {
    script: 'runDesktop.ts',
    needsBuild: true,
    needsSuites: true,
    onRequest: true,
  },
};

/**
 * Time without a finished test after which a ring process is stopped, in milliseconds. Longer than any test may take,
 * including its hooks.
 */
const stallMs = 900_000;

/** Time limit of a whole run, in milliseconds: less than the 90 minutes that CI allows. */
const runLimitMs = 4_800_000;

class Count {
  passed = 0;
  failures = [];
  tallies = [];

  constructor(name) {
    this.name = name;
    this.prefix = `[${name}]`.padEnd(10);
  }

  add({ event, title, durationMs, reason, tally, line }) {
    if (event === 'line') this.print(line);
    if (event === 'pass') {
      this.passed += 1;
      if (tally) this.tallies.push(tally);
      this.print(`✔ ${title} (${durationMs} ms)`);
    }
    if (event === 'fail') this.fail(title, reason);
    if (event === 'pending') this.fail(title, 'The test is skipped; a skipped test counts as a failure.');
  }

  fail(title, reason) {
    this.failures.push(`${title}\n${shortenError(reason).replace(/^/gm, '    ')}`);
    this.print(`✘ ${title}\n${reason.replace(/^/gm, '    ')}`);
  }

  /** Prints text with the ring's name before each line, because rings run in parallel. */
  print(text) {
    say(text.replace(/^/gm, this.prefix));
  }
}

/** Shortens an error to its first line and the stack frame in the test file. Used for the list at the end of a run. */
function shortenError(reason) {
  const [message, ...stack] = reason.trim().split('\n');
  const place = stack.find((line) => /^\s+at .*\.test\.ts/.test(line));
  return [message, ...(place ? [place.trim()] : [])].join('\n');
}

/** Runs one process of a ring, counts its events, and records a failure if it ends abnormally. */
async function runProcess(name, { args, environment }, count, files) {
  const { script } = rings[name];
  let current;
  const nextFile = async (message) => {
    const next = await files.next(message);
    current = next.file;
    return next;
  };
  const failuresBefore = count.failures.length;
  const limitMs = Math.max(1_000, runLimitMs - performance.now());
  const options = { script, args, environment, stallMs, limitMs };
  const { reason, code, hasEnded } = await runWorker(options, (event) => count.add(event), files && nextFile);
  const where = current === undefined ? '' : ` It was running ${current}.`;
  if (reason) count.fail(`ring ${name}`, `${reason}${where}`);
  else if (!hasEnded) count.fail(`ring ${name}`, `It exited with ${code} before its tests had finished.${where}`);
  else if (code !== 0 && count.failures.length === failuresBefore)
    count.fail(`ring ${name}`, `It exited with ${code}.`);
  if (current !== undefined) files.finish(current);
}

/**
 * Runs one ring in several processes. Each process starts when a slot is free; the second one of any ring only after
 * the first ones of all, so that few editors run at the same time. Resolves to
 * `{ name, passed, failures, tallies }`. A crash, a hang or, unless `pattern` is given, a run without tests counts as a
 * failure.
 */
export async function runRing(name, { pattern, order, isExtended, environment }, slots) {
  const { script, workers, lastFile, longFiles } = rings[name];
  const files = workers
    ? new FileQueue(listTestFiles(name, { longFiles, isExtended }), {
        lastFile: isExtended ? lastFile : undefined,
        order,
      })
    : undefined;
  const args = [...(script === 'runFiles.ts' ? [name] : []), ...(pattern ? [pattern] : [])];
  const count = new Count(name);
  let started;
  const work = async (round) => {
    await slots.run(round, async () => {
      // Always start the first process; start others only while files remain.
      if (started !== undefined && files && !files.areLeft) return;
      started ??= performance.now();
      await runProcess(name, { args, environment }, count, files);
    });
  };
  // A pattern rarely matches enough tests for a second window.
  const processCount = script === 'runHost.ts' && pattern ? 1 : (workers ?? 1);
  await Promise.all(Array.from({ length: processCount }, (_, round) => work(round)));
  if (files?.areLeft) count.fail(`ring ${name}`, `These files were not run: ${files.waiting.join(', ')}.`);
  if (count.passed + count.failures.length === 0 && !pattern) count.fail(`ring ${name}`, 'It ran no tests.');
  say(`${name}: ${count.passed} passed, ${count.failures.length} failed in ${seconds(started)}`);
  const failures = count.failures.map((title) => `${name}: ${title}`);
  return { name, passed: count.passed, failures, tallies: count.tallies };
}
