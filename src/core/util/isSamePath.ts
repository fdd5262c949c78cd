import * as nodePath from 'node:path';

/**
 * Returns true if two absolute paths refer to the same file or folder. Ignores case on Windows, where the case of drive
 * letters varies. Does not resolve symbolic links.
 */
export function isSamePath(
  first: string,
  second: string,
  path: Pick<nodePath.PlatformPath, 'relative'> = nodePath,
): boolean {
  return path.relative(first, second) === '';
}
