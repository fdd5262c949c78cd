#!/usr/bin/env node
import { cliVersion } from './version.ts';

/** Ignores writes after the reader of a pipe has closed it: the command continues, and its exit code is the same. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

async function main(args: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  const isVersion = args.length === 1 && (args[0] === '--version' || args[0] === '-V');
  // The version is printed without loading the commands.
  if (isVersion) process.stdout.write(`${cliVersion}\n`);
  else await (await import('./program.ts')).runProgram(args);
}

void main(process.argv.slice(2));
