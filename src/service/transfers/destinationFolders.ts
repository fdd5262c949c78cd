import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorCode.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { BadFile, isSameFolder } from './fileProcessing.ts';
import { isFolder } from './transferErrors.ts';
import { isFileName } from './windowsNames.ts';

/**
 * Creates the folders of a transfer within a destination. Never creates the destination itself, because a folder must
 * not take the place of an unmounted disk. Throws {@link BadFile} if a link in the destination's path no longer leads
 * to `realPath`, its resolved path at submission.
 */
export class DestinationFolders {
  private readonly base: string;
  /** The folders that were checked, by absolute path. */
  private readonly knownFolders = new Map<string, fs.BigIntStats>();
  private readonly absolutePaths = new Map<string, string>();

  constructor(destination: string, folderName: string, realPath?: string) {
    this.base = fs.realpathSync.native(destination);
    if (realPath !== undefined && this.base !== realPath) this.checkUnmoved(destination);
    this.base = this.ensureLevel(this.base, folderName);
  }

  /** Creates the folder at a path below the transfer's folder (`.` is that folder) and returns its absolute path. */
  ensureFolder(path: string): string {
    const folder = this.absolutePaths.get(path) ?? this.ensureLevels(path);
    this.absolutePaths.set(path, folder);
    // A link may have replaced a folder that was created earlier.
    this.checkUnmoved(folder);
    return folder;
  }

  /**
   * Returns the absolute path of a file within the transfer's folder, and creates the file's folder. Throws
   * {@link BadFile} if the path leads elsewhere, or if the system doesn't allow one of its names.
   */
  ensureFilePath(path: string): string {
    return joinFileName(this.ensureFolder(nodePath.posix.dirname(path)), path);
  }

  /**
   * Throws {@link BadFile} if a link in the path leads elsewhere. Inspects each level of a known folder with `lstat`,
   * which is faster than resolving the path.
   */
  checkUnmoved(folder: string): void {
    if (this.isUnmoved(folder)) return;
    if (fs.realpathSync.native(folder) !== nodePath.normalize(folder)) {
      throw new BadFile('its path in the destination leads to a different folder');
    }
  }

  /**
   * Returns true if a known folder and its parents, up to the transfer's folder, haven't been replaced since they were
   * checked.
   */
  private isUnmoved(folder: string): boolean {
    if (!this.knownFolders.has(folder)) return false;
    for (let level = folder; level.length >= this.base.length; level = nodePath.dirname(level)) {
      const known = this.knownFolders.get(level);
      if (known === undefined || !isSameFolder(known, fs.lstatSync(level, { bigint: true }))) return false;
    }
    return true;
  }

  private ensureLevels(path: string): string {
    let folder = this.base;
    for (const part of path.split('/').filter((name) => name !== '' && name !== '.')) {
      if (part === '..') throw new BadFile('it points outside the destination');
      checkName(part);
      folder = this.ensureLevel(folder, part);
    }
    return folder;
  }

  private ensureLevel(parent: string, name: string): string {
    const folder = `${parent}/${name}`;
    if (this.knownFolders.has(folder)) return folder;
    this.checkUnmoved(parent);
    createFolder(folder);
    const stats = fs.lstatSync(folder, { bigint: true });
    this.checkUnmoved(folder);
    this.knownFolders.set(folder, stats);
    return folder;
  }
}

function checkName(name: string): void {
  if (!isFileName(name)) throw new BadFile('Windows does not allow its name');
}

/** Returns the absolute path of the file at `path`, given its folder. Throws {@link BadFile} for a disallowed name. */
export function joinFileName(folder: string, path: string): string {
  const name = nodePath.posix.basename(path);
  checkName(name);
  return `${folder}/${name}`;
}

const maxNameStart = 40;

/**
 * Returns the path of an unfinished copy. The name is unique to the file and the transfer, and short enough for common
 * file systems.
 */
export function getPartPath(finalPath: string, transferId: string): string {
  const name = nodePath.basename(finalPath);
  const start = name.length > maxNameStart ? shortenName(name) : name;
  return `${finalPath.slice(0, -name.length)}${start}.part-${transferId}`;
}

function shortenName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= maxNameStart) return name;
  return `${characters.slice(0, maxNameStart).join('')}-${toShortHash(name)}`;
}

function toShortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
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

async function discardFolder(folder: string, transferId: string, manifestName: string): Promise<boolean> {
  try {
    if (!(await fs.promises.lstat(folder)).isDirectory()) return true;
  } catch (error) {
    return isMissing(error);
  }
  const isManifestRemoved = await removeFile(nodePath.join(folder, manifestName));
  return (await removeLeftovers(folder, transferId)) && isManifestRemoved;
}

/**
 * Removes the part files and empty folders of an ended transfer. Returns false if some part files may remain. Never
 * rejects.
 */
async function removeLeftovers(folder: string, transferId: string): Promise<boolean> {
  let isComplete = true;
  try {
    for (const entry of await fs.promises.readdir(folder, { withFileTypes: true })) {
      const path = nodePath.join(folder, entry.name);
      if (entry.isDirectory()) isComplete = (await removeLeftovers(path, transferId)) && isComplete;
      else if (entry.name.endsWith(`.part-${transferId}`)) isComplete = (await removeFile(path)) && isComplete;
    }
  } catch (error) {
    return isMissing(error);
  }
  // Fails if the folder isn't empty.
  await fs.promises.rmdir(folder).catch(() => undefined);
  return isComplete;
}

/** Removes a file. Returns false if the file remains. If the path is a folder, keeps the folder and returns true. */
async function removeFile(path: string): Promise<boolean> {
  try {
    await fs.promises.rm(path, { force: true });
    return true;
  } catch (error) {
    return isMissing(error) || getErrorCode(error) === 'ERR_FS_EISDIR';
  }
}

function createFolder(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  }
}
