import { accessSync, constants } from 'node:fs';
import * as nodePath from 'node:path';

const usualFolders: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin'],
  linux: ['/usr/bin', '/usr/local/bin', '/snap/bin', '/home/linuxbrew/.linuxbrew/bin'],
};

/** Returns the path of rclone: the configured one, or one on the PATH or in a usual place; undefined if there is none. */
export function findRclonePath(configured: string | undefined, env = process.env): string | undefined {
  if (configured !== undefined) return isProgram(configured) ? configured : undefined;
  const name = process.platform === 'win32' ? 'rclone.exe' : 'rclone';
  const folders = [...(env['PATH'] ?? '').split(nodePath.delimiter), ...(usualFolders[process.platform] ?? [])];
  // A relative entry of the PATH depends on the current folder.
  const paths = folders.filter((folder) => nodePath.isAbsolute(folder)).map((folder) => nodePath.join(folder, name));
  return paths.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
