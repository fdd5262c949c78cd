/** One ring of tests as a process: its events printed as they come, and counted. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { root, say, seconds, toolEnvironment, toolNode } from '../setup/steps.mjs';

const mark = '@ring ';
const endLimitMs = 10_000;

/**
 * The rings and the program that runs each. Each test has a limit of its own. A ring is stopped when no test has ended
 * for `stallMs`, which is longer than a test with its hooks may take, or after `limitMs`, a bound against tests that end
 * ever more slowly: all bounds together leave room within the 90 minutes of a hosted run.
 */
export const rings = {
  unit: { script: 'runFiles.ts', args: ['unit'], stallMs: 120_000, limitMs: 600_000, needsBuild: true },
  service: { script: 'runFiles.ts', args: ['service'], stallMs: 360_000, limitMs: 1_200_000, needsBuild: true },
  host: {
    script: 'runHost.ts',
    args: [],
    stallMs: 180_000,
    limitMs: 900_000,
    needsEditor: true,
    needsBuild: true,
    needsSuites: true,
  },
  ui: {
    script: 'runFiles.ts',
    args: ['ui'],
    stallMs: 480_000,
    limitMs: 2_100_000,
    needsEditor: true,
    needsBuild: true,
  },
  desktop: {
    script: 'runDesktop.ts',
    args: [],
    stallMs: 180_000,
    limitMs: 900_000,
    needsBuild: true,
    needsSuites: true,
    onRequest: true,
  },
};

class Count {
  passed = 0;
  failures = [];
  tallies = [];
  hasEnded = false;
  /** The title of the test that ended last. */
  last = 'none';

  add(event) {
    this.last = event.title ?? this.last;
    if (event.event === 'end') this.hasEnded = true;
    if (event.event === 'pass') {
      this.passed += 1;
      if (event.tally) this.tallies.push(event.tally);
      say(`  ✔ ${event.title} (${event.durationMs} ms)`);
    }
    if (event.event === 'fail') this.fail(event.title, event.reason);
    if (event.event === 'pending') this.fail(event.title, 'The test is skipped; a skipped test counts as a failure.');
  }

  fail(title, reason) {
    this.failures.push(title);
    say(`  ✘ ${title}\n${reason.replace(/^/gm, '      ')}`);
  }
}

/** A host's console may put other text before the mark, so it is looked for anywhere in the line. True for an event. */
function readLine(line, count) {
  const start = line.indexOf(mark);
  if (start < 0) {
    say(`  ${line}`);
    return false;
  }
  try {
    count.add(JSON.parse(line.slice(start + mark.length)));
  } catch {
    count.fail('reading the results', `This line is not an event: ${line}`);
  }
  return true;
}

function endGroup(child) {
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/PID', String(child.pid), '/T', '/F']);
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended already.
  }
}

/** Resolves to how the process ended; ends it with its children when the ring, or what it left running, takes too long. */
function watch(child, count, { stallMs, limitMs }) {
  return new Promise((resolve) => {
    const ended = { reason: undefined };
    const stop = (reason) => {
      ended.reason = reason;
      endGroup(child);
      setTimeout(() => child.kill('SIGKILL'), endLimitMs).unref();
    };
    const limit = setTimeout(() => stop(`It did not end within ${limitMs / 1000} s.`), limitMs);
    const stall = setTimeout(
      () => stop(`No test ended for ${stallMs / 1000} s; the last one: ${count.last}.`),
      stallMs,
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (readLine(line, count)) stall.refresh();
      if (!count.hasEnded) return;
      clearTimeout(limit);
      clearTimeout(stall);
      const left = setTimeout(() => stop('Its tests ended but something they started kept it running.'), endLimitMs);
      child.once('close', () => clearTimeout(left));
    });
    createInterface({ input: child.stderr }).on('line', (line) => say(`  ${line}`));
    child.once('error', (error) => resolve({ reason: `It could not be started: ${error.message}` }));
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      clearTimeout(stall);
      resolve({ code: signal ?? code, ...ended });
    });
  });
}

/** Runs one ring; resolves to `{ passed, failures, tallies }`, where a crash, a hang or no test at all is a failure of its own. */
export async function runRing(name, { pattern, environment }) {
  const { script, args, ...limits } = rings[name];
  const started = performance.now();
  say(`\n${name} …`);
  const child = spawn(toolNode, [join(root, 'scripts', 'rings', script), ...args, ...(pattern ? [pattern] : [])], {
    cwd: root,
    env: toolEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const stopWithUs = () => endGroup(child);
  process.once('exit', stopWithUs);
  const count = new Count();
  const { reason, code } = await watch(child, count, limits);
  process.off('exit', stopWithUs);
  if (reason) count.fail(`ring ${name}`, reason);
  else if (!count.hasEnded) count.fail(`ring ${name}`, `It ended with ${code} before its tests were through.`);
  else if (code !== 0 && count.failures.length === 0) count.fail(`ring ${name}`, `It ended with ${code}.`);
  if (count.passed + count.failures.length === 0 && !pattern) count.fail(`ring ${name}`, 'It ran no test.');
  say(`${name}: ${count.passed} passed, ${count.failures.length} failed in ${seconds(started)}`);
  const failures = count.failures.map((title) => `${name}: ${title}`);
  return { passed: count.passed, failures, tallies: count.tallies };
}
