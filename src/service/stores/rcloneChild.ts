import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createRcloneEnvironment } from '../../core/util/rcloneEnvironment.ts';

/**
 * Runs rclone and ends it when standard input closes, so that no rclone outlives a service that is killed. The
 * arguments name a program and are not interpreted by a shell.
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

/** A running rclone; closing its standard input ends it. */
export type RcloneChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts rclone. It ends with this process, however that ends. */
export function startRclone(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): RcloneChild {
  const child = spawn(process.execPath, ['-e', guardProgram, '--', program, ...args], {
    env: { ...createRcloneEnvironment(env), NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // The pipe breaks if the child ends first.
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  return child;
}

/** Resolves with the exit code when the child has ended and its output is closed; 127 if it could not be started. */
export async function waitForEnd(child: RcloneChild): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? 1;
  return await new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(127));
  });
}
