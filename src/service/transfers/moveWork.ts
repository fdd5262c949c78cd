import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { digestFile } from './digests.ts';
import type { DoneFile, FileToMove, JobResult, MoveJob, JobSign } from './fileJobs.ts';
import { at, BadFile, readThrough, throwIfRaised, withFile, workThrough, WorkStopped } from './fileWork.ts';
import { LandingFolders, partPathOf } from './landing.ts';
import { withSource } from './stageWork.ts';
import { landingFolderOf } from './transferRecord.ts';

/** Sharing the blocks of a smaller file takes longer than copying it. */
const clonedFromBytes = 64 * 1024;

/** Where the files of a job go. */
interface Route {
  readonly job: MoveJob;
  readonly realSource: string;
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
  const realSource = at('read', () => fs.realpathSync(job.sourceFolder));
  const landing = landingFolderOf(job.transferId);
  const folders = at('write', () => new LandingFolders(job.destinationFolder, landing));
  return { job, realSource, folders, mayClone: job.bytesPerSecond === undefined };
}

function moveFile(route: Route, file: FileToMove): DoneFile {
  const { job, folders, realSource } = route;
  at('write', () => {
    const folder = folders.make(nodePath.posix.dirname(file.path));
    const finalPath = `${folder}/${nodePath.posix.basename(file.path)}`;
    if (isThere(finalPath, file, job.sign)) return;
    at('read', () => withSource(realSource, file.path, (source) => land(route, file, { source, folder, finalPath })));
  });
  return { position: file.position, bytes: file.bytes, sha256: file.sha256 };
}

function isThere(finalPath: string, file: FileToMove, sign: JobSign): boolean {
  const stats = fs.lstatSync(finalPath, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isFile() && withFile(finalPath, 'r', (there) => digestFile(there, sign)).sha256 === file.sha256)
    return true;
  throw new BadFile('something else is already there');
}

interface Place {
  /** The open source. */
  readonly source: number;
  readonly folder: string;
  readonly finalPath: string;
}

function land(route: Route, file: FileToMove, { source, folder, finalPath }: Place): void {
  const { job, folders } = route;
  const part = at('write', () => partPathOf(finalPath, job.transferId));
  try {
    at('write', () => fs.rmSync(part, { force: true }));
    if (!cloned(route, file, part)) copy(job, source, part);
    at('write', () => {
      const written = withFile(part, 'r', (copied) => digestFile(copied, job.sign));
      if (written.sha256 !== file.sha256) {
        at('copy', () => {
          throw new BadFile('it changed while it was being transferred');
        });
      }
      throwIfRaised(job.sign);
      folders.check(folder);
      fs.renameSync(part, finalPath);
    });
  } catch (error) {
    discard(part);
    throw error;
  }
}

function discard(part: string): void {
  try {
    fs.rmSync(part, { force: true });
  } catch {
    // What cannot be removed now goes with what the transfer leaves behind, or is taken up by the next attempt.
  }
}

/** Shares the blocks where the file system can, which takes no time; false where it cannot. */
function cloned(route: Route, file: FileToMove, part: string): boolean {
  if (!route.mayClone || file.bytes < clonedFromBytes) return false;
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
  try {
    fs.copyFileSync(`${route.realSource}/${file.path}`, part, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    discard(part);
    route.mayClone = false;
    return false;
  }
}

function copy({ sign, bytesPerSecond }: MoveJob, source: number, part: string): void {
  at('write', () =>
    withFile(part, 'wx', (target) => {
      at('read', () =>
        readThrough(source, 0, sign, (piece) => {
          at('write', () => writeAll(target, piece));
          if (bytesPerSecond !== undefined) pause(sign, (piece.length / bytesPerSecond) * 1_000);
        }),
      );
    }),
  );
}

function writeAll(target: number, piece: Buffer): void {
  for (let place = 0; place < piece.length;) place += fs.writeSync(target, piece, place);
}

/** Waits, and no longer when the sign is raised. */
function pause(sign: JobSign, delayMs: number): void {
  if (Atomics.wait(sign, 0, 0, delayMs) !== 'timed-out') throw new WorkStopped('stopped');
}
