/** Provides Snakemake, which runs the example workflow in a test. */
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { say, step } from './steps.mjs';

const program = '/usr/bin/snakemake';

/**
 * Installs Snakemake (21 MB) if this process runs as root on Debian. Prints the command that installs it if it is still
 * missing. Does nothing on systems other than Linux.
 */
export async function ensureSnakemake() {
  if (process.platform !== 'linux' || existsSync(program)) return;
  // What is recommended, such as a solver and a LaTeX reader, takes three times as much.
  const install = () => installFromDebian('--no-install-recommends', 'snakemake').catch(() => undefined);
  if (isDebianRoot()) await step('Snakemake (apt-get install --no-install-recommends snakemake)', install);
  if (!existsSync(program))
    say('Missing: snakemake. Its test fails. To install it: sudo apt-get install --no-install-recommends snakemake');
}
