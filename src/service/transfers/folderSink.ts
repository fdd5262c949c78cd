import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { isMissing } from '../../core/util/errorFacts.ts';
import { StoreError } from '../stores/storeError.ts';
import {
  readBackMethod,
  type BatchResult,
  type CarriedContent,
  type CarrySink,
  type WrittenFile,
} from './carrySource.ts';
import type { CarryJob, FileToCarry } from './carryJob.ts';
import { DestinationFolders } from './destinationFolders.ts';
import { digestFile, type StreamDigests } from './digests.ts';
import type { FileBytes } from './fileBytes.ts';
import {
  BadFile,
  JobStopped,
  openChecked,
  OperationError,
  readPieces,
  requireRegularFile,
  runOperation,
  withOpenFile,
  withRegularFile,
} from './fileJobs.ts';
import {
  createAttempt,
  getPartEnd,
  getPartPath,
  isIdentical,
  isPartOf,
  publishPart,
  removeOpenPart,
  removePart,
  requireOwnPart,
} from './partFiles.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';

const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Writes objects from a store to a folder. Rejects object names that point outside the folder (D24: destination
 * layout).
 */
export class FolderSink implements CarrySink {
  readonly hash = undefined;
  private readonly job: CarryJob;
  private readonly folders: DestinationFolders;
  /** Names the part files, so that no other mover of the transfer takes them for its own. */
  private readonly attempt = createAttempt();
  /** Names of the unfinished files of earlier attempts, by folder. */
  private readonly earlierParts = new Map<string, readonly string[]>();

  constructor(job: CarryJob, folder: string) {
    this.job = job;
    const name = getTransferFolderName(job.transferId);
    this.folders = runOperation('write', () => new DestinationFolders(folder, name, job.destinationPlace));
  }

  async write(file: FileToCarry, content: CarriedContent): Promise<WrittenFile> {
    const finalPath = runOperation('write', () => this.getFinalPath(file.path));
    const part = getPartPath(finalPath, this.attempt, this.job.transferId);
    const paths = { folders: this.folders, part, finalPath };
    if (content.moveFetched(part)) return this.takeFetched(file, content, paths);
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
  private takeFetched(file: FileToCarry, content: CarriedContent, paths: PartPaths): WrittenFile {
    try {
      runOperation('write', () => this.readFetched(paths.part, file, content));
      return new WrittenPart(this.job, file, paths, { isReadBack: true });
    } catch (error) {
      removePart(paths.part);
      throw error;
    }
  }

  private readFetched(part: string, { bytes }: FileToCarry, { digests }: CarriedContent): void {
    const opened = openChecked(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK, requireRegularFile);
    withOpenFile(opened, () => {
      readPieces(opened, { from: 0, expectedBytes: bytes }, this.job.signal, (piece) => digests.update(piece));
      // Sets the modification time to now, like that of files that are not fetched in a batch.
      fs.futimesSync(opened, new Date(), new Date());
      if (this.job.isFlushed) fs.fsyncSync(opened);
    });
    if (digests.bytes !== bytes) throw createDiskError();
  }

  async writeBatch(): Promise<BatchResult> {
    return await Promise.resolve({ done: [], isIncomplete: false });
  }

  private getFinalPath(path: string): string {
    // If empty parts were removed, two objects could have the same path.
    const hasEmptyPart = path.split('/').some((name) => name === '' || name === '.');
    if (hasEmptyPart) throw new BadFile('its path has an empty or "." segment');
    return this.folders.ensureFilePath(path);
  }

  /**
   * Returns the offset to continue from. Content from an earlier attempt is either added to the digests or discarded.
   */
  private prepare(opened: number, { bytes }: FileToCarry, { canResume, digests }: CarriedContent): number {
    const { size } = fs.fstatSync(opened);
    if (canResume && size <= bytes) {
      readPieces(opened, { from: 0, expectedBytes: size }, this.job.signal, (piece) => digests.update(piece));
      return size;
    }
    fs.ftruncateSync(opened);
    return 0;
  }

  private async append(opened: number, from: number, { read, digests }: CarriedContent): Promise<void> {
    let offset = from;
    for await (const piece of read(from)) {
      digests.update(piece);
      runOperation('write', () => writeAll(opened, piece, offset));
      offset += piece.length;
    }
  }
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

function writeAll(opened: number, piece: Buffer, position: number): void {
  for (let offset = 0; offset < piece.length;) {
    offset += fs.writeSync(opened, piece, offset, piece.length - offset, position + offset);
  }
}

function createDiskError(): OperationError {
  return new OperationError('copy', new BadFile('the disk did not store it correctly'));
}

/** Removes a part file after an error, unless the next run can continue it. */
function discardPart(part: string, error: unknown): void {
  if (!isInterruption(error)) removePart(part);
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
  private readonly job: CarryJob;
  private readonly file: FileToCarry;
  private readonly paths: PartPaths;
  private readonly isReadBack: boolean;

  constructor(job: CarryJob, file: FileToCarry, paths: PartPaths, origin: PartOrigin) {
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

  async finish(): Promise<void> {
    runOperation('write', () => {
      const { folders, part, finalPath } = this.paths;
      folders.checkUnmoved(nodePath.dirname(finalPath));
      publishPart(part, finalPath, () =>
        isIdentical(
          finalPath,
          (path) => this.digest(path),
          () => this.digest(part),
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
