import * as fs from 'node:fs/promises';
import { toFreeBytes } from '../../core/util/freeSpace.ts';
import { limitFolderCalls } from '../folderCalls.ts';

interface FolderInspection {
  /** The path with links resolved; absent if resolving them fails. */
  readonly realPath?: string | undefined;
  /** True for a folder, or a link to a folder. */
  readonly isFolder: boolean;
  /** Number of free bytes on the file system; absent if it is unknown. */
  readonly freeBytes?: number | undefined;
}

/**
 * Inspects a folder. A folder whose disk doesn't respond within five seconds counts as missing (D42: hanging disks).
 * Never rejects.
 */
export async function inspectFolder(folder: string): Promise<FolderInspection> {
  return await inspect(folder).catch(() => ({ isFolder: false }));
}

const inspect = limitFolderCalls(async (folder): Promise<FolderInspection> => {
  // One after the other, because each call occupies a thread while the disk hangs.
  const realPath = await fs.realpath(folder).catch(() => undefined);
  const stats = await fs.stat(folder).catch(() => undefined);
  const space = await fs.statfs(folder).catch(() => undefined);
  return { realPath, isFolder: stats?.isDirectory() ?? false, freeBytes: space && toFreeBytes(space) };
});
