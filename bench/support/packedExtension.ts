import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { readAtActivation } from '../../test/support/activationFiles.ts';

/** The fixtures: extensions to compare with. */
export const fixtures = join(import.meta.dirname, '..', 'extensions');

/** Packs the extension as it is published, into a folder; resolves to the file. */
export function packExtension(folder: string): string {
  const vsix = join(folder, 'extension.vsix');
  execFileSync('npm', ['run', '--silent', 'package', '--', '--out', vsix], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return vsix;
}

/** Bytes of the build that are read at activation; {@link packExtension} has left it behind. */
export function bytesAtActivation(): number {
  const files = readAtActivation(join(repositoryRoot, 'dist', 'extension'));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}
