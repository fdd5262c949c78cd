import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { isInside, isPlainFolder, toAbsolutePath } from '../catalog/pathInspection.ts';
import { getParentFolder } from '../catalog/catalogPaths.ts';
import { BadFile, createChangedFileError } from './fileJobs.ts';
import { isSameFolder, openChecked, openRegularFile, requireRegularFile, withOpenFile } from './openFiles.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** A folder whose path contains no links. */
interface PlainFolder {
  readonly stats: fs.BigIntStats;
  /** True if another user may be able to replace a folder on the path. */
  readonly isShared: boolean;
}

/**
 * Opens regular files in a folder for one job. Never follows a link out of the folder, and never blocks on a pipe (D42:
 * hanging disks).
 */
export class SourceFiles {
  private readonly realFolder: string;
  /** True if another user may be able to replace the folder itself, or one that contains it. */
  private readonly isFolderShared: boolean;
  /** Known folders whose paths contain no links, by path within the database. */
  private readonly plainFolders = new Map<string, PlainFolder>();

  constructor(folder: string) {
    this.realFolder = fs.realpathSync.native(folder);
    this.isFolderShared = isPathShared(this.realFolder);
  }

  /**
   * Opens a file, runs `work` with its descriptor, and closes it. Throws {@link BadFile} if a link points outside the
   * folder or `path` isn't a regular file.
   */
  open<T>(path: string, work: (opened: number) => T): T {
    return withOpenFile(this.openFile(path), work);
  }

  /** Opens a file for reading, with the same checks as {@link open}. The caller must close it. */
  openFile(path: string): number {
    const absolute = `${this.realFolder}/${path}`;
    const folder = getParentFolder(path);
    const opened = this.isPlain(folder) ? openUnlessLink(absolute) : undefined;
    if (opened === undefined) return this.openThroughLinks(absolute);
    const known = this.plainFolders.get(folder);
    if (this.isUnchanged(folder) && (known?.isShared !== true || this.isInFolder(opened))) return opened;
    fs.closeSync(opened);
    return this.openThroughLinks(absolute);
  }

  private isPlain(folder: string): boolean {
    // Without O_NOFOLLOW, every path must be checked.
    if (typeof O_NOFOLLOW !== 'number') return false;
    if (this.plainFolders.has(folder)) return true;
    const stats = this.readStats(folder);
    if (stats === undefined || !isPlainFolder(this.realFolder, folder)) return false;
    this.plainFolders.set(folder, { stats, isShared: this.isShared(folder) });
    return true;
  }

  /** Returns true if another user may be able to replace a folder in the database, or one that contains it. */
  private isShared(folder: string): boolean {
    if (folder === '') return this.isFolderShared;
    return isWritableByOthers(toAbsolutePath(this.realFolder, folder)) || this.isShared(getParentFolder(folder));
  }

  /** Returns false if a link or another folder has replaced a known folder. The path is then inspected again. */
  private isUnchanged(folder: string): boolean {
    const [known, stats] = [this.plainFolders.get(folder), this.readStats(folder)];
    if (known !== undefined && stats !== undefined && isSameFolder(known.stats, stats)) return true;
    this.plainFolders.delete(folder);
    return false;
  }

  /** Returns the stats of a folder; undefined if it is missing or can't be inspected. */
  private readStats(folder: string): fs.BigIntStats | undefined {
    try {
      return fs.lstatSync(toAbsolutePath(this.realFolder, folder), { bigint: true });
    } catch {
      return undefined;
    }
  }

  /**
   * Opens a file whose path may contain links. Then resolves the path and checks that it leads to the opened file, to
   * detect a link that was changed in between.
   */
  private openThroughLinks(path: string): number {
    return openChecked(path, O_RDONLY | O_NONBLOCK, (opened) => {
      requireRegularFile(opened);
      const realPath = fs.realpathSync.native(path);
      if (!isInside(this.realFolder, realPath)) throw new BadFile("it points outside the database's folder");
      const expected = fs.statSync(realPath);
      const actual = fs.fstatSync(opened);
      if (expected.ino !== actual.ino || expected.dev !== actual.dev) throw createChangedFileError();
      if (!this.isInFolder(opened)) throw new BadFile("it points outside the database's folder");
    });
  }

  /**
   * Returns false if an open file is outside the folder, because a link changed while the file was being opened.
   * Returns true on systems that don't report the paths of open files.
   */
  private isInFolder(opened: number): boolean {
    const path = readOpenPath(opened);
    return path === undefined || isInside(this.realFolder, path);
  }
}

/** Returns true if another user may be able to replace a folder or one that contains it. */
function isPathShared(path: string): boolean {
  const parent = nodePath.dirname(path);
  return isWritableByOthers(path) || (parent !== path && isPathShared(parent));
}

/**
 * Returns true if another user may be able to replace what this process's user or root owns in a folder. In folders
 * such as `/tmp`, the sticky bit prevents this.
 */
function isWritableByOthers(folder: string): boolean {
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  if (!stats) return true;
  const isOwn = stats.uid === 0 || stats.uid === (process.getuid?.() ?? 0);
  return !isOwn || ((stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0);
}

/** Returns the path of an open file; undefined if the system doesn't report it. */
function readOpenPath(opened: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return fs.readlinkSync(`/proc/self/fd/${opened}`);
  } catch {
    return undefined;
  }
}

/** Opens a regular file; returns undefined for a link. */
function openUnlessLink(path: string): number | undefined {
  try {
    return openRegularFile(path);
  } catch (error) {
    if (['ELOOP', 'EMLINK'].includes(getErrorCode(error))) return undefined;
    throw error;
  }
}
