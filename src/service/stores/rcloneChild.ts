import { spawn, type ChildProcess } from 'node:child_process';
import { hasPipes, type PipedChild } from '../../core/util/childProcess.ts';
import { createRcloneEnvironment } from '../../core/util/rclonePath.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';

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
