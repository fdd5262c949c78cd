import { execFileSync } from 'node:child_process';
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
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    await fs.rmdir(folder);
    return undefined;
  }
  return {
    folder,
    remove: async () => {
      execFileSync('umount', [folder]);
      await fs.rmdir(folder);
    },
  };
}
