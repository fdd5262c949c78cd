import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { isDeviceName } from '../../core/util/folderName.ts';
import { BadFile, toOperationError } from './fileJobs.ts';
import { isSame, withOpenFile } from './openFiles.ts';

/**
 * Creates the folders of a transfer within a destination. Never creates the destination itself, because a folder must
 * not take the place of an unmounted disk. Throws {@link BadFile} if a link in the destination's path no longer leads
 * to `realPath`, its resolved path at submission.
 */
export class DestinationFolders {
  private readonly base: string;
  /** The folder that has the sources, if they aren't in a store. */
  private readonly source: string | undefined;
  /** The folders that were checked, by absolute path. */
  private readonly knownFolders = new Map<string, fs.BigIntStats>();
  private readonly absolutePaths = new Map<string, string>();
  private readonly newFolders = new Set<string>();

  constructor(destination: string, folderName: string, realPath: string | undefined, source: string | undefined) {
    this.base = fs.realpathSync.native(destination);
    this.source = source;
    if (realPath !== undefined && this.base !== realPath) this.checkUnmoved(destination);
    this.base = this.ensureLevel(this.base, folderName, '');
  }

  /** Creates the folder at a path below the transfer's folder (`.` is that folder) and returns its absolute path. */
  ensureFolder(path: string): string {
    let folder = this.absolutePaths.get(path) ?? '';
    if (folder === '') {
      folder = this.base;
      for (const part of path.split('/')) {
        if (part === '' || part === '.') continue;
        if (part === '..') throw new BadFile('it points outside the destination');
        checkName(part);
        folder = this.ensureLevel(folder, part, `${folder.slice(this.base.length)}/${part}`);
      }
      this.absolutePaths.set(path, folder);
    }
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

  /** Returns true if this object created the folder, so that it was empty then. */
  isNew(folder: string): boolean {
    return this.newFolders.has(folder);
  }

  /** Throws {@link BadFile} if `actual` isn't the known folder. */
  requireSame(folder: string, actual: string): void {
    const known = this.knownFolders.get(folder);
    const stats = fs.lstatSync(actual, { bigint: true, throwIfNoEntry: false });
    if (known === undefined || stats === undefined || !isSame(known, stats)) throw createDeviation();
  }

  /** Returns true if a known folder and its parents up to the transfer's folder are still the same. */
  private isUnmoved(folder: string): boolean {
    if (!this.knownFolders.has(folder)) return false;
    for (let level = folder; level.length >= this.base.length; level = nodePath.dirname(level)) {
      const known = this.knownFolders.get(level);
      if (known === undefined || !isSame(known, fs.lstatSync(level, { bigint: true }))) return false;
    }
    return true;
  }

  private getSourceMode(path: string): number {
    if (this.source === undefined) return 0o777;
    try {
      return fs.statSync(this.source + path).mode;
    } catch (error) {
      if (isMissing(error) || getErrorCode(error) === 'ENAMETOOLONG') return 0o700;
      throw toOperationError('read', error);
    }
  }

  private ensureLevel(parent: string, name: string, sourcePath: string): string {
    const folder = `${parent}/${name}`;
    if (this.knownFolders.has(folder)) return folder;
    this.checkUnmoved(parent);
    try {
      fs.mkdirSync(folder, restrictMode(0o777, this.getSourceMode(sourcePath)));
      this.newFolders.add(folder);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') throw error;
    }
    const stats = fs.lstatSync(folder, { bigint: true });
    this.checkUnmoved(folder);
    this.knownFolders.set(folder, stats);
    return folder;
  }
}

/** Removes permissions of others that a source doesn't give (D24: destination layout). */
export function restrictMode(mode: number, sourceMode: number): number {
  return mode & (sourceMode | 0o700);
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

function createDeviation(): BadFile {
  return new BadFile('its path in the destination leads to a different folder');
}

/** Characters with a special meaning in Windows paths, such as `:` for an alternate data stream. */
const specialCharacters = /[\p{Cc}\\:*?"<>|]/u;
/** Characters that Windows drops at the end of a name, so that the name denotes another file. */
const droppedEnd = /[. ]$/;

/**
 * Returns true if a file or folder name from a store is a plain name on `platform`. On Windows, other names can denote
 * several levels of a path (`..\..\x`), a stream of another file, or a device (D24: destination layout).
 */
export function isFileName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' || !(specialCharacters.test(name) || droppedEnd.test(name) || isDeviceName(name));
}

/** The folder that lists this process's open files by descriptor; Linux only. */
export const openFilesFolder = '/proc/self/fd';
/** True if this system lists the open files of a process as paths. */
export const hasOpenFiles = process.platform === 'linux' && fs.existsSync(openFilesFolder);

const { O_RDONLY, O_DIRECTORY } = fs.constants;
const maxNameStart = 40;
/** Maximum number of attempts to publish a file while other files with its name come and go. */
const maxPublications = 10;

/** Creates an ID for the part files of one attempt. No other job, process or machine has the same one. */
export function createAttempt(): string {
  return randomBytes(4).toString('hex');
}

/** Returns the path of an unfinished copy: a short name, unique to file, attempt and transfer. */
export function getPartPath(finalPath: string, attempt: string, transferId: string): string {
  return `${nodePath.dirname(finalPath)}/${shortenName(nodePath.basename(finalPath))}.${attempt}${getPartEnd(transferId)}`;
}

/** Returns the end of the names of a transfer's unfinished files; the same for all attempts and versions. */
export function getPartEnd(transferId: string): string {
  return `.part-${transferId}`;
}

/** Returns true for the name of a file's unfinished copy, by any attempt. Version 0.2 named no attempt. */
export function isPartOf(partName: string, finalPath: string, transferId: string): boolean {
  const [start, end] = [shortenName(nodePath.basename(finalPath)), getPartEnd(transferId)];
  if (!partName.startsWith(start) || !partName.endsWith(end)) return false;
  return /^(?:\.[0-9a-f]{8})?$/.test(partName.slice(start.length, -end.length));
}

function shortenName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= maxNameStart) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return `${characters.slice(0, maxNameStart).join('')}-${hash}`;
}

