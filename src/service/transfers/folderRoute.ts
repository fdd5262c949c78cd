import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import type { DatabaseDocument } from '../../contract/contract.ts';
import type { DatabaseLocation } from '../catalog/servedDatabases.ts';
import {
  createSharedCopyMemory,
  SharedCopy,
  type FileFailure,
  type FileToMove,
  type FileToStage,
  type JobResult,
  type JobSignal,
  type MoveJob,
} from './fileJobs.ts';
import type { FileThreads } from './fileThreads.ts';
import type { TransferRecord, TransferRecordFile } from './journal.ts';
import { discardTransfer, releaseFolder, writeManifest } from './manifest.ts';
import { smallBytes } from './openFiles.ts';
import { FileAttempts, toTransferError } from './transferErrors.ts';

/** A transfer whose files have been transferred. */
export interface TransferredFiles {
  readonly record: TransferRecord;
  readonly files: readonly TransferRecordFile[];
  /** Rejects if a file is missing from a folder or has the wrong size there. */
  requireFiles(): Promise<void>;
}

/** Abilities of a route, whatever it connects. {@link TransferRoute.prepare} may change them. */
export interface RouteCapabilities {
  /** True if staging reads and hashes the files; otherwise, they are hashed while they are moved. */
  readonly isHashedFirst: boolean;
  /**
   * Size in bytes below which a file without a hash to compare with need not be staged, because `move` hashes it, too; 0
   * if all files are staged.
   */
  readonly minStagedBytes: number;
  /** False if a store copies the files itself and doesn't report how much of them it has copied. */
  readonly canCountBytes: boolean;
  /** True if an interrupted run may create an unfinished file at the destination after it has ended. */
  readonly mayWriteLate: boolean;
  /** Number of calls of `stage`, `move` or `findLost` that are worthwhile at a time. */
  readonly parallelJobs: number;
  /** Maximum that one of these calls should take: small enough that counts and turns of transfers change often. */
  readonly jobLimit: { readonly files: number; readonly bytes: number };
}

/**
 * Stages and moves the files of one transfer between two databases. Several runs, one after the other, use the same
 * route: each calls `stage` (if {@link RouteCapabilities.isHashedFirst}), `prepare`, `findLost`, `move` and `finish`;
 * the end of a transfer that didn't succeed calls `discard`, with or without an earlier run.
 * `test/support/routePromises.ts` checks these promises for every route.
 *
 * Every method but `discard` may reject with a {@link TransferSuspension} or a `TransferFailure`. What concerns a
 * single file is returned instead, for {@link toTransferError}. A stopped call returns what it has done. Nobody's file
 * is ever replaced: a name in the transfer's folder that a different file has is a failure in a folder; in a store,
 * only objects of the transfer itself have such names.
 */
export interface TransferRoute {
  readonly capabilities: RouteCapabilities;
  /** The work of a cluster on the files at the moment, as a clause; undefined if nothing is known. */
  readonly activity?: string | undefined;
  /** Hashes files in the source, and changes nothing. May be repeated, and called for several jobs at a time. */
  stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult>;
  /**
   * Prepares a run, once for each. Finds out what the stores can do, and what earlier runs left in a store; removes
   * unfinished files that this run can't continue.
   */
  prepare(): Promise<void>;
  /**
   * Copies files under temporary names, verifies the copies, and gives them their final names, so that a file with its
   * final name is complete. May be called for several jobs at a time. A file that was moved before counts as done
   * again. After a failure, unfinished files may remain; the next run continues or removes them, or `discard` does.
   */
  move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /** Finds moved files that are missing from the destination or have the wrong size there. Changes nothing. */
  findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /**
   * Makes the files durable where the system can, removes unfinished files, and writes the manifest if all files are at
   * the destination. Returns false if unfinished files may remain. May be repeated: replaces the transfer's manifest.
   * After it rejects, there is no manifest, unless an earlier run wrote it.
   */
  finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean>;
  /**
   * Removes unfinished files and the manifest from the destination, and keeps complete files. Returns false if the
   * removal must be tried again later. May be repeated. Never rejects.
   */
  discard(manifestName: string): Promise<boolean>;
  /** Returns the state of a file in a call of `move` that its task on a cluster has; undefined if the task waits. */
  getTaskState?(position: number): 'transferring' | 'transferred' | undefined;
  /** Ends what continues on a cluster after a run was stopped; absent if nothing does. Never rejects. */
  endTasks?(): Promise<void>;
  /** Converts a file's failure to a failure or suspension of the transfer. Counts it if the file may be tried again. */
  toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown>;
}

/** The source, the destination and the limits of a transfer's route. */
export interface RouteOptions {
  readonly transferId: string;
  /** The chosen name of the transfer's folder, if any (D24: destination layout). */
  readonly folderName?: string | undefined;
  readonly source: RouteSide;
  readonly destination: RouteSide;
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace: string | undefined;
  readonly threads: FileThreads;
  /** Aborted to abandon threads that are still hanging in system calls after a run is stopped (D42: hanging disks). */
  readonly abandonment: AbortSignal;
  readonly throttleBytesPerSecond: number | undefined;
  /** True if each file is flushed to disk individually; otherwise, the whole file system is flushed. */
  readonly isFlushed: boolean;
}

interface RouteSide {
  readonly document: DatabaseDocument;
  readonly location: DatabaseLocation;
}

/** Number of jobs of one transfer at a time, not counting those that read copies back. */
export const parallelJobs = 2;
const jobLimit = { files: 256, bytes: 16 * 1024 * 1024 } as const;
/**
 * Minimum size of a file that a second thread reads back during the copy. Each such file is a separate job, which
 * has to save more time than starting a thread takes.
 */
