import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createServiceEnvironment } from '../../core/util/ownProcess.ts';
import { CliError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction } from '../commandContext.ts';

interface ServiceFlags {
  readonly config: string;
}

/** The first version of Node.js whose SQLite module has a full-text index. */
const requiredNode = [22, 16] as const;

/** Adds `service`, which runs the local service in the foreground. */
export function addServiceCommand(program: Command): void {
  program
    .command('service')
    .description(`run a service that serves folders and stores; needs Node.js ${requiredNode.join('.')} or later`)
    .requiredOption('--config <file>', 'the configuration file; - to read one line from standard input')
    .action((flags: ServiceFlags, command: Command) => runAction(command, () => runService(flags)));
}

async function runService({ config }: ServiceFlags): Promise<ExitCode> {
  if (!isSupported(process.versions.node)) {
    throw new CliError(`The service needs Node.js ${requiredNode.join('.')} or later, not ${process.version}.`);
  }
  const program = join(import.meta.dirname, 'service.js');
  if (!existsSync(program)) throw new CliError(`The service program is missing: ${program}.`);
  requireRuntime();
  const args = [program, '--config', config];
  const env = createServiceEnvironment();
  // One process instead of two, where the system can: signals and exit codes then need no forwarding.
  if (process.platform !== 'win32') process.execve?.(process.execPath, [process.execPath, ...args], env);
  // Only Windows, and a Node.js without `execve`, reach this.
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  const [code] = (await once(child, 'exit')) as [number | null];
  return (code ?? exitCode.failed) as ExitCode;
}

function requireRuntime(): void {
  try {
    accessSync(process.execPath, constants.X_OK);
  } catch {
    // For example after an update; `execve` would abort the process instead of throwing.
    throw new CliError(`The service can't be started: ${process.execPath} is missing or can't be run.`);
  }
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor, requiredMinor] = requiredNode;
  return major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
}