/**
 * Runs `work` with an open part file, and closes it. After an error, removes the file, even if its folder was moved or
 * was reached through a link (Linux only).
 */
export function withPart(part: string, opened: number, work: (file: number) => void): void {
  withOpenFile(opened, (file) => {
    try {
      work(file);
    } catch (error) {
      removeOpenPart(file, part);
      throw error;
    }
  });
}

/** Throws {@link BadFile} if the open part file has lost its name or, on Linux, isn't in its folder. */
export function requireOwnPart(file: number, part: string, folders: DestinationFolders): void {
  const path = findOpenPath(file, part);
  // The system's path contains no links, so the folder is where it was, too.
  if (hasOpenFiles && path === part) return;
  const folder = nodePath.dirname(part);
  folders.checkUnmoved(folder);
  folders.requireSame(folder, nodePath.dirname(path));
  if (!isSameFile(file, part)) throw new BadFile('another program replaced its unfinished copy');
}

/** Returns the current path of an open file, which the system only knows on Linux. */
function findOpenPath(file: number, path: string): string {
  return hasOpenFiles ? fs.readlinkSync(`${openFilesFolder}/${file}`) : path;
}

function isSameFile(file: number, path: string): boolean {
  const named = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && isSame(named, fs.fstatSync(file, { bigint: true }));
}

/** Sets an open file's modification time (seconds since 1970), as well as its file system can keep it. */
export function setModified(file: number, seconds: string): void {
  try {
    // As a number, Node.js would replace a time before 1970 with the current one.
    fs.futimesSync(file, new Date(), seconds);
  } catch {
    // The content counts more than its time.
  }
}

