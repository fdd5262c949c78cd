#!/usr/bin/env node
import { cliVersion } from './version.ts';

/**
 * Ignores failed writes to standard error or to a closed pipe: the command continues, and its exit code doesn't change.
 * Exits with code 1 if standard output fails for another reason, such as a full disk.
 */
function watchOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`Couldn't write to standard output (${code}).\n`);
    process.exit(1);
  });
}

async function main(args: readonly string[]): Promise<void> {
  watchOutput();
  const isVersion = args.length === 1 && (args[0] === '--version' || args[0] === '-V');
  // The version is printed without loading the commands.
  if (isVersion) process.stdout.write(`${cliVersion}\n`);
  else await (await import('./program.ts')).runProgram(args);
}

void main(process.argv.slice(2));
