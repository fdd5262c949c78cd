import { setTimeout } from 'node:timers/promises';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { StoreClient } from '../stores/storeClient.ts';
import { BatchFolder, selectBatch } from '../stores/storeBatches.ts';
import {
  BadFile,
  countDone,
  EventTurns,
  FileBytes,
  isStopRequested,
  markFile,
  OperationError,
  toFileFailure,
  type DoneFile,
  type FileFailure,
  type FileMark,
  type FileToMove,
  type JobResult,
  type MoveJob,
} from './fileJobs.ts';
import { FolderSink } from './folderFiles.ts';
import { FolderSource } from './folderSource.ts';
import {
  BatchSource,
  type BatchResult,
  type MovedContent,
  type MoveSink,
  type MoveSource,
  type StoreAccess,
  type WrittenFile,
} from './moveSides.ts';
import { StreamDigests } from './openFiles.ts';
import { StoreCopy, StoreSink } from './storeSink.ts';

/** Maximum number of files that a job transfers to or from a store at the same time, not counting batches. */
const parallelFiles = 4;
const stopCheckMs = 50;

/**
 * Moves files between folders and stores. Each file is written under a temporary name, compared with the hash that was
 * staged, with the stores' hashes, or by reading it back, and then given its final name (D24: destination layout).
 * Never rejects: returns what was done, and the first failure.
 */
export async function moveFiles(job: MoveJob): Promise<JobResult> {
  if (isStopRequested(job.signal)) return { done: [], isStopped: true };
  let mover: FileMover | undefined;
  try {
    mover = new FileMover(job);
    return await mover.run();
  } catch (error) {
    return { done: [], failure: toFileFailure(job.files[0]?.position ?? 0, error) };
  } finally {
    mover?.sink.close?.();
    mover?.stores?.client.dispose();
    mover?.stores?.folder.remove();
  }
}

class FileMover {
  private readonly job: MoveJob;
  readonly stores: StoreAccess | undefined;
  private readonly source: MoveSource;
  readonly sink: MoveSink;
  private readonly abort = new AbortController();
  private readonly done: DoneFile[] = [];
  private readonly indexes: ReadonlyMap<number, number>;
  private failure: FileFailure | undefined;
  private isBatchIncomplete = false;

  constructor(job: MoveJob) {
    this.job = job;
    this.indexes = new Map(job.files.map(({ position }, index) => [position, index]));
    const { rclone, transferId, source, destination } = job;
    this.stores = rclone && {
      client: new StoreClient(rclone, 2 * parallelFiles, getTransferFolderName(transferId)),
      folder: new BatchFolder(rclone.stagingFolder),
    };
    this.source =
      source.location.folder === undefined
        ? new BatchSource(this.mustGetStores(), source.location.remote, source)
        : new FolderSource(source.location.folder);
    this.sink =
      destination.location.folder === undefined
        ? new StoreSink(job, destination.location.remote, this.mustGetStores().client)
        : new FolderSink(job, destination.location.folder);
  }

  private mustGetStores(): StoreAccess {
    if (this.stores === undefined) throw new Error('A job with a store needs rclone.');
    return this.stores;
  }

  async run(): Promise<JobResult> {
    const timer = setInterval(() => {
      if (isStopRequested(this.job.signal)) this.abort.abort();
    }, stopCheckMs);
    try {
      if (this.stores !== undefined) await this.moveTogether(this.stores);
      const remaining = this.listRemaining().values();
      // Between folders, a thread works without waiting, so that more files at a time would only mix up their order.
      const count = this.stores === undefined || this.job.bytesPerSecond !== undefined ? 1 : parallelFiles;
      await Promise.all(Array.from({ length: count }, async () => await this.moveAll(remaining)));
    } finally {
      clearInterval(timer);
    }
    const result = { done: this.done, ...(this.isBatchIncomplete && { isBatchIncomplete: true }) };
    if (this.failure !== undefined) return { ...result, failure: this.failure };
    return { ...result, ...(isStopRequested(this.job.signal) && { isStopped: true }) };
  }

