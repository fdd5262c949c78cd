import * as fs from 'node:fs';
import { constants, type BigIntStats } from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import type { JobResult } from './fileJobs.ts';
import { isSameFolder } from './openFiles.ts';
import { getPartEnd, hasOpenFiles, openFilesFolder } from './partFiles.ts';
import { isFolder } from './transferErrors.ts';

interface PartsJob {
  readonly transferId: string;
  readonly destinationFolder: string;
}

/**
 * Removes a transfer's unfinished files and its manifest from a destination; complete files remain. Returns false if
 * the destination is unavailable, or if an unfinished file or the manifest may remain. Never rejects.
 */
export async function discardTransfer(destination: string, transferId: string, manifestName: string): Promise<boolean> {
  if (!(await isFolder(destination))) return false;
  const folder = nodePath.join(destination, getTransferFolderName(transferId));
  const isComplete = await discardFolder(folder, transferId, manifestName);
  // If the destination has disappeared, nothing was found in it.
  return isComplete && (await isFolder(destination));
}

/** Removes the part files of all attempts of a transfer, such as those of a killed service. Never rejects. */
export async function removeParts({ transferId, destinationFolder }: PartsJob): Promise<JobResult> {
  const folder = nodePath.join(destinationFolder, getTransferFolderName(transferId));
  await useFolder(folder, undefined, async (opened) => await removeLeftovers(opened, transferId, false));
  return { done: [] };
}

async function discardFolder(folder: string, transferId: string, manifestName: string): Promise<boolean> {
  const isComplete = await useFolder(folder, undefined, async (opened) => {
    const isManifestRemoved = await removeManifest(opened, transferId, manifestName);
    return (await removeLeftovers(opened, transferId, true)) && isManifestRemoved;
  });
  // Fails if the folder isn't empty, or if a link has replaced it.
  await fs.promises.rmdir(folder).catch(() => undefined);
  return isComplete;
}

/** Removes the manifest unless another program wrote it. */
async function removeManifest(folder: OpenFolder, transferId: string, manifestName: string): Promise<boolean> {
  if (manifestName === '') return true;
  try {
    if (!(await isManifestOf(folder.getPath(manifestName), transferId))) return true;
  } catch (error) {
    return isMissing(error);
  }
  return await removeFile(folder, manifestName);
}

/**
 * Removes part files and, if `removesFolders`, empty subfolders. Returns false if some part files may remain. Never
 * rejects.
 */
async function removeLeftovers(folder: OpenFolder, transferId: string, removesFolders: boolean): Promise<boolean> {
  let isComplete = true;
  try {
    for (const entry of await fs.promises.readdir(folder.path, { withFileTypes: true })) {
      if (entry.isDirectory()) {
        const removeInside = async (inner: OpenFolder): Promise<boolean> =>
          await removeLeftovers(inner, transferId, removesFolders);
        isComplete = (await useFolder(folder.getPath(entry.name), folder, removeInside)) && isComplete;
        // Fails if the folder isn't empty, or if a link has replaced it.
        if (removesFolders) await folder.remove(entry.name, fs.promises.rmdir).catch(() => undefined);
      } else if (entry.name.endsWith(getPartEnd(transferId)))
        isComplete = (await removeFile(folder, entry.name)) && isComplete;
    }
  } catch (error) {
    return isMissing(error);
  }
  return isComplete;
}

/** Removes a file. Returns false if the file remains. If the path is a folder, keeps the folder and returns true. */
async function removeFile(folder: OpenFolder, name: string): Promise<boolean> {
  try {
    await folder.remove(name, async (path) => await fs.promises.rm(path, { force: true }));
    return true;
  } catch (error) {
    return isMissing(error) || getErrorCode(error) === 'ERR_FS_EISDIR';
  }
}

/**
 * Runs `work` with a folder, without following a link in its place. Returns true if there is no such folder, and false
 * if it can't be opened. Never rejects.
 */
async function useFolder(
  path: string,
  parent: OpenFolder | undefined,
  work: (folder: OpenFolder) => Promise<boolean>,
): Promise<boolean> {
  let folder: OpenFolder;
  try {
    const stats = await fs.promises.lstat(path, { bigint: true });
    if (!stats.isDirectory()) return true;
    folder = await OpenFolder.open(path, stats, parent);
  } catch (error) {
    // A link or a file has replaced the folder.
    return isMissing(error) || ['ELOOP', 'ENOTDIR'].includes(getErrorCode(error));
  }
  return await work(folder).finally(async () => await folder.close());
}

/**
 * A folder in which files are removed. On Linux, an open descriptor leads to it even if somebody replaces it or a
 * folder above it by a link. Elsewhere, it is checked again before each removal.
 */
class OpenFolder {
  readonly path: string;
  private readonly stats: BigIntStats;
  private readonly parent: OpenFolder | undefined;
  private readonly handle: fs.promises.FileHandle | undefined;

  private constructor(
    path: string,
    stats: BigIntStats,
    parent: OpenFolder | undefined,
    handle: fs.promises.FileHandle | undefined,
  ) {
    this.path = handle === undefined ? path : `${openFilesFolder}/${handle.fd}`;
    this.stats = stats;
    this.parent = parent;
    this.handle = handle;
  }

  static async open(path: string, stats: BigIntStats, parent: OpenFolder | undefined): Promise<OpenFolder> {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    const handle = hasOpenFiles ? await fs.promises.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : undefined;
    return new OpenFolder(path, stats, parent, handle);
  }

  getPath(name: string): string {
    return `${this.path}/${name}`;
  }

  async remove(name: string, remove: (path: string) => Promise<void>): Promise<void> {
    if (this.handle === undefined) await this.requireUnmoved();
    await remove(this.getPath(name));
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(() => undefined);
  }

  private async requireUnmoved(): Promise<void> {
    await this.parent?.requireUnmoved();
    const stats = await fs.promises.lstat(this.path, { bigint: true });
    if (!isSameFolder(stats, this.stats)) throw Object.assign(new Error('The folder was replaced.'), { code: 'EBUSY' });
  }
}

/** The ID comes within the first lines of a manifest. */
const headBytes = 1024;

/**
 * Returns true if a file is the manifest of this transfer, from this or an earlier attempt. Never follows a link. Rejects
 * if the file can't be read.
 */
export async function isManifestOf(path: string, transferId: string): Promise<boolean> {
  if (!(await fs.promises.lstat(path)).isFile()) return false;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).includes(`"id": "${transferId}"`);
  } finally {
    await file.close();
  }
}
