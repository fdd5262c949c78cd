import { statfsSync, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const fuseType = 0x65735546;

/** The `statfs` types of network file systems on Linux. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  fuseType, // sshfs and others
  0x01021997, // 9P
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x00c36400, // Ceph
  0x19830326, // BeeGFS
  0x5346414f, // AFS
]);

/** Returns true if a type from `statfs` is that of a network file system. */
export function isRemoteType(type: number): boolean {
  return remoteTypes.has(type >>> 0);
}

/** Returns true if a folder is on a network file system; false if that cannot be determined. */
export function isRemoteFolder(folder: string): boolean {
  const type = findType(folder);
  return type !== undefined && isRemoteType(type);
}

/** Returns true if a folder is on a FUSE file system, such as `sshfs` or `rclone mount`; otherwise false. */
export function isFuseFolder(folder: string): boolean {
  return findType(folder) === fuseType;
}

function findType(folder: string): number | undefined {
  try {
    return statfsSync(folder).type;
  } catch {
    return undefined;
  }
}

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

const maxWaitMs = 1_000;

/**
 * Resolves to the number of free bytes on a folder's file system; undefined if it can't be read within a second. Never
 * rejects.
 */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  const timeout = delay(maxWaitMs, undefined, { ref: false });
  return await Promise.race([readFileSystem(folder), timeout]);
}

async function readFileSystem(folder: string): Promise<number | undefined> {
  try {
    return toFreeBytes(await statfs(folder));
  } catch {
    return undefined;
  }
}

/** Returns the number of free bytes of a file system; undefined if it reports no size, like some FUSE file systems. */
export function toFreeBytes({ blocks, bavail, bsize }: StatsFs): number | undefined {
  return blocks === 0 ? undefined : bavail * bsize;
}
