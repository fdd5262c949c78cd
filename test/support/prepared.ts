import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './editor/places.ts';

/** True if the test runner has already built and installed everything that the tests need. */
const isPrepared = process.env['DATA_TRANSFER_TESTS_PREPARED'] === 'true';

const sources = [
  'src',
  'l10n',
  'media',
  'esbuild.mjs',
  'scripts/build',
  'package.json',
  'package.nls.json',
  'package.nls.fr.json',
];
const builtMarker = join(repositoryRoot, 'dist', '.built-for-tests');
const installedMarker = join(repositoryRoot, 'dist', 'installed', '.installed-for-tests');

/**
 * Builds the files in `dist` that tests use, if any source is newer. Needed only if test files are run without the test
 * runner.
 */
export function ensureBuilt(): void {
  if (isPrepared || isCurrent(builtMarker)) return;
  execFileSync(process.execPath, ['esbuild.mjs', '--tests'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(builtMarker, '');
}

/** Runs `install` if any source is newer than the extension in the test editors, or if it isn't installed yet. */
export function ensureInstalled(install: () => void): void {
  if (isPrepared || isCurrent(installedMarker)) return;
  // Packing replaces `dist` with the shipped build, which lacks the files that only tests use.
  rmSync(builtMarker, { force: true });
  install();
  writeFileSync(installedMarker, '');
  ensureBuilt();
}

function isCurrent(marker: string): boolean {
  if (!existsSync(marker)) return false;
  const markedMs = statSync(marker).mtimeMs;
  return sources.every((source) => newestMs(join(repositoryRoot, source)) < markedMs);
}

/** Returns the time of the last change to a file, or to a folder or anything in it, in milliseconds since 1970. */
function newestMs(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(stats.mtimeMs, ...inside.map((name) => statSync(join(path, name)).mtimeMs));
}
