import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installedExtensions, installPacked } from '../../test/support/editor/installed.ts';
import { packExtension } from '../../test/support/prepared.ts';

/** The folder with the extensions for comparison. */
export const fixtures = join(import.meta.dirname, '..', 'extensions');

/** Packs the extension like a release, and installs it in the editor; returns its folder. */
export function installedExtension(): string {
  packExtension();
  installPacked();
  const folders = readdirSync(installedExtensions).map((name) => join(installedExtensions, name));
  const folder = folders.find((one) => existsSync(join(one, 'package.json')));
  if (folder === undefined) throw new Error(`Nothing was installed in ${installedExtensions}.`);
  return folder;
}
