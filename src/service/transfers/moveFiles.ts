import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { digestFile } from './digests.ts';
import { FileBytes } from './fileBytes.ts';
import {
  BadFile,
  JobStopped,
  OperationError,
  processFiles,
  readPieces,
  runOperation,
  throwIfStopped,
  withRegularFile,
  type DoneFile,
  type FileToMove,
  type JobResult,
  type JobSignal,
  type MoveJob,
} from './fileJobs.ts';
import { DestinationFolders, joinFileName } from './destinationFolders.ts';
import {
  createAttempt,
  FixedFolder,
  getPartPath,
  hasOpenFiles,
  isIdentical,
  openFilesFolder,
  publishPart,
  removePart,
  requireOwnPart,
  withPart,
} from './partFiles.ts';
import { SharedCopy } from './sharedCopy.ts';
import { SourceFiles } from './sourceFiles.ts';

/** Minimum size of a file to clone. Cloning smaller files takes longer than copying them. */
const minCloneBytes = 64 * 1024;

/**
 * Maximum size of a file whose folder isn't checked before copying if the previous file was renamed in that folder. The
 * folder is always checked before a copy gets its final name.
 */
const maxUncheckedBytes = 1024 * 1024;

interface CountedFile extends FileToMove {
  readonly counter: FileBytes;
}

interface MoveContext {
  readonly job: MoveJob;
  /** Names the part files, so that no other mover of the transfer takes them for its own. */
  readonly attempt: string;
  readonly source: SourceFiles;
  readonly folders: DestinationFolders;
  readonly fixed: FixedFolder;
  /** False after a failed attempt to clone, for a throttled job, and on systems other than Linux. */
  canClone: boolean;
  /** The previous file's folder, which was checked when that file was renamed. */
  checked?: { readonly path: string; readonly folder: string } | undefined;
}

/**
 * Copies staged files. Writes each copy under a temporary name, compares it with the staged hash, then gives it its
 * final name unless a file has that name (D24: destination layout). Keeps existing files with the right hash. Removes
 * unfinished copies.
 */
export function moveFiles(job: MoveJob): JobResult {
  let context: MoveContext | undefined;
  try {
    return processFiles(job.files, job.signal, (file) => {
      context ??= createMoveContext(job);
      return moveFile(context, file);
    });
  } finally {
    context?.fixed.close();
  }
}

function createMoveContext(job: MoveJob): MoveContext {
  const source = runOperation('read', () => new SourceFiles(job.sourceFolder));
  const { destinationFolder, destinationPlace, transferId } = job;
  const folderName = getTransferFolderName(transferId);
  const folders = runOperation('write', () => new DestinationFolders(destinationFolder, folderName, destinationPlace));
  return {
    job,
    attempt: createAttempt(),
    source,
    folders,
    fixed: new FixedFolder(),
    canClone: hasOpenFiles && job.bytesPerSecond === undefined,
  };
}

function moveFile(context: MoveContext, file: FileToMove): DoneFile {
  runOperation('write', () => {
    const path = nodePath.posix.dirname(file.path);
    const { checked } = context;
    const isChecked = checked?.path === path && file.bytes <= maxUncheckedBytes;
    const folder = isChecked ? checked.folder : context.folders.ensureFolder(path);
    context.checked = undefined;
    const finalPath = joinFileName(folder, file.path);
    const counter = new FileBytes(context.job.signal, file.bytes);
    if (hasSameContent(finalPath, file, context.job.signal)) {
      counter.complete();
      context.folders.checkUnmoved(folder);
      return;
    }
    runOperation('read', () =>
      context.source.open(file.path, (opened) =>
        runOperation('write', () => copyToDestination(context, { ...file, counter }, opened, finalPath)),
      ),
    );
    context.checked = { path, folder };
  });
  return { position: file.position, bytes: file.bytes, sha256: file.sha256 };
}

function hasSameContent(finalPath: string, file: FileToMove, signal: JobSignal): boolean {
  const digest = (existing: number): string => digestFile(existing, file.bytes, signal).sha256;
  return isIdentical(
    finalPath,
    (path) => withRegularFile(path, digest),
    () => file.sha256,
  );
}

