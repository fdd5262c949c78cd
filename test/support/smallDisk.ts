import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
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

/** Mounts a file system of the given size, to which everybody may write, in a folder. Returns false if that fails. */
export function mountDiskIn(folder: string, megabytes: number): boolean {
  try {
    const options = `size=${megabytes}m,mode=777`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns true if {@link mountDiskIn} works here, which usually means as root on Linux. */
export function canMountDisks(): boolean {
  const folder = mkdtempSync(nodePath.join(os.tmpdir(), 'dts-disk-'));
  const isMounted = mountDiskIn(folder, 1);
  if (isMounted) unmountDisk(folder);
  rmdirSync(folder);
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
