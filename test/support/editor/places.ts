import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the repository. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..');

/** Where failures leave their screenshots and logs (not under version control). */
export const evidenceFolder = join(repositoryRoot, 'test-results');

/** What `npm run setup` found or installed: the browser's program and the folder of the editor's server. */
export interface Places {
  readonly browser: string;
  readonly server: string;
}

/** Reads what `npm run setup` has written; throws a sentence that names the command when it has not run yet. */
export function readPlaces(): Places {
  const file = join(repositoryRoot, 'node_modules', '.setup.json');
  if (!existsSync(file)) throw new Error('The editor is not installed yet: run "npm run setup".');
  return JSON.parse(readFileSync(file, 'utf8')) as Places;
}