/** Returns the bits that this process takes from the modes of its new files; undefined if the system doesn't tell. */
export function readMask(): number | undefined {
  // Asking through Node.js would clear them for a moment, also for other threads.
  const digits = /^Umask:\s*([0-7]+)$/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** Removes an open part file wherever it is now, unless another attempt has taken it over. Never throws. */
export function removeOpenPart(file: number, part: string): void {
  try {
    const path = findOpenPath(file, part);
    if (nodePath.basename(path) === nodePath.basename(part) && isSameFile(file, path)) fs.unlinkSync(path);
  } catch {
    // The part file is removed with the transfer's leftovers.
  }
}

/** Removes a part file. Never throws. */
export function removePart(part: string): void {
  try {
    fs.unlinkSync(part);
  } catch {
    // The part file is removed with the transfer's leftovers.
  }
}

/**
 * Keeps a descriptor of the last folder. On Linux, a path through it leads to the same folder even if somebody has
 * moved the folder or replaced it with a link.
 */
export class FixedFolder {
  private last: { readonly folder: string; readonly opened: number } | undefined;

  /** Returns a path of the folder that is valid until the next call. */
  getPath(folder: string): string {
    if (!hasOpenFiles) return folder;
    if (this.last?.folder !== folder) {
      this.close();
      this.last = { folder, opened: fs.openSync(folder, O_RDONLY | O_DIRECTORY) };
    }
    return `${openFilesFolder}/${this.last.opened}`;
  }

  close(): void {
    if (this.last) fs.closeSync(this.last.opened);
    this.last = undefined;
  }
}

/**
 * Gives a complete part file its final name in the same folder, without ever replacing another file (D24: destination
 * layout). A file system without hard links permits that only until just before the renaming. `isPublished` is called
 * if the name may be taken, with paths of both files that lead to the same folder as the link would: it returns true
 * if an identical file has the name, and throws if anything else does. The caller closes `fixed`, which is faster for
 * several files of a folder.
 */
export function publishPart(
  part: string,
  finalPath: string,
  isPublished: (finalPath: string, part: string) => boolean,
  fixed?: FixedFolder,
): void {
  const own = fixed ?? new FixedFolder();
  try {
    // The system looks up both paths one after the other, and in between, somebody may replace the folder with a link.
    const folder = own.getPath(nodePath.dirname(part));
    const [from, to] = [`${folder}/${nodePath.basename(part)}`, `${folder}/${nodePath.basename(finalPath)}`];
    for (let attempt = 1; ; attempt += 1) {
      const code = tryLink(from, to);
      if (code === undefined || isPublished(to, from)) return removePart(from);
      if (code !== 'EEXIST') return fs.renameSync(from, to);
      // Another file had the name a moment ago, but is gone.
      if (attempt === maxPublications) throw createConflict();
    }
  } finally {
    if (!fixed) own.close();
  }
}

/** Returns undefined if the link was created; otherwise, the error's code, which depends on the file system. */
function tryLink(part: string, finalPath: string): string | undefined {
  try {
    fs.linkSync(part, finalPath);
    return undefined;
  } catch (error) {
    // A network file system may have created the link although its response was lost.
    return isLinked(part, finalPath) ? undefined : getErrorCode(error);
  }
}

function isLinked(part: string, finalPath: string): boolean {
  const [one, other] = [part, finalPath].map((path) => fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && other !== undefined && one.nlink > 1n && isSame(one, other);
}

/**
 * Returns true if a file has the expected digest, and false if it doesn't exist, or disappears meanwhile. Throws
 * {@link BadFile} if anything else has its name.
 */
export function isIdentical(path: string, digest: (path: string) => string, getExpected: () => string): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const actual = stats.isFile() ? digestIfPresent(path, digest) : 'not a file';
  if (actual === undefined) return false;
  if (actual === getExpected()) return true;
  throw createConflict();
}

function digestIfPresent(path: string, digest: (path: string) => string): string | undefined {
  try {
    return digest(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates the error for a name that a different file has. */
export function createConflict(): BadFile {
  return new BadFile('a different file already exists');
}
