import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';

/** A separate, small file system. */
export interface SmallDisk {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Mounts a file system of the given size in a temporary folder. Resolves to undefined if the machine doesn't support
 * this or the user lacks permission.
 */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-disk-'));
  const remove = async (): Promise<void> => await fs.rmdir(folder);
  if (!mountDiskIn(folder, megabytes)) {
    await remove();
    return undefined;
  }
  return {
    folder,
    remove: async () => {
      unmountDisk(folder);
      await remove();
    },
  };
}

/** The file systems that tests mount; those other than tmpfs are in an image beside their folder, and need 400 MB. */
export type FileSystem = 'tmpfs' | 'xfs' | 'btrfs';

/** Mounts a file system of the given size, to which everybody may write, in a folder. Returns false if that fails. */
export function mountDiskIn(folder: string, megabytes: number, type: FileSystem = 'tmpfs'): boolean {
  const mount = (...args: readonly string[]): unknown => execFileSync('mount', [...args, folder], { stdio: 'ignore' });
  const image = `${folder}.image`;
  try {
    if (type === 'tmpfs') {
      mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs');
      return true;
    }
    writeFileSync(image, '');
    truncateSync(image, megabytes * 1024 ** 2);
    execFileSync(`mkfs.${type}`, ['-q', image], { stdio: 'ignore' });
    mount('-o', 'loop', image);
    return true;
  } catch {
    return false;
  }
}

/** Returns true if {@link mountDiskIn} works here, which usually means as root on Linux. */
export function canMountDisks(type: FileSystem = 'tmpfs'): boolean {
  const parent = mkdtempSync(nodePath.join(os.tmpdir(), 'dts-disk-'));
  const folder = nodePath.join(parent, 'disk');
  mkdirSync(folder);
  const isMounted = mountDiskIn(folder, type === 'tmpfs' ? 1 : 400, type);
  if (isMounted) unmountDisk(folder);
  rmSync(parent, { recursive: true });
  return isMounted;
}

/** Changes the size of a file system that {@link mountDiskIn} mounted. */
export function resizeDisk(folder: string, megabytes: number): void {
  execFileSync('mount', ['-o', `remount,size=${megabytes}m`, folder]);
}

/** Removes a file system that {@link mountDiskIn} mounted. */
export function unmountDisk(folder: string): void {
  execFileSync('umount', [folder]);
}
