import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packedExtension } from '../prepared.ts';
import { installVsix } from './editorServer.ts';
import { repositoryRoot } from './places.ts';

const folder = join(repositoryRoot, 'dist', 'installed');

/** The extensions folder of this ring's editors. It contains the packed extension, installed from its VSIX file. */
export const installedExtensions = join(folder, 'extensions');

/** Installs the packed extension in {@link installedExtensions}. */
export function installPacked(): void {
  rmSync(folder, { recursive: true, force: true });
  installVsix(packedExtension, installedExtensions, join(folder, 'server'));
}

/** Returns the folder of the packed extension. Throws if the extension isn't installed. */
export function findInstalled(): string {
  const [name] = globSync('data-transfer-explorer.*', { cwd: installedExtensions });
  if (name === undefined) throw new Error('The packed extension is not installed.');
  return join(installedExtensions, name);
}
