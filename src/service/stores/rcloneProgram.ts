import { spawn, type ChildProcess } from 'node:child_process';
import { hasPipes, type PipedChild } from '../../core/util/ownProcess.ts';
import {
  createRcloneEnvironment,
  ErrorOutput,
  findRclonePath,
  isRcloneBelow,
  isRcloneTooOld,
  oldestRclone,
  readRcloneVersion,
} from '../../core/util/remote.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';

/** The first version with the fixes for CVE-2026-49980 and CVE-2026-71313. */
const safeVersion = [1, 75, 0] as const;

/** An rclone installation that the service can use. */
interface RcloneProgram {
  readonly path: string;
  /** Version number, such as `1.60.1`. */
  readonly version: string;
  /** Text that recommends a newer version and states the reason; absent if the version is recent. */
  readonly note?: string;
}

/** Finds rclone and its version. Throws {@link DatabaseUnavailableError} if it is missing or unusable. */
export async function openRclone(configured: string | undefined): Promise<RcloneProgram> {
  const path = findRclonePath(configured);
  if (path === undefined) {
    const place = configured === undefined ? '' : ` at ${configured}`;
    throw new DatabaseUnavailableError(
      `rclone wasn't found${place}: install it (https://rclone.org/install), or set its path`,
    );
  }
  const version = await readVersion(path);
  if (isRcloneTooOld(version)) {
    throw new DatabaseUnavailableError(
      `rclone ${version} (${path}) is too old: version ${oldestRclone} or later is needed`,
    );
  }
  const note = `rclone ${version} is used. Version ${safeVersion.join('.')} or later is recommended: it fixes CVE-2026-49980 and CVE-2026-71313.`;
  return { path, version, ...(isRcloneBelow(version, safeVersion) && { note }) };
}

async function readVersion(path: string): Promise<string> {
  const version = await readRcloneVersion(path);
  if (version === undefined) throw new DatabaseUnavailableError(`${path} isn't rclone, or can't be run`);
  return version;
}

/**
 * Source code of a guard process that runs rclone, and kills it when standard input closes. rclone therefore doesn't
 * outlive a service that is killed. The arguments are not interpreted by a shell.
 */
const guardProgram = `
  const { spawn } = require('node:child_process');
  const [program, ...args] = process.argv.slice(1);
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
  const end = () => child.kill('SIGKILL');
  process.stdin.on('end', end).on('close', end).on('error', end).resume();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
  child.on('error', () => process.exit(127)).on('exit', (code) => process.exit(code ?? 1));
`;

/** A running rclone process; closing its standard input terminates it. */
export type RcloneChild = PipedChild;

/**
 * Starts an rclone process that does not outlive this process, even if this process is killed. Throws
 * {@link DatabaseUnavailableError} if no process can be created.
 */
export function startRclone(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): RcloneChild {
  const child = startGuard([program, ...args], { ...createRcloneEnvironment(env), NODE_OPTIONS: '' });
  child.on('error', () => undefined);
  if (!hasPipes(child)) throw createStartError();
  // The pipe breaks if the child ends first.
  child.stdin.on('error', () => undefined);
  return child;
}

function startGuard(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    return spawn(process.execPath, ['-e', guardProgram, '--', ...command], {
      env,
      stdio: [...stdio],
      windowsHide: true,
    });
  } catch {
    throw createStartError();
  }
}

/** Creates the error for an rclone that can't be started. */
export function createStartError(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('rclone could not be started');
}

/**
 * Resolves to the exit code when a child exits and its output closes, or immediately if it has already exited. The code
 * is 1 after a signal, and 127 if the child could not be started.
 */
export async function waitForEnd(child: RcloneChild): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? 1;
  return await new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(127));
  });
}

const maxOutputChars = 1024 * 1024;

interface ChildOutput {
  readonly code: number;
  /** The beginning of the output. */
  readonly text: string;
  /** The end of the error output, which is never shown. */
  readonly errors: string;
}

/** Waits for a child and returns its output, cut off after about a million characters. `signal` terminates it. */
export async function collectOutput(
  child: RcloneChild,
  signal: AbortSignal,
  maxErrorChars?: number,
): Promise<ChildOutput> {
  const ended = waitForEnd(child);
  const errors = collectErrors(child, maxErrorChars);
  const stop = endWithSignal(child, signal);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    if (text.length < maxOutputChars) text += piece;
  });
  const code = await ended;
  stop();
  return { code, text, errors: errors.toString() };
}

/** Collects the end of a child's error output. */
function collectErrors(child: RcloneChild, maxChars?: number): ErrorOutput {
  const errors = new ErrorOutput(maxChars);
  child.stderr.setEncoding('utf8').on('data', (piece: string) => errors.add(piece));
  return errors;
}

/** Terminates a child when the signal is aborted, or when the returned function is called. */
export function endWithSignal(child: RcloneChild, signal: AbortSignal): () => void {
  const end = (): void => void child.stdin.destroy();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  return () => {
    signal.removeEventListener('abort', end);
    end();
  };
}
