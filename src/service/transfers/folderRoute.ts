import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import type { DatabaseDocument } from '../../contract/database.ts';
import type { FileFailure, FileToMove, FileToStage, JobResult, JobSignal, MoveJob } from './fileJobs.ts';
import type { FileThreads } from './fileThreads.ts';
import type { TransferRecord, TransferRecordFile } from './journal.ts';
import { writeManifest } from './manifest.ts';
import { createSharedCopyMemory, SharedCopy } from './sharedCopy.ts';
import { convertFileFailure, FileAttempts } from './transferErrors.ts';
import { discardTransfer } from './transferLeftovers.ts';

/** A transfer whose files have been transferred. */
export interface TransferredFiles {
  readonly record: TransferRecord;
  readonly files: readonly TransferRecordFile[];
  /** Rejects if a file is missing from a folder or has the wrong size there. */
  requireFiles(): Promise<void>;
}

/** Stages and transfers files between two databases, each of which is a folder or a store accessed through rclone. */
export interface TransferRoute {
  /** True if staging reads and hashes the files; otherwise, they are hashed while they are transferred. */
  readonly isHashedFirst: boolean;
  /** False if a store copies the files itself and doesn't report how much of them it has copied. */
  readonly canCountBytes: boolean;
  /** Hashes files in the source. Requires {@link isHashedFirst}. */
  stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult>;
  /**
   * Prepares a run. Queries the features of the stores involved. If the destination is a store, finds the objects that
   * earlier runs left, and removes the unfinished ones.
   */
  prepare(): Promise<void>;
  /** Copies files under temporary names, verifies the copies, and gives them their final names. */
  move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /** Finds transferred files that are missing from the destination or have the wrong size there. */
  findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult>;
  /**
   * Makes the files durable where the system can, and writes the manifest if all files are at the destination. Returns
   * false if the destination may still have unfinished files.
   */
  finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean>;
  /**
   * Removes unfinished files and the manifest from the destination. Returns false if the removal must be tried again
   * later. Never rejects.
   */
  discard(manifestName: string): Promise<boolean>;
  /** Converts a file's failure to a failure or suspension of the transfer. */
  toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown>;
}

/** The source, the destination and the limits of a transfer's route. */
export interface RouteOptions<P> {
  readonly transferId: string;
  readonly source: { readonly document: DatabaseDocument; readonly location: P };
  readonly destination: { readonly document: DatabaseDocument; readonly location: P };
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace: string | undefined;
  readonly threads: FileThreads;
  /** Aborted to abandon threads that are still hanging in system calls after a run is stopped (D42: hanging disks). */
  readonly abandonment: AbortSignal;
  readonly throttleBytesPerSecond: number | undefined;
  /** True if each file is flushed to disk individually; otherwise, the whole file system is flushed. */
  readonly isFlushed: boolean;
}

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

function isReadWhileCopied({ bytes }: FileToMove): boolean {
  return bytes >= minSharedBytes && bytes <= maxSharedBytes;
}

/** Transfers files between two folders on this machine (D24: destination layout). */
export class FolderRoute implements TransferRoute {
  readonly isHashedFirst = true;
  readonly canCountBytes = true;
  private readonly options: RouteOptions<{ readonly folder: string }>;
  private readonly attempts = new FileAttempts();

  constructor(options: RouteOptions<{ readonly folder: string }>) {
    this.options = options;
  }

  async prepare(): Promise<void> {
    await this.removeParts();
  }

  /** Removes what killed or abandoned attempts have left, which the files of this one don't replace. */
  private async removeParts(): Promise<void> {
    const { transferId, threads, abandonment } = this.options;
    const job = { transferId, destinationFolder: this.destination };
    await threads.run((calls) => calls.call('removeParts', job), abandonment);
  }

  async stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult> {
    const { folder } = this.options.source.location;
    return await this.options.threads.run(
      (calls) => calls.call('stage', { folder, files, signal }),
      this.options.abandonment,
    );
  }

  async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, destinationPlace, isFlushed, throttleBytesPerSecond: bytesPerSecond } = this.options;
    const folders = { sourceFolder: this.options.source.location.folder, destinationFolder: this.destination };
    const job = { transferId, destinationPlace, isFlushed, bytesPerSecond, ...folders, files, signal };
    const [file] = files;
    const isThrottled = bytesPerSecond !== undefined;
    return file !== undefined && !isThrottled && isReadWhileCopied(file)
      ? await this.moveLarge(job, file)
      : await this.runMove(job);
  }

  /** Transfers a large file while a second thread reads the copy back (D68: read back while copying). */
  private async moveLarge(job: MoveJob, { bytes }: FileToMove): Promise<JobResult> {
    const { threads, abandonment } = this.options;
    const sharedCopy = createSharedCopyMemory();
    const copy = new SharedCopy(sharedCopy);
    const moved = this.runMove({ ...job, sharedCopy });
    const reading = { sharedCopy, bytes, signal: job.signal };
    threads.run((calls) => calls.call('readBack', reading), abandonment).catch(() => copy.release());
    return await moved.finally(() => copy.release());
  }

  private async runMove(job: MoveJob): Promise<JobResult> {
    const { threads, abandonment } = this.options;
    return await threads.run((calls) => calls.call('move', job), abandonment);
  }

  async findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, threads, abandonment } = this.options;
    const job = { transferId, destinationFolder: this.destination, files, signal };
    return await threads.run((calls) => calls.call('findLost', job), abandonment);
  }

  async finish({ record, files, requireFiles }: TransferredFiles, signal: AbortSignal): Promise<boolean> {
    const { source, destination, isFlushed } = this.options;
    if (!isFlushed) await syncFileSystem(this.destination, signal);
    await this.removeParts();
    const content = { record, source: source.document, destination: destination.document, files };
    await writeManifest(content, this.destination, { attempts: this.attempts, requireFiles });
    return true;
  }

  async discard(manifestName: string): Promise<boolean> {
    return await discardTransfer(this.destination, this.options.transferId, manifestName);
  }

  async toTransferError(failure: FileFailure, { path, bytes }: TransferRecordFile): Promise<unknown> {
    const root = failure.operation === 'read' ? this.options.source.location.folder : this.destination;
    return await convertFileFailure(failure, { path, bytes, root }, this.attempts);
  }

  private get destination(): string {
    return this.options.destination.location.folder;
  }
}

/**
 * Flushes the file system that contains a folder, if the operating system has a command to do so. Ignores failures;
 * rejects only if the signal is aborted, with its reason.
 */
export async function syncFileSystem(folder: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => execFile('sync', ['-f', folder], { signal }, () => resolve()));
  signal.throwIfAborted();
}
