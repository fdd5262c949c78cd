import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { isFuseFolder } from '../../core/util/fileSystem.ts';
import { StoreError } from '../stores/storeError.ts';
import {
  createAttempt,
  type DestinationFolders,
  FixedFolder,
  getPartEnd,
  getPartPath,
  hasOpenFiles,
  isIdentical,
  isPartOf,
  joinFileName,
  openFilesFolder,
  publishPart,
  readMask,
  removeOpenPart,
  removePart,
  requireOwnPart,
  restrictMode,
  setModified,
  withPart,
} from './destinationFiles.ts';
import { openTransferFolder } from './folderClaim.ts';
import {
  BadFile,
  JobStopped,
  OperationError,
  runOperation,
  SharedCopy,
  throwIfStopped,
  type DoneFile,
  type FileBytes,
  type FileToMove,
  type MoveJob,
} from './fileJobs.ts';
import { readBackMethod, type MovedContent, type MoveSink, type WrittenFile } from './moveSides.ts';
import {
  digestFile,
  openRegularFile,
  readPieces,
  smallBytes,
  type StreamDigests,
  withOpenFile,
  withRegularFile,
  writeAll,
  type OpenFile,
} from './openFiles.ts';
import { stageFile } from './stageFile.ts';

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const newFileFlags = O_RDWR | O_CREAT | O_EXCL;
const clonedFileFlags = O_RDONLY | O_NOFOLLOW;
const newFileMode = 0o666;
const executeBits = 0o111;
/** The bits for setuid, setgid and sticky, which no copy has. */
const specialBits = 0o7000;
/** Minimum size of a file to clone. Cloning smaller files takes longer than copying them. */
const minCloneBytes = 64 * 1024;
/**
 * Maximum size of a file whose folder isn't checked before copying if the previous file was renamed in that folder. The
 * folder is always checked before a copy gets its final name.
 */
const maxUncheckedBytes = 1024 * 1024;
/** The content of a small file that was just hashed, so that it is read only once. */
const hashedContent = Buffer.allocUnsafeSlow(smallBytes);

const damaged = 'its copy is damaged';
const changedOrDamaged = `it changed after it was hashed, or ${damaged}`;

/** A file with its hash, open at the source, and its content if it was just read. */
interface HashedFile {
  readonly file: FileToMove;
  readonly source: OpenFile;
  readonly content?: Buffer | undefined;
}

/**
 * Writes files to a folder, and never replaces another file (D24: destination layout). Copies a file of another folder
 * in one go, and compares the copy with the hash of the source, which it computes unless the file was staged. Receives
 * an object of a store piece by piece; rejects names that point outside the folder.
 */
export class FolderSink implements MoveSink {
  readonly hash = undefined;
  private readonly job: MoveJob;
  private readonly folders: DestinationFolders;
  /** Names the part files, so that no other mover of the transfer takes them for its own. */
  private readonly attempt = createAttempt();
  /** Names of the unfinished files of earlier attempts, by folder. */
  private readonly earlierParts = new Map<string, readonly string[]>();
  private readonly fixed = new FixedFolder();
  /** Undefined until the first file to clone. False after a failure, if throttled, and on systems other than Linux. */
  private canClone: boolean | undefined;
  /** The process's umask, once a clone has needed it. */
  private mask: number | undefined;
  /** The previous copy's folder, which was checked when that copy got its final name. */
  private checked: { readonly path: string; readonly folder: string } | undefined;

  constructor(job: MoveJob, folder: string) {
    this.job = job;
    if (!hasOpenFiles || job.bytesPerSecond !== undefined) this.canClone = false;
    this.folders = openTransferFolder(folder, job, job.source.location.folder);
  }

  async write(file: FileToMove, content: MovedContent): Promise<WrittenFile | DoneFile> {
    const { source, counter } = content;
    return source.open ? this.copy(file, counter, source) : await this.receive(file, content);
  }

