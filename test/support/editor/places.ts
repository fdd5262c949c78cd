import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root folder of the repository. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..');

/** The folder for the screenshots and logs of failed tests (not under version control). */
export const evidenceFolder = join(repositoryRoot, 'test-results');

/**
 * The locations that `npm run setup` found or installed: one or two browser executables, the folder of the editor's
 * server and, if they could be fetched, the folders of a second rclone and a second Slurm.
 */
export interface Places {
  readonly browser: string;
  /** Chromium's headless shell, which is faster but can't move the focus between windows. */
  readonly headlessShell?: string;
  readonly server: string;
  readonly newestRclone?: string;
  readonly newestSlurm?: string;
}

/** Returns the locations that `npm run setup` has recorded so far. */
export function readRecordedPlaces(): Partial<Places> {
  const file = join(repositoryRoot, 'node_modules', '.setup.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Places>) : {};
}

/**
 * Returns the locations for tests with an editor. If the setup hasn't run yet, throws an error that names the command.
 */
export function readPlaces(): Places {
  const { browser, server, ...others } = readRecordedPlaces();
  if (browser === undefined || server === undefined)
    throw new Error('The editor is not installed yet: run "npm run setup".');
  return { browser, server, ...others };
}

/** Returns the path of the headless shell, or of the full browser if setup could not install the shell. */
export function findHeadlessShell(): string {
  const { browser, headlessShell = browser } = readPlaces();
  return headlessShell;
}
