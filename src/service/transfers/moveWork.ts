import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import { digestFile } from './digests.ts';
import type { DoneFile, FileToMove, JobResult, JobSign, MoveJob } from './fileJobs.ts';
import {
  at,
  BadFile,
  readThrough,
  throwIfRaised,
  withFile,
  withRegularFile,
  workThrough,
  WorkStopped,
} from './fileWork.ts';
import { LandingFolders, partPathOf } from './landing.ts';
import { SourceFiles } from './sourceFiles.ts';

/** Sharing the blocks of a smaller file takes longer than copying it. */
const clonedFromBytes = 64 * 1024;

/** Names the open files of this process, each as itself and not by its path; only Linux has such names. */
const openFilesFolder = '/proc/self/fd';
const hasOpenFiles = process.platform === 'linux';

/** Where the files of a job come from and go to. */
interface Route {
  readonly job: MoveJob;
  readonly source: SourceFiles;
  readonly folders: LandingFolders;
  /** Whether the file system may be able to share the blocks of a copy with its original. */
  mayClone: boolean;
}

/**
 * Copies staged files: each written beside its final name, read back and compared with the staged hash, then renamed
 * (D24). What is already there with the right hash stays. Of a file that does not come so far, nothing is left.
 */
export function moveFiles(job: MoveJob): JobResult {
  let route: Route | undefined;
  return workThrough(job.files, job.sign, (file) => {
    route ??= routeOf(job);
    return moveFile(route, file);
  });
}

function routeOf(job: MoveJob): Route {
  const source = at('read', () => new SourceFiles(job.sourceFolder));
  const { destinationFolder, destinationPlace, transferId } = job;
  const landing = landingFolderOf(transferId);
  const folders = at('write', () => new LandingFolders(destinationFolder, landing, destinationPlace));
  return { job, source, folders, mayClone: hasOpenFiles && job.bytesPerSecond === undefined };
}

function moveFile(route: Route, file: FileToMove): DoneFile {
  at('write', () => {
    const folder = route.folders.make(nodePath.posix.dirname(file.path));
    const finalPath = `${folder}/${nodePath.posix.basename(file.path)}`;
    if (isThere(finalPath, file, route.job.sign)) return;
    at('read', () => route.source.open(file.path, (opened) => at('write', () => land(route, file, opened, finalPath))));
  });
  return { position: file.position, bytes: file.bytes, sha256: file.sha256 };
}

function isThere(finalPath: string, file: FileToMove, sign: JobSign): boolean {
  const stats = fs.lstatSync(finalPath, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const digest = (there: number): string => digestFile(there, file.bytes, sign).sha256;
  if (stats.isFile() && withRegularFile(finalPath, digest) === file.sha256) return true;
  throw new BadFile('something else is already there');
}

function land(route: Route, file: FileToMove, opened: number, finalPath: string): void {
  const { job } = route;
  const part = partPathOf(finalPath, job.transferId);
  try {
    const sha256 = cloned(route, file, opened, part)
      ? withRegularFile(part, (copy) => readBack(job, file, copy))
      : withNew(part, (copy) => {
          write(job, file, opened, copy);
          return readBack(job, file, copy);
        });
    if (sha256 !== file.sha256) refuse('it changed while it was being transferred');
    throwIfRaised(job.sign);
    route.folders.check(nodePath.dirname(finalPath));
    fs.renameSync(part, finalPath);
  } catch (error) {
    discard(part);
    throw error;
  }
}

/** The digest of a copy, which is on the disk by then where the job wants it so. A clone may be read-only as its original is. */
function readBack(job: MoveJob, { bytes }: FileToMove, copy: number): string {
  if (job.isFlushed) fs.fsyncSync(copy);
  return digestFile(copy, bytes, job.sign).sha256;
}

function refuse(text: string): never {
  return at('copy', () => {
    throw new BadFile(text);
  });
}

function discard(part: string): void {
  try {
    fs.rmSync(part, { force: true });
  } catch {
    // What cannot be removed now goes with what the transfer leaves behind, or is taken up by the next attempt.
  }
}

/**
 * Shares the blocks where the file system can, which takes no time; false where it cannot. Clones from the open file that
 * was checked: its path may lead to something else by now (D42).
 */
function cloned(route: Route, file: FileToMove, opened: number, part: string): boolean {
  if (!route.mayClone || file.bytes < clonedFromBytes) return false;
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
  try {
    fs.copyFileSync(`${openFilesFolder}/${opened}`, part, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    discard(part);
    route.mayClone = false;
    return false;
  }
}

/** A file that was not there before; what an attempt before this one left there goes. */
function withNew<T>(part: string, work: (file: number) => T): T {
  try {
    return withFile(part, 'wx+', work);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    fs.rmSync(part);
    return withFile(part, 'wx+', work);
  }
}

function write({ sign, bytesPerSecond }: MoveJob, { bytes }: FileToMove, opened: number, copy: number): void {
  at('read', () =>
    readThrough(opened, { from: 0, expectedBytes: bytes }, sign, (piece) => {
      at('write', () => writeAll(copy, piece));
      if (bytesPerSecond !== undefined) pause(sign, (piece.length / bytesPerSecond) * 1_000);
    }),
  );
}

function writeAll(copy: number, piece: Buffer): void {
  for (let place = 0; place < piece.length;) place += fs.writeSync(copy, piece, place);
}

/** Waits, and no longer when the sign is raised. */
function pause(sign: JobSign, delayMs: number): void {
  if (Atomics.wait(sign, 0, 0, delayMs) !== 'timed-out') throw new WorkStopped('stopped');
}