  close(): void {
    this.fixed.close();
  }

  /** Copies a file, unless the destination has it already, and gives the copy its final name. */
  private copy(file: FileToMove, counter: FileBytes, source: MovedContent['source']): DoneFile {
    const { checked } = this;
    const path = nodePath.posix.dirname(file.path);
    const isChecked = checked?.path === path && file.bytes <= maxUncheckedBytes;
    const folder = isChecked ? checked.folder : this.folders.ensureFolder(path);
    this.checked = undefined;
    const finalPath = joinFileName(folder, file.path);
    const isStaged = file.sha256 !== '';
    if (isStaged && this.hasCopy(file, counter, finalPath)) return toDoneFile(file);
    let done: DoneFile = toDoneFile(file);
    source.open?.(file, (opened) => {
      const hashed = isStaged ? { file, source: opened } : this.hashSource(file, opened);
      done = toDoneFile(hashed.file);
      runOperation('write', () => {
        if (isStaged || !this.hasCopy(hashed.file, counter, finalPath)) this.copyOpened(hashed, counter, finalPath);
      });
      this.checked = { path, folder };
    });
    return done;
  }

  /** Hashes a file that wasn't staged. Keeps the content of a small one, so that it is read once. */
  private hashSource(file: FileToMove, opened: OpenFile): HashedFile {
    const { done, stats } = stageFile(opened, file, this.job.signal, { content: hashedContent });
    const { bytes, sha256 = '', modifiedMs } = done;
    const content = bytes < smallBytes ? hashedContent.subarray(0, bytes) : undefined;
    return { file: { ...file, bytes, sha256, modifiedMs }, source: { file: opened.file, stats }, content };
  }

  /** Returns true if the destination has the file already. */
  private hasCopy(file: FileToMove, counter: FileBytes, finalPath: string): boolean {
    const folder = nodePath.dirname(finalPath);
    // Publishing never replaces a file, so that a new folder need not be searched for one.
    if (this.folders.isNew(folder) || !this.hasSameContent(finalPath, file)) return false;
    counter.complete();
    this.folders.checkUnmoved(folder);
    return true;
  }

  private hasSameContent(finalPath: string, { bytes, sha256 }: FileToMove): boolean {
    const digest = (existing: number): string => digestFile(existing, bytes, this.job.signal).sha256;
    return isIdentical(
      finalPath,
      (path) => withRegularFile(path, digest),
      () => sha256,
    );
  }

  private copyOpened(hashed: HashedFile, counter: FileBytes, finalPath: string): void {
    const { file, source } = hashed;
    const { bytes } = file;
    const { signal, isFlushed } = this.job;
    const { file: opened, stats } = source;
    const sourceMode = Number(stats.mode);
    const mode = restrictMode(newFileMode | (sourceMode & executeBits), sourceMode);
    const clone = (sourceMode & specialBits) === 0 ? this.tryClone(file, opened, finalPath) : undefined;
    const part = clone ?? this.getPart(finalPath);
    const isCloned = clone !== undefined;
    let sha256: string | undefined;
    withPart(part, fs.openSync(part, isCloned ? clonedFileFlags : newFileFlags, mode), (copy) => {
      const known = isCloned ? undefined : this.copyContent(hashed, counter, copy);
      if (isCloned) {
        counter.addCopied(bytes);
        this.adoptClone(copy, sourceMode, mode);
      }
      setModified(copy, toSeconds(stats.mtimeNs));
      if (isFlushed) fs.fsyncSync(copy);
      sha256 = known ?? this.tryDigest(copy, file, counter);
      throwIfStopped(signal);
      requireOwnPart(copy, part, this.folders);
    });
    try {
      if ((sha256 ?? this.readBack(part, file)) !== file.sha256)
        throw new OperationError('copy', new BadFile(hashed.content && !isCloned ? damaged : changedOrDamaged));
      publishPart(part, finalPath, (path) => this.hasSameContent(path, file), this.fixed);
    } catch (error) {
      removePart(part);
      throw error;
    }
  }

