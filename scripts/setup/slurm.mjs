/** Provides the newest Slurm of Debian beside the installed one, for the tests of clusters. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDebian, unpackFromSuite } from './debian.mjs';
import { StepError, cacheFolder, run, say, step } from './steps.mjs';

const packages = ['slurmctld', 'slurmd', 'slurm-client'];
const programs = ['sbatch', 'scancel', 'scontrol', 'sinfo', 'squeue', 'slurmctld', 'slurmd', 'slurmstepd'];

/** Returns the path of a file that `isWanted` accepts by its name, relative to `folder`. */
function findFile(folder, isWanted) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => !entry.isDirectory() && isWanted(entry.name));
  if (found === undefined) throw new StepError(`A file is missing in ${folder}.`);
  return relative(folder, join(found.parentPath, found.name));
}

/**
 * Writes a script that starts a program with its own libraries: those of this machine are older. The program takes the
 * script for itself when it starts itself again.
 */
function writeScript(own, name) {
  const root = join(own, 'root');
  const loader = findFile(root, (file) => /^ld-linux.*\.so\.\d$/.test(file));
  const program = findFile(join(root, 'usr'), (file) => file === name || file === `${name}-wlm`);
  const libraries = join(
    findFile(root, (file) => file.startsWith('libc.so.')),
    '..',
  );
  const folders = [libraries, join(libraries, 'slurm-wlm')].map((folder) => `$root/${folder}`).join(':');
  const lines = ['#!/bin/sh', 'root=${0%/*}/../root'];
  lines.push(`exec "$root/${loader}" --argv0 "$0" --library-path "${folders}" "$root/usr/${program}" "$@"`, '');
  const script = join(own, 'bin', name);
  writeFileSync(script, lines.join('\n'));
  chmodSync(script, 0o755);
}

/** Unpacks the newest Slurm of Debian and renames its folder, so that the tests never see a part of it. */
async function fetchNewest(folder) {
  mkdirSync(cacheFolder(), { recursive: true });
  const own = await mkdtemp(`${folder}.`);
  try {
    await unpackFromSuite(packages, 'sid', own, { withLibraries: true });
    mkdirSync(join(own, 'bin'));
    for (const name of programs) writeScript(own, name);
    await run(join(own, 'bin', 'slurmctld'), ['-V']);
    await rename(own, folder);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/**
 * Unpacks the newest Slurm of Debian in the cache, unless it is there, and resolves to its folder: `bin` has the
 * commands and daemons. Resolves to undefined if it can't be fetched. Never rejects, because the tests with it are then
 * left out.
 */
export async function ensureNewestSlurm() {
  const folder = join(cacheFolder(), 'slurm-sid');
  const fetch = () => fetchNewest(folder).catch(() => undefined);
  if (!existsSync(folder) && isDebian()) await step('The newest Slurm of Debian', fetch);
  if (existsSync(folder)) return folder;
  if (isDebian()) say('The tests of clusters run with one Slurm only: the newest one of Debian could not be fetched.');
  return undefined;
}
