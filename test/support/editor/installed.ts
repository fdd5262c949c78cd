import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { installVsix } from './editorServer.ts';
import { repositoryRoot } from './places.ts';

const folder = join(repositoryRoot, 'dist', 'installed');

/** The extensions of the editors of this ring: what is shipped, installed as a person installs it, once for all. */
export const installedExtensions = join(folder, 'extensions');

/** Packs the extension with what stands in the sources now, and installs it where the editors look for it. */
export function installPacked(): void {
  rmSync(folder, { recursive: true, force: true });
  const vsix = join(repositoryRoot, 'dist', 'packed.vsix');
  const pack = ['run', '--silent', 'package', '--', '--out', vsix];
  execFileSync('npm', pack, { cwd: repositoryRoot, stdio: ['ignore', 'ignore', 'pipe'] });
  installVsix(vsix, installedExtensions, join(folder, 'server'));
}
