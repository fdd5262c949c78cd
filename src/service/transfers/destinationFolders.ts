import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { BadFile } from './fileJobs.ts';
import { isSameFolder } from './openFiles.ts';

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
      throw createDeviation();
    }
  }

  /** Throws {@link BadFile} if `actual` isn't the known folder. */
  requireSame(folder: string, actual: string): void {
    const known = this.knownFolders.get(folder);
    const stats = fs.lstatSync(actual, { bigint: true, throwIfNoEntry: false });
    if (known === undefined || stats === undefined || !isSameFolder(known, stats)) throw createDeviation();
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

function createFolder(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  }
}

function createDeviation(): BadFile {
  return new BadFile('its path in the destination leads to a different folder');
}

/** Characters with a special meaning in Windows paths, such as `:` for an alternate data stream. */
const specialCharacters = /[\p{Cc}\\:*?"<>|]/u;
/** Characters that Windows drops at the end of a name, so that the name denotes another file. */
const droppedEnd = /[. ]$/;
/** Device names, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;

/**
 * Returns true if a file or folder name from a store is a plain name on `platform`. On Windows, other names can denote
 * several levels of a path (`..\..\x`), a stream of another file, or a device (D24: destination layout).
 */
export function isFileName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' || !(specialCharacters.test(name) || droppedEnd.test(name) || deviceName.test(name));
}