  /** Has the store copy files itself where it can, and transfers the other small files together. */
  private async moveTogether({ client, folder }: StoreAccess): Promise<void> {
    const { job, source, sink, abort } = this;
    if (job.copyVerification !== undefined) {
      this.mark(job.files, 'transferring');
      this.addBatch(await new StoreCopy(job, job.copyVerification, client, folder, abort.signal).run());
      this.mark(this.listRemaining(), undefined);
    }
    const files = selectBatch(this.listRemaining(), job.bytesPerSecond);
    this.mark(files, 'transferring');
    if (files.length === 0) return;
    await source.fetch?.(files, abort.signal);
    if (sink.writeBatch) this.addBatch(await sink.writeBatch(files, { source, folder }, abort.signal));
    this.mark(this.listRemaining(), undefined);
  }

  private mark(files: readonly { readonly position: number }[], mark: FileMark): void {
    for (const { position } of files) markFile(this.job.signal, this.indexes.get(position) ?? 0, mark);
  }

  private addBatch({ done, isIncomplete }: BatchResult): void {
    for (const file of done) {
      new FileBytes(this.job.signal, file.bytes).complete();
      this.addDone(file);
    }
    this.isBatchIncomplete ||= isIncomplete;
  }

  private addDone(file: DoneFile): void {
    this.done.push(file);
    this.mark([file], 'transferred');
    countDone(this.job.signal);
  }

  private listRemaining(): readonly FileToMove[] {
    const positions = new Set(this.done.map(({ position }) => position));
    return this.job.files.filter(({ position }) => !positions.has(position));
  }

  private async moveAll(files: Iterator<FileToMove>): Promise<void> {
    const turns = new EventTurns();
    for (let next = files.next(); next.done !== true; next = files.next()) {
      await turns.take();
      if (this.abort.signal.aborted || isStopRequested(this.job.signal)) return;
      const { position, bytes } = next.value;
      const counter = new FileBytes(this.job.signal, bytes);
      this.mark([next.value], 'transferring');
      try {
        this.addDone(await this.move(next.value, counter));
      } catch (error) {
        counter.reset();
        // The first failure ends the job. A stop makes files fail, too.
        if (!isStopRequested(this.job.signal)) this.failure ??= toFileFailure(position, error);
        this.abort.abort();
      }
    }
  }

  /** Moves one file. Starts over if a partial file that was continued turns out to be damaged. */
  private async move(file: FileToMove, counter: FileBytes, mayContinue = true): Promise<DoneFile> {
    const content = this.describe(file, counter, mayContinue);
    const written = await this.sink.write(file, content, this.abort.signal);
    if ('position' in written) return written;
    try {
      return await this.finish(file, written, content);
    } catch (error) {
      written.discard?.(error);
      const isMismatch = error instanceof OperationError && error.operation === 'copy';
      if (written.isContinued !== true || !isMismatch) throw error;
      counter.reset();
      return await this.move(file, counter, false);
    }
  }

  private describe(file: FileToMove, counter: FileBytes, mayContinue: boolean): MovedContent {
    const { source, sink, abort } = this;
    const hashName = source.getHashName(file);
    return {
      digests: new StreamDigests([hashName, sink.hash]),
      counter,
      canResume: mayContinue && hashName !== undefined,
      read: (from) => {
        counter.addCopied(from);
        return this.throttle(source.read(file, from, abort.signal), counter);
      },
      source,
    };
  }

  private async finish(file: FileToMove, written: WrittenFile, content: MovedContent): Promise<DoneFile> {
    const { digests, counter } = content;
    const { signal } = this.abort;
    const modifiedMs = await this.source.findModified(file, signal);
    const sourceHash = await this.source.verify(file, digests, signal);
    // Only a hash of the whole file can show that the bytes of both attempts belong together.
    if (written.isContinued === true && sourceHash === undefined)
      throw new OperationError('copy', new BadFile('a partial copy of it cannot be verified'));
    const method = await written.verify(digests, signal, counter);
    await written.finish(signal, modifiedMs);
    counter.complete();
    const { position, bytes } = file;
    const verifiedBy = sourceHash ?? method;
    return { position, bytes, sha256: digests.sha256, verifiedBy, ...(modifiedMs !== undefined && { modifiedMs }) };
  }

  private async *throttle(pieces: AsyncIterable<Buffer>, counter: FileBytes): AsyncGenerator<Buffer> {
    const { bytesPerSecond } = this.job;
    for await (const piece of pieces) {
      yield piece;
      counter.addCopied(piece.length);
      if (bytesPerSecond === undefined) continue;
      await setTimeout((piece.length / bytesPerSecond) * 1_000, undefined, { signal: this.abort.signal });
    }
  }
}
