import type { DatabaseDocument } from '../../contract/database.ts';
import type { FileFailure, FileToMove, FileToStage, JobResult, JobSignal } from './fileJobs.ts';
import type { FileThreads } from './fileThreads.ts';
import { discardTransfer } from './destinationFolders.ts';
import { writeManifest } from './manifest.ts';
import { convertFileFailure } from './transferErrors.ts';
import { syncFileSystem } from './syncFileSystem.ts';
import type { TransferRecord, TransferRecordFile } from './journalRecord.ts';
import type { TransferRoute } from './transferRoute.ts';

export interface RouteOptions<P> {
  readonly transferId: string;
  readonly source: { readonly document: DatabaseDocument; readonly place: P };
  readonly destination: { readonly document: DatabaseDocument; readonly place: P };
  /** Resolved path of the destination's folder at submission. */
  readonly destinationPlace: string | undefined;
  readonly threads: FileThreads;
  /** Gives up the threads of a stopped run that hang in the system. */
  readonly abandonment: AbortSignal;
  readonly throttleBytesPerSecond: number | undefined;
  /** True if each file is flushed to disk individually; otherwise the whole file system is flushed. */
  readonly isFlushed: boolean;
}

/** Moves files between two folders of this machine (D24: destination layout). */
export class FolderRoute implements TransferRoute {
  readonly isHashedFirst = true;
  private readonly options: RouteOptions<{ readonly folder: string }>;

  constructor(options: RouteOptions<{ readonly folder: string }>) {
    this.options = options;
  }

  async prepare(): Promise<void> {
    // Folders are inspected file by file.
  }

  async stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult> {
    const { folder } = this.options.source.place;
    return await this.options.threads.run(
      (calls) => calls.call('stage', { folder, files, signal }),
      this.options.abandonment,
    );
  }

  async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, destinationPlace, isFlushed, throttleBytesPerSecond: bytesPerSecond } = this.options;
    const folders = { sourceFolder: this.options.source.place.folder, destinationFolder: this.destination };
    const job = { transferId, destinationPlace, isFlushed, bytesPerSecond, ...folders, files, signal };
    return await this.options.threads.run((calls) => calls.call('move', job), this.options.abandonment);
  }

  async findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, threads, abandonment } = this.options;
    const job = { transferId, destinationFolder: this.destination, files, signal };
    return await threads.run((calls) => calls.call('findLost', job), abandonment);
  }

  async finish(record: TransferRecord, files: readonly TransferRecordFile[], signal: AbortSignal): Promise<boolean> {
    const { source, destination, isFlushed } = this.options;
    if (!isFlushed) await syncFileSystem(this.destination, signal);
    await writeManifest(
      { record, source: source.document, destination: destination.document, files },
      this.destination,
    );
    return true;
  }

  async discard(manifestName: string): Promise<boolean> {
    return await discardTransfer(this.destination, this.options.transferId, manifestName);
  }

  async toTransferError(failure: FileFailure, { path, bytes }: TransferRecordFile): Promise<unknown> {
    const root = failure.operation === 'read' ? this.options.source.place.folder : this.destination;
    return await convertFileFailure(failure, { path, bytes, root });
  }

  private get destination(): string {
    return this.options.destination.place.folder;
  }
}