function copyToDestination(context: MoveContext, file: CountedFile, opened: number, finalPath: string): void {
  const { job } = context;
  const part = getPartPath(finalPath, context.attempt, job.transferId);
  const isCloned = tryClone(context, file, opened, part);
  withPart(part, isCloned ? clonedFileFlags : newFileFlags, (copy) => {
    const sha256 = isCloned ? readBack(job, file, copy) : copyAndReadBack(job, file, opened, copy);
    if (sha256 !== file.sha256) {
      throw new OperationError('copy', new BadFile('it changed after it was hashed, or its copy is damaged'));
    }
    throwIfStopped(job.signal);
    requireOwnPart(copy, part, context.folders);
  });
  try {
    publishPart(part, finalPath, () => hasSameContent(finalPath, file, job.signal), context.fixed);
  } catch (error) {
    removePart(part);
    throw error;
  }
}

/** Copies the content and returns the digest of the copy, which a second thread may have computed in parallel. */
function copyAndReadBack(job: MoveJob, file: CountedFile, opened: number, copy: number): string {
  const shared = job.sharedCopy && new SharedCopy(job.sharedCopy);
  try {
    // For an empty file, `copyContent` reports nothing.
    shared?.reportWritten(copy, 0);
    copyContent(job, file, opened, copy, (written) => shared?.reportWritten(copy, written));
    const digest = shared?.takeDigest();
    // Stops before flushing, which takes a long time for a large file.
    throwIfStopped(job.signal);
    return readBack(job, file, copy, digest);
  } finally {
    shared?.end();
  }
}

/**
 * Returns the digest of a copy, after flushing it if the job requires that. Reads the copy unless the digest is known.
 * The descriptor may be read-only, because a clone of a read-only file can't be opened for writing.
 */
function readBack(job: MoveJob, { bytes, counter }: CountedFile, copy: number, known?: string): string {
  if (job.isFlushed) fs.fsyncSync(copy);
  return known ?? digestFile(copy, bytes, job.signal, { counter }).sha256;
}

/**
 * Clones the file if it is large enough and the file system supports it; otherwise, returns false. Clones from the
 * checked descriptor, because the path may lead to a different file by now (D42: hanging disks).
 */
function tryClone(context: MoveContext, file: CountedFile, opened: number, part: string): boolean {
  if (!context.canClone || file.bytes < minCloneBytes) return false;
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
  try {
    fs.copyFileSync(`${openFilesFolder}/${opened}`, part, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    file.counter.addCopied(file.bytes);
    return true;
  } catch {
    removePart(part);
    context.canClone = false;
    return false;
  }
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const newFileFlags = O_RDWR | O_CREAT | O_EXCL;
const clonedFileFlags = O_RDONLY | O_NOFOLLOW;

function copyContent(
  { signal, bytesPerSecond }: MoveJob,
  { bytes, counter }: CountedFile,
  opened: number,
  copy: number,
  reportWritten: (bytes: number) => void,
): void {
  let written = 0;
  runOperation('read', () =>
    readPieces(opened, { from: 0, expectedBytes: bytes }, signal, (piece) => {
      runOperation('write', () => writeAll(copy, piece, written));
      reportWritten((written += piece.length));
      counter.addCopied(piece.length);
      if (bytesPerSecond !== undefined) pause(signal, (piece.length / bytesPerSecond) * 1_000);
    }),
  );
}

/** Writes at an explicit position, because on Windows, reads by another thread move the file position. */
function writeAll(copy: number, piece: Buffer, position: number): void {
  for (let offset = 0; offset < piece.length;)
    offset += fs.writeSync(copy, piece, offset, piece.length - offset, position + offset);
}

/** Waits for `delayMs` milliseconds. Throws {@link JobStopped} on a stop request. */
function pause(signal: JobSignal, delayMs: number): void {
  if (Atomics.wait(signal, 0, 0, delayMs) !== 'timed-out') throw new JobStopped('stopped');
}