  private getPart(finalPath: string): string {
    return getPartPath(finalPath, this.attempt, this.job.transferId);
  }

  private tryDigest(copy: number, { bytes }: FileToMove, counter: FileBytes): string | undefined {
    try {
      const digests = digestFile(copy, bytes, this.job.signal, { counter });
      return digests.bytes < bytes ? undefined : digests.sha256;
    } catch (error) {
      // A mount by rclone reads no file that is open for writing.
      if (getErrorCode(error) !== 'EPERM') throw error;
      return undefined;
    }
  }

  private readBack(part: string, { bytes }: FileToMove): string {
    return withRegularFile(part, (copy) => {
      requireOwnPart(copy, part, this.folders);
      return digestFile(copy, bytes, this.job.signal).sha256;
    });
  }

  /**
   * Clones the file if it is large enough and the file system supports it, and returns the clone's path. Clones from
   * the checked descriptor, because the path may lead to a different file by now (D42: hanging disks). A clone of a
   * read-only file can't be opened for writing, but its time and mode can be set.
   */
  private tryClone({ bytes }: FileToMove, opened: number, finalPath: string): string | undefined {
    if (this.canClone === false || bytes < minCloneBytes) return undefined;
    const part = this.getPart(finalPath);
    // FUSE can't clone, and a mount by rclone may create a removed file again.
    this.canClone ??= !isFuseFolder(nodePath.dirname(part));
    if (!this.canClone) return undefined;
    const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
    try {
      fs.copyFileSync(`${openFilesFolder}/${opened}`, part, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
      return part;
    } catch {
      removePart(part);
      this.canClone = false;
      return undefined;
    }
  }

  /** Gives a clone, which has the mode of its source, that of another copy. */
  private adoptClone(copy: number, sourceMode: number, mode: number): void {
    this.mask ??= readMask();
    const wanted = this.mask === undefined ? sourceMode : mode & ~this.mask;
    if (((wanted ^ sourceMode) & 0o777) !== 0) fs.fchmodSync(copy, wanted);
  }

  /** Copies the content. Returns the digest of the copy if a second thread has computed it in parallel. */
  private copyContent({ file, source, content }: HashedFile, counter: FileBytes, copy: number): string | undefined {
    const { signal, bytesPerSecond, sharedCopy } = this.job;
    const shared = sharedCopy && new SharedCopy(sharedCopy);
    const range = { from: 0, expectedBytes: file.bytes };
    let written = 0;
    const write = (piece: Buffer): void => {
      runOperation('write', () => writeAll(copy, piece, written));
      written += piece.length;
      shared?.reportWritten(copy, written);
      counter.addCopied(piece.length);
      if (bytesPerSecond !== undefined) pause(signal, (piece.length / bytesPerSecond) * 1_000);
    };
    if (content !== undefined) {
      write(content);
      return undefined;
    }
    try {
      // For an empty file, there is no piece to report.
      shared?.reportWritten(copy, 0);
      runOperation('read', () => readPieces(source.file, range, signal, write));
      const digest = shared?.takeDigest();
      // Stops before flushing, which takes a long time for a large file.
      throwIfStopped(signal);
      return digest;
    } finally {
      shared?.end();
    }
  }

  /** Writes an object to a part file, which continues that of an earlier attempt if the whole can be verified. */
  private async receive(file: FileToMove, content: MovedContent): Promise<WrittenFile> {
    const finalPath = runOperation('write', () => this.getFinalPath(file.path));
    const part = this.getPart(finalPath);
    const paths = { folders: this.folders, part, finalPath };
    if (content.source.moveFetched?.(file, part) === true) return this.takeFetched(file, content, paths);
    runOperation('write', () => this.claimPart(part, finalPath));
    const opened = runOperation('write', () => this.openPart(part, finalPath));
    try {
      const from = runOperation('write', () => this.prepare(opened, file, content));
      await this.append(opened, from, content);
      runOperation('write', () => {
        if (this.job.isFlushed) fs.fsyncSync(opened);
        requireOwnPart(opened, part, this.folders);
      });
      return new WrittenPart(this.job, file, paths, { isContinued: from > 0 });
    } catch (error) {
      if (!isInterruption(error)) removeOpenPart(opened, part);
      throw error;
    } finally {
      fs.closeSync(opened);
    }
  }

  /** Gives an earlier attempt's part file the name of this attempt's, so that nobody else writes to it. */
  private claimPart(part: string, finalPath: string): void {
    const folder = nodePath.dirname(finalPath);
    const names = this.earlierParts.get(folder) ?? this.listParts(folder);
    this.earlierParts.set(folder, names);
    const earlier = names.find((name) => isPartOf(name, finalPath, this.job.transferId));
    if (earlier === undefined) return;
    try {
      fs.renameSync(`${folder}/${earlier}`, part);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /**
   * Opens or creates the part file. Replaces one that may be the complete file under its final name, too, because a
   * process was killed while it published the file. Some file systems, such as sshfs, don't report the number of links,
   * so any file under the final name counts.
   */
  private openPart(part: string, finalPath: string): number {
    const flags = O_RDWR | O_CREAT | O_NOFOLLOW;
    const isNamed = fs.lstatSync(finalPath, { throwIfNoEntry: false }) !== undefined;
    const opened = fs.openSync(part, flags, 0o666);
    if (!isNamed && fs.fstatSync(opened).nlink <= 1) return opened;
    fs.closeSync(opened);
    fs.rmSync(part);
    return fs.openSync(part, flags, 0o666);
  }

  private listParts(folder: string): readonly string[] {
    return fs.readdirSync(folder).filter((name) => name.endsWith(getPartEnd(this.job.transferId)));
  }

  /** Computes the digests of a fetched copy that was moved to `paths.part`, so that it need not be read back later. */
  private takeFetched(file: FileToMove, content: MovedContent, paths: PartPaths): WrittenFile {
    try {
      runOperation('write', () => this.readFetched(paths.part, file, content));
      return new WrittenPart(this.job, file, paths, { isReadBack: true });
    } catch (error) {
      removePart(paths.part);
      throw error;
    }
  }

  private readFetched(part: string, { bytes }: FileToMove, { digests }: MovedContent): void {
    const opened = openPart(part);
    withOpenFile(opened, () => {
      readPieces(opened, { from: 0, expectedBytes: bytes }, this.job.signal, (piece) => digests.update(piece));
      if (this.job.isFlushed) fs.fsyncSync(opened);
    });
    if (digests.bytes !== bytes) throw createDiskError();
  }

  private getFinalPath(path: string): string {
    // If empty parts were removed, two objects could have the same path.
    const hasEmptyPart = path.split('/').some((name) => name === '' || name === '.');
    if (hasEmptyPart) throw new BadFile('its path has an empty or "." segment');
    return this.folders.ensureFilePath(path);
  }

  /** Returns the offset to continue from. Adds earlier content to the digests, or discards it. */
  private prepare(opened: number, { bytes }: FileToMove, { canResume, digests }: MovedContent): number {
    const { size } = fs.fstatSync(opened);
    if (canResume && size <= bytes) {
      readPieces(opened, { from: 0, expectedBytes: size }, this.job.signal, (piece) => digests.update(piece));
      return size;
    }
    fs.ftruncateSync(opened);
    return 0;
  }

  private async append(opened: number, from: number, { read, digests }: MovedContent): Promise<void> {
    let offset = from;
    for await (const piece of read(from)) {
      digests.update(piece);
      runOperation('write', () => writeAll(opened, piece, offset));
      offset += piece.length;
    }
  }
}

function toDoneFile({ position, bytes, sha256, modifiedMs }: FileToMove): DoneFile {
  return { position, bytes, sha256, ...(modifiedMs !== undefined && { modifiedMs }) };
}

/**
 * Returns true if the part file can be continued after an error. It can if the store was unreachable, the download was
 * interrupted, the job was stopped, or another file failed.
 */
function isInterruption(error: unknown): boolean {
  const cause = error instanceof OperationError ? error.cause : error;
  if (cause instanceof StoreError) return cause.kind === 'broken' || cause.kind === 'unreachable';
  return cause instanceof JobStopped || (cause instanceof Error && cause.name === 'AbortError');
}

/** Formats nanoseconds as seconds with fractions, without the loss of digits that dividing numbers would cause. */
function toSeconds(nanoseconds: bigint): string {
  const digits = String(nanoseconds < 0n ? -nanoseconds : nanoseconds).padStart(10, '0');
  return `${nanoseconds < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Waits for `delayMs` milliseconds. Throws {@link JobStopped} on a stop request. */
function pause(signal: MoveJob['signal'], delayMs: number): void {
  if (Atomics.wait(signal, 0, 0, delayMs) !== 'timed-out') throw new JobStopped('stopped');
}

function createDiskError(): OperationError {
  return new OperationError('copy', new BadFile('the disk did not store it correctly'));
}

/** Removes a part file after an error, unless the next run can continue it. */
function discardPart(part: string, error: unknown): void {
  if (!isInterruption(error)) removePart(part);
}

/** Opens a part to set its time, on Windows for writing. The caller must close it. */
function openPart(part: string): number {
  const access = process.platform === 'win32' ? O_RDWR : O_RDONLY;
  return openRegularFile(part, access).file;
}

interface PartPaths {
  readonly folders: DestinationFolders;
  readonly part: string;
  readonly finalPath: string;
}

interface PartOrigin {
  /** True if the digests were computed from the part file itself. */
  readonly isReadBack?: boolean;
  /** True if the part file was started by an earlier attempt. */
  readonly isContinued?: boolean;
}

class WrittenPart implements WrittenFile {
  readonly isContinued: boolean;
  private readonly job: MoveJob;
  private readonly file: FileToMove;
  private readonly paths: PartPaths;
  private readonly isReadBack: boolean;

  constructor(job: MoveJob, file: FileToMove, paths: PartPaths, origin: PartOrigin) {
    this.job = job;
    this.file = file;
    this.paths = paths;
    this.isReadBack = origin.isReadBack === true;
    this.isContinued = origin.isContinued === true;
  }

  async verify(digests: StreamDigests, _signal: AbortSignal, counter: FileBytes): Promise<string> {
    if (this.isReadBack) return readBackMethod;
    const written = runOperation('write', () => this.digest(this.paths.part, counter));
    if (written !== digests.sha256) throw createDiskError();
    return await Promise.resolve(readBackMethod);
  }

  async finish(_signal: AbortSignal, modifiedMs: number | undefined): Promise<void> {
    runOperation('write', () => {
      const { folders, part, finalPath } = this.paths;
      // A fetched copy has its time already.
      if (!this.isReadBack && modifiedMs !== undefined)
        withOpenFile(openPart(part), (opened) => setModified(opened, String(modifiedMs / 1_000)));
      folders.checkUnmoved(nodePath.dirname(finalPath));
      publishPart(part, finalPath, (existing, own) =>
        isIdentical(
          existing,
          (path) => this.digest(path),
          () => this.digest(own),
        ),
      );
    });
    await Promise.resolve();
  }

  discard(error: unknown): void {
    discardPart(this.paths.part, error);
  }

  private digest(path: string, counter?: FileBytes): string {
    const { bytes } = this.file;
    return withRegularFile(path, (opened) => digestFile(opened, bytes, this.job.signal, { counter }).sha256);
  }
}
