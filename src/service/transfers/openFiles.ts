import { createHash, hash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { getParentFolder } from '../catalog/catalogFile.ts';
import { isInside, isPlainFolder, toAbsolutePath } from '../catalog/servedPaths.ts';
import {
  BadFile,
  createChangedFileError,
  irregularCause,
  throwIfStopped,
  type FileBytes,
  type JobSignal,
} from './fileJobs.ts';

const bufferBytes = 1024 * 1024;
const buffer = Buffer.allocUnsafeSlow(bufferBytes);

/**
 * Passes the bytes of a file, starting at an offset, to `take` in a reused buffer. Stops once it has read more than the
 * expected size, because a file may keep growing.
 */
export function readPieces(
  file: number,
  range: { readonly from: number; readonly expectedBytes: number },
  signal: JobSignal,
  take: (piece: Buffer) => void,
): void {
  for (let offset = range.from; offset <= range.expectedBytes;) {
    throwIfStopped(signal);
    const count = fs.readSync(file, buffer, 0, bufferBytes, offset);
    if (count === 0) return;
    offset += count;
    take(buffer.subarray(0, count));
    // A short piece that ends at the expected size is the last one.
    if (count < bufferBytes && offset === range.expectedBytes) return;
  }
}

/**
 * Reads the bytes from `from` up to `to`, and passes them piece by piece to `take` in a reused buffer. Returns the
 * offset at which reading stopped, which is less than `to` if the file ends earlier.
 */
export function readRange(
  file: number,
  range: { readonly from: number; readonly to: number },
  signal: JobSignal,
  take: (piece: Buffer) => void,
): number {
  let offset = range.from;
  for (let count = 1; count > 0 && offset < range.to; offset += count) {
    throwIfStopped(signal);
    count = fs.readSync(file, buffer, 0, Math.min(bufferBytes, range.to - offset), offset);
    take(buffer.subarray(0, count));
  }
  return offset;
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** A file that is open for reading, as it was when it was opened. The caller must close it. */
export interface OpenFile {
  /** The descriptor. */
  readonly file: number;
  readonly stats: fs.BigIntStats;
}

/**
 * Runs `work` with a regular file that is open for reading. Never waits for a pipe (D42: hanging disks) and, except on
 * Windows, never follows a link. Throws {@link BadFile} if `path` isn't a regular file.
 */
export function withRegularFile<T>(path: string, work: (file: number) => T): T {
  return withOpenFile(openRegularFile(path).file, work);
}

/** Opens a regular file, by default for reading, with the checks of {@link withRegularFile}. */
export function openRegularFile(path: string, access = O_RDONLY): OpenFile {
  return openChecked(path, access | O_NONBLOCK | O_NOFOLLOW, inspectRegularFile);
}

function openChecked(path: string, flags: number, check: (file: number) => OpenFile): OpenFile {
  const file = fs.openSync(path, flags);
  try {
    return check(file);
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

/** Throws {@link BadFile} if an open file is a folder, a device or a pipe. */
function inspectRegularFile(file: number): OpenFile {
  const stats = fs.fstatSync(file, { bigint: true });
  if (!stats.isFile()) throw new BadFile(irregularCause);
  return { file, stats };
}

/** Returns true if both stats describe the same file or folder. A link doesn't count, because it has its own inode. */
export function isSame(one: fs.BigIntStats, other: fs.BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/** Calls `work` with an open file, and closes the file afterwards. */
export function withOpenFile<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Writes at an explicit position, because on Windows, reads by another thread move the file position. */
export function writeAll(file: number, piece: Buffer, position: number): void {
  for (let offset = 0; offset < piece.length;)
    offset += fs.writeSync(file, piece, offset, piece.length - offset, position + offset);
}

interface Digests {
  readonly sha256: string;
  /** Digest computed with the second algorithm, if one was requested. */
  readonly other?: string;
  readonly bytes: number;
}

/** Size in bytes below which a file is read in one call. This is twice as fast as reading it piece by piece. */
export const smallBytes = 256 * 1024;
const smallBuffer = Buffer.allocUnsafeSlow(smallBytes);

interface DigestOptions {
  /** A second algorithm. */
  readonly other?: string | undefined;
  /** Counts the bytes that are read. */
  readonly counter?: FileBytes | undefined;
  /** Receives the content of a file of less than {@link smallBytes}, which is its own size. */
  readonly content?: Buffer | undefined;
}

/** Computes the digests of an open file, which must have the expected size. */
export function digestFile(
  file: number,
  expectedBytes: number,
  signal: JobSignal,
  { other, counter, content = smallBuffer }: DigestOptions = {},
): Digests {
  const count = fs.readSync(file, content, 0, smallBytes, 0);
  counter?.addRead(count);
  if (count < smallBytes) {
    const piece = content.subarray(0, count);
    // A growing file is read only partially; the caller compares its size or its digest.
    return { sha256: hash('sha256', piece), bytes: count, ...(other !== undefined && { other: hash(other, piece) }) };
  }
  const digest = createHash('sha256').update(content);
  const second = other === undefined ? undefined : createHash(other).update(content);
  let bytes = count;
  readPieces(file, { from: smallBytes, expectedBytes }, signal, (piece) => {
    digest.update(piece);
    second?.update(piece);
    bytes += piece.length;
    counter?.addRead(piece.length);
  });
  return { sha256: digest.digest('hex'), bytes, ...(second && { other: second.digest('hex') }) };
}

/** Computes one or more digests of a stream. Creates them on first use, because most copies are digested on disk. */
export class StreamDigests {
  /** Number of bytes processed so far. */
  bytes = 0;
  private readonly algorithms: readonly (string | undefined)[];
  private hashes: ReadonlyMap<string, Hash> | undefined;
  private readonly results = new Map<string, string>();

  /** Creates digests for SHA-256 and for the given algorithms. Ignores undefined entries. */
  constructor(algorithms: readonly (string | undefined)[]) {
    this.algorithms = algorithms;
  }

  update(piece: Buffer): void {
    this.bytes += piece.length;
    for (const hash of this.ensureHashes().values()) hash.update(piece);
  }

  /** Returns a digest in hex; undefined if the algorithm was not requested. Do not call {@link update} afterwards. */
  get(algorithm: string): string | undefined {
    const known = this.results.get(algorithm) ?? this.ensureHashes().get(algorithm)?.digest('hex');
    if (known !== undefined) this.results.set(algorithm, known);
    return known;
  }

  get sha256(): string {
    return this.get('sha256') ?? '';
  }

  private ensureHashes(): ReadonlyMap<string, Hash> {
    const names = new Set(['sha256', ...this.algorithms.flatMap((name) => name ?? [])]);
    this.hashes ??= new Map([...names].map((name) => [name, createHash(name)]));
    return this.hashes;
  }
}

/** A folder whose path contains no links. */
interface PlainFolder {
  readonly stats: fs.BigIntStats;
  /** True if another user may be able to replace a folder on the path. */
  readonly isShared: boolean;
}

/** Opens regular files of a folder for one job: no links outside, no blocking pipes (D42: hanging disks). */
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

  /** Runs `work` with an open file. Throws {@link BadFile} if it is outside the folder or not regular. */
  open<T>(path: string, work: (opened: OpenFile) => T): T {
    const opened = this.openFile(path);
    return withOpenFile(opened.file, () => work(opened));
  }

  /** Opens a file for reading, with the same checks as {@link open}. The caller must close it. */
  openFile(path: string): OpenFile {
    const absolute = `${this.realFolder}/${path}`;
    const folder = getParentFolder(path);
    const opened = this.isPlain(folder) ? openUnlessLink(absolute) : undefined;
    if (opened === undefined) return this.openThroughLinks(absolute);
    const known = this.plainFolders.get(folder);
    if (this.isUnchanged(folder) && (known?.isShared !== true || this.isInFolder(opened.file))) return opened;
    fs.closeSync(opened.file);
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
    if (known !== undefined && stats !== undefined && isSame(known.stats, stats)) return true;
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
  private openThroughLinks(path: string): OpenFile {
    return openChecked(path, O_RDONLY | O_NONBLOCK, (file) => {
      const opened = inspectRegularFile(file);
      const realPath = fs.realpathSync.native(path);
      if (!isInside(this.realFolder, realPath)) throw new BadFile("it points outside the database's folder");
      if (!isSame(fs.statSync(realPath, { bigint: true }), opened.stats)) throw createChangedFileError();
      if (!this.isInFolder(file)) throw new BadFile("it points outside the database's folder");
      return opened;
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

function openUnlessLink(path: string): OpenFile | undefined {
  try {
    return openRegularFile(path);
  } catch (error) {
    if (['ELOOP', 'EMLINK'].includes(getErrorCode(error))) return undefined;
    throw error;
  }
}
