import { statfsSync, statSync, watch, type FSWatcher, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Disposable } from './lifetime.ts';

/** The `statfs` types of network file systems on Linux. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x65735546, // FUSE: sshfs and others
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
  try {
    return isRemoteType(statfsSync(folder).type);
  } catch {
    return false;
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

/** Watches a folder, but not its subfolders, for changes. */
export class FolderWatch implements Disposable {
  private readonly folder: string;
  private readonly onChange: (name: string | undefined) => void;
  private watcher: FSWatcher | undefined;
  private isDisposed = false;

  /** `onChange` receives the name of the changed file if the system reports it. */
  constructor(folder: string, onChange: (name: string | undefined) => void) {
    this.folder = folder;
    this.onChange = onChange;
  }

  /**
   * Starts watching. Returns false if the folder is missing, cannot be watched, or is on a network file system, or
   * after `dispose`. Calls `onFail` if watching ends with an error, or because the folder was deleted or replaced. If
   * already watching, does nothing and returns true.
   */
  start(onFail: () => void = () => undefined): boolean {
    if (this.watcher) return true;
    if (this.isDisposed || isRemoteFolder(this.folder)) return false;
    try {
      const before = getIdentity(this.folder);
      const watcher = watch(this.folder, { persistent: false }, (_event, name) => {
        // If the folder is deleted or replaced, the system reports a change with the folder's own name, and then
        // nothing more.
        const mayHaveEnded = name === null || name === basename(this.folder);
        if (mayHaveEnded && getIdentity(this.folder) !== before) this.end(onFail);
        else this.onChange(name ?? undefined);
      });
      this.watcher = watcher;
      watcher.on('error', () => this.end(onFail));
      return true;
    } catch {
      return false;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.close();
    this.watcher = undefined;
  }

  private end(onFail: () => void): void {
    if (!this.watcher) return;
    this.watcher.close();
    this.watcher = undefined;
    onFail();
  }
}

/** Returns a string that identifies a folder and changes when it is replaced; undefined if the folder doesn't exist. */
function getIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.birthtimeMs].join(' ');
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