const minSharedBytes = 64 * 1024 * 1024;
/**
 * Maximum size of a file that is read back during the copy. Larger files may not fit into the system's cache, and are
 * read back from the disk afterwards.
 */
const maxSharedBytes = totalmem() / 4;

/** Transfers files between two folders (D24: destination layout). Routes with a store use one of its sides. */
export class FolderRoute implements TransferRoute {
  protected readonly options: RouteOptions;
  protected readonly attempts = new FileAttempts();

  constructor(options: RouteOptions) {
    this.options = options;
  }

  get capabilities(): RouteCapabilities {
    return {
      isHashedFirst: this.options.source.location.folder !== undefined,
      minStagedBytes: this.hashesWhileMoving ? smallBytes : 0,
      canCountBytes: true,
      mayWriteLate: false,
      parallelJobs: this.options.throttleBytesPerSecond === undefined ? parallelJobs : 1,
      jobLimit,
    };
  }

  async prepare(): Promise<void> {
    await this.claim();
    await this.removeParts();
  }

  /** Creates the folder whose name was chosen. Throws a failure if it exists, unless this transfer created it. */
  protected async claim(): Promise<void> {
    const { transferId, folderName, source, destinationPlace, threads, abandonment } = this.options;
    if (folderName === undefined) return;
    const sides = { destinationFolder: this.folder, destinationPlace, sourceFolder: source.location.folder };
    const { failure } = await threads.run('claimFolder', { transferId, folderName, ...sides }, abandonment);
    if (failure === undefined) return;
    throw await toTransferError(failure, { path: folderName, bytes: 0, root: this.folder }, this.attempts);
  }

  async stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult> {
    const { threads, abandonment, source } = this.options;
    const { folder = '' } = source.location;
    return await threads.run('stage', { folder, files, signal }, abandonment);
  }

  async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const [{ bytes } = { bytes: 0 }] = files;
    const isReadWhileCopied = bytes >= minSharedBytes && bytes <= maxSharedBytes;
    if (!isReadWhileCopied || this.options.throttleBytesPerSecond !== undefined)
      return await this.runMove({ files, signal });
    // A second thread reads the copy back while it is written (D68: read back while copying).
    const { threads, abandonment } = this.options;
    const sharedCopy = createSharedCopyMemory();
    const copy = new SharedCopy(sharedCopy);
    const moved = this.runMove({ files, signal, sharedCopy });
    threads.run('readBack', { sharedCopy, bytes, signal }, abandonment).catch(() => copy.release());
    return await moved.finally(() => copy.release());
  }

  /** Moves files in a thread. `more` adds what the job needs besides the options of the route. */
  protected async runMove(more: Pick<MoveJob, 'files' | 'signal'> & Partial<MoveJob>): Promise<JobResult> {
    const { transferId, folderName, source, destination, destinationPlace } = this.options;
    const { isFlushed, threads, abandonment } = this.options;
    const sides = { source: { location: source.location }, destination: { location: destination.location } };
    const limits = { isFlushed, bytesPerSecond: this.options.throttleBytesPerSecond };
    const job = { transferId, folderName, ...sides, destinationPlace, ...limits, ...more };
    return await threads.run('move', job, abandonment);
  }

  async findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, folderName, threads, abandonment } = this.options;
    const job = { transferId, folderName, destinationFolder: this.folder, files, signal };
    return await threads.run('findLost', job, abandonment);
  }

  async finish({ record, files, requireFiles }: TransferredFiles, signal: AbortSignal): Promise<boolean> {
    const { source, destination, isFlushed } = this.options;
    if (!isFlushed) await syncFileSystem(this.folder, signal);
    await this.removeParts();
    const content = { record, source: source.document, destination: destination.document, files };
    await writeManifest(content, this.folder, { attempts: this.attempts, requireFiles });
    return await releaseFolder(this.folder, record);
  }

  async discard(manifestName: string): Promise<boolean> {
    const { transferId, folderName } = this.options;
    return await discardTransfer(this.folder, transferId, manifestName, folderName);
  }

  async toTransferError(failure: FileFailure, { path, bytes }: TransferRecordFile): Promise<unknown> {
    const { source, destination } = this.options;
    const { folder: root } = (failure.operation === 'read' ? source : destination).location;
    return await toTransferError(failure, { path, bytes, root: root ?? '.' }, this.attempts);
  }

  /** Removes what killed or abandoned attempts have left, which the files of this one don't replace. */
  private async removeParts(): Promise<void> {
    const { transferId, folderName, threads, abandonment } = this.options;
    const job = { transferId, folderName, destinationFolder: this.folder };
    await threads.run('removeParts', job, abandonment);
  }

  /** True if small files of many are read once, for their hash and their copy. */
  private get hashesWhileMoving(): boolean {
    const { source, destination, isFlushed, throttleBytesPerSecond } = this.options;
    const isBetweenFolders = source.location.folder !== undefined && destination.location.folder !== undefined;
    return isBetweenFolders && !isFlushed && throttleBytesPerSecond === undefined;
  }

  /** The destination's folder. Throws an error if the destination is a store, which is a bug. */
  private get folder(): string {
    const { folder } = this.options.destination.location;
    if (folder === undefined) throw new Error('The destination is a store.');
    return folder;
  }
}

/**
 * Flushes the file system that contains a folder, if the operating system has a command to do so. Ignores failures;
 * rejects only if the signal is aborted, with its reason.
 */
async function syncFileSystem(folder: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => execFile('sync', ['-f', folder], { signal }, () => resolve()));
  signal.throwIfAborted();
}
