/** Runs one process of a ring: parses its output lines as events and detects when it ends. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { root, toolEnvironment, toolNode } from '../setup/steps.mjs';

const mark = '@ring ';
const endLimitMs = 10_000;

/** Parses a line as an event. The console of an extension host may print other text before the marker. */
function toEvent(line) {
  const start = line.indexOf(mark);
  if (start < 0) return { event: 'line', line };
  try {
    return JSON.parse(line.slice(start + mark.length));
  } catch {
    return { event: 'fail', title: 'reading the results', reason: `This line is not an event: ${line}` };
  }
}

function endGroup(child) {
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/PID', String(child.pid), '/T', '/F']);
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // The process has already ended.
  }
}

/**
 * Stops a process that exceeds a time limit. Separate limits apply to the entire run, to the time between two tests,
 * and to the time that the process takes to exit after the last test.
 */
class Limits {
  constructor(child, { stallMs, limitMs }) {
    this.child = child;
    this.last = 'none';
    this.limit = setTimeout(() => this.stop(`It did not end within ${Math.round(limitMs / 1000)} s.`), limitMs);
    this.stall = setTimeout(
      () => this.stop(`No test ended for ${stallMs / 1000} s. The last test was: ${this.last}.`),
      stallMs,
    );
  }

  see({ event, title }) {
    if (event === 'line') return;
    this.last = title ?? this.last;
    this.stall.refresh();
    if (event !== 'end') return;
    this.clear();
    this.left = setTimeout(() => this.stop('Its tests ended but something they started kept it running.'), endLimitMs);
  }

  stop(reason) {
    this.reason = reason;
    endGroup(this.child);
    setTimeout(() => this.child.kill('SIGKILL'), endLimitMs).unref();
  }

  clear() {
    for (const timer of [this.limit, this.stall, this.left]) clearTimeout(timer);
  }
}

/**
 * Runs a program of a ring. `onEvent` receives each event, and every other line as a `line` event. `nextFile`, if
 * given, returns the response to each `ready` message. Resolves when the program has exited: `code` is its exit code or
 * signal, `hasEnded` is true if it reported the end of its tests, and `reason` explains why it was stopped or couldn't
 * be started.
 */
export function runWorker({ script, args, environment, ...limits }, onEvent, nextFile) {
  return new Promise((resolve) => {
    const child = spawn(toolNode, [join(root, 'scripts', 'rings', script), ...args], {
      cwd: root,
      env: toolEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe', ...(nextFile ? ['ipc'] : [])],
      detached: process.platform !== 'win32',
    });
    const watched = new Limits(child, limits);
    const stopWithUs = () => endGroup(child);
    process.once('exit', stopWithUs);
    const end = (result) => {
      watched.clear();
      process.off('exit', stopWithUs);
      resolve(result);
    };
    let hasEnded = false;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = toEvent(line);
      hasEnded ||= event.event === 'end';
      watched.see(event);
      onEvent(event);
    });
    createInterface({ input: child.stderr }).on('line', (line) => onEvent({ event: 'line', line }));
    child.on('message', async (message) => child.connected && child.send(await nextFile(message), () => undefined));
    child.once('error', (error) => end({ reason: `It could not be started: ${error.message}` }));
    child.once('close', (code, signal) => end({ code: signal ?? code, hasEnded, reason: watched.reason }));
  });
}
