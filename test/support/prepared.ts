import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './editor/places.ts';

/** True if the test runner has already built and installed everything that the tests need. */
const isPrepared = process.env['DATA_TRANSFER_TESTS_PREPARED'] === 'true';

/**
 * True if services and their threads run from the build, which starts faster than the sources. They run from the
 * sources if coverage is measured, or if a test file runs without the test runner, so that a debugger shows the sources.
 */
export const usesBuild = isPrepared && process.env['NODE_V8_COVERAGE'] === undefined;

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
/** The parts that are packed, but not built. */
const packedSources = ['samples', 'schemas', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE'];
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

/** The path of the packed extension. {@link ensurePacked} creates it. */
export const packedExtension = join(repositoryRoot, 'dist', 'packed.vsix');

/** Packs the extension from the current sources. Leaves the shipped build in `dist`. */
export function packExtension(): void {
  // The shipped build lacks the files that only tests use.
  rmSync(builtMarker, { force: true });
  const pack = ['run', '--silent', 'package', '--', '--out', packedExtension];
  execFileSync('npm', pack, { cwd: repositoryRoot, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Packs the extension if any source is newer, or if it isn't packed yet. */
export function ensurePacked(): void {
  if (isPrepared || isCurrent(packedExtension, packedSources)) return;
  packExtension();
  ensureBuilt();
}

/** Runs `install` if the extension in the test editors isn't the packed one, after packing that from current sources. */
export function ensureInstalled(install: () => void): void {
  if (isPrepared) return;
  ensurePacked();
  if (existsSync(installedMarker) && newestMs(packedExtension) < newestMs(installedMarker)) return;
  install();
  writeFileSync(installedMarker, '');
}

function isCurrent(marker: string, more: readonly string[] = []): boolean {
  if (!existsSync(marker)) return false;
  const markedMs = statSync(marker).mtimeMs;
  return [...sources, ...more].every((source) => newestMs(join(repositoryRoot, source)) < markedMs);
}

/** Returns the time of the last change to a file, or to a folder or anything in it, in milliseconds since 1970. */
function newestMs(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(stats.mtimeMs, ...inside.map((name) => statSync(join(path, name)).mtimeMs));
}
