import { setTimeout } from 'node:timers/promises';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { StoreClient } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import type { CarryJob, FileToCarry } from './carryJob.ts';
import { BatchFolder, selectBatch } from './batchFolder.ts';
import {
  BatchSource,
  FolderSource,
  type BatchResult,
  type CarriedContent,
  type CarrySink,
  type CarrySource,
  type WrittenFile,
} from './carrySource.ts';
import { FileBytes } from './fileBytes.ts';
import {
  BadFile,
  countDone,
  isStopRequested,
  OperationError,
  toFileFailure,
  type DoneFile,
  type FileFailure,
  type JobResult,
} from './fileJobs.ts';
import { FolderSink } from './folderSink.ts';
import { StoreCopy } from './storeCopy.ts';
import { StoreSink } from './storeSink.ts';
import { StreamDigests } from './digests.ts';

/** Maximum number of files that a job transfers at the same time, not counting batches. */
const parallelFiles = 4;
const stopCheckMs = 50;

/**
 * Transfers files to or from stores. Each file is written under a temporary name, verified against the stores' hashes
 * or by reading it back, and then renamed.
 */
export async function carryFiles(job: CarryJob): Promise<JobResult> {
  if (isStopRequested(job.signal)) return { done: [], isStopped: true };
  const client = new StoreClient(job.rclone, 2 * parallelFiles, getTransferFolderName(job.transferId));
  const folder = new BatchFolder(job.rclone.stagingFolder);
  try {
    return await new FileCarrier(job, client, folder).run();
  } catch (error) {
    const [first] = job.files;
    return { done: [], failure: toCarryFailure(first?.position ?? 0, error) };
  } finally {
    client.dispose();
    folder.remove();
  }
}

class FileCarrier {
  private readonly job: CarryJob;
  private readonly source: CarrySource;
  private readonly sink: CarrySink;
  private readonly client: StoreClient;
  private readonly folder: BatchFolder;
  private readonly abort = new AbortController();
  private readonly done: DoneFile[] = [];
  private failure: FileFailure | undefined;
  private isBatchIncomplete = false;

  constructor(job: CarryJob, client: StoreClient, folder: BatchFolder) {
    this.job = job;
    this.client = client;
    this.folder = folder;
    const { source, destination } = job;
    this.source =
      source.location.folder === undefined
        ? new BatchSource({ client, remote: source.location.remote, hash: source.hash }, folder)
        : new FolderSource(source.location.folder);
    const { location } = destination;
    this.sink =
      location.folder === undefined
        ? new StoreSink(job, location.remote, client)
        : new FolderSink(job, location.folder);
  }

  async run(): Promise<JobResult> {
    const timer = setInterval(() => {
      if (isStopRequested(this.job.signal)) this.abort.abort();
    }, stopCheckMs);
    try {
      await this.carryRemaining();
    } finally {
      clearInterval(timer);
    }
    const result = { done: this.done, ...(this.isBatchIncomplete && { isBatchIncomplete: true }) };
    if (this.failure !== undefined) return { ...result, failure: this.failure };
    return { ...result, ...(isStopRequested(this.job.signal) && { isStopped: true }) };
  }

  private async carryRemaining(): Promise<void> {
    await this.copyInStore();
    await this.carryBatch(selectBatch({ ...this.job, files: this.listRemaining() }));
    await this.carryOthers();
  }

  /** Transfers small files together where possible. */
  private async carryBatch(files: readonly FileToCarry[]): Promise<void> {
    const { source, sink, folder, abort } = this;
    if (files.length === 0) return;
    await source.fetch?.(files, abort.signal);
    this.addBatch(await sink.writeBatch(files, { source, folder }, abort.signal));
  }

  /** Uses server-side copies if both sides are on the same remote and the store supports them. */
  private async copyInStore(): Promise<void> {
    const { job, client, folder, abort } = this;
    if (job.copyVerification === undefined) return;
    this.addBatch(await new StoreCopy(job, job.copyVerification, client, folder, abort.signal).run());
  }

  private addBatch({ done, isIncomplete }: BatchResult): void {
    for (const file of done) this.addDone(file, new FileBytes(this.job.signal, file.bytes));
    this.isBatchIncomplete ||= isIncomplete;
  }

  private addDone(file: DoneFile, counter: FileBytes): void {
    this.done.push(file);
    counter.complete();
    countDone(this.job.signal);
  }

  private listRemaining(): readonly FileToCarry[] {
    const positions = new Set(this.done.map(({ position }) => position));
    return this.job.files.filter(({ position }) => !positions.has(position));
  }

  private async carryOthers(): Promise<void> {
    const remaining = this.listRemaining().values();
    const count = this.job.bytesPerSecond === undefined ? parallelFiles : 1;
    await Promise.all(Array.from({ length: count }, async () => await this.carryAll(remaining)));
  }

  private async carryAll(files: Iterator<FileToCarry>): Promise<void> {
    for (let next = files.next(); next.done !== true; next = files.next()) {
      if (this.abort.signal.aborted || isStopRequested(this.job.signal)) return;
      const counter = new FileBytes(this.job.signal, next.value.bytes);
      try {
        this.addDone(await this.carry(next.value, counter), counter);
      } catch (error) {
        counter.reset();
        this.fail(next.value.position, error);
      }
    }
  }

  /** Records the first failure, unless a stop was requested, and stops transferring the other files. */
  private fail(position: number, error: unknown): void {
    if (!isStopRequested(this.job.signal)) this.failure ??= toCarryFailure(position, error);
    this.abort.abort();
  }

  /** Transfers one file. Starts over if a partial file that was continued turns out to be damaged. */
  private async carry(file: FileToCarry, counter: FileBytes, mayContinue = true): Promise<DoneFile> {
    const { content, written } = await this.write(file, counter, mayContinue);
    try {
      return await this.finish(file, written, content);
    } catch (error) {
      written.discard?.(error);
      if (written.isContinued !== true || !isMismatch(error)) throw error;
      counter.reset();
      return await this.carry(file, counter, false);
    }
  }

  private async write(
    file: FileToCarry,
    counter: FileBytes,
    mayContinue: boolean,
  ): Promise<{ readonly content: CarriedContent; readonly written: WrittenFile }> {
    const { signal } = this.abort;
    const hashName = this.source.getHashName(file);
    const digests = new StreamDigests([hashName, this.sink.hash]);
    const read = (from: number): AsyncIterable<Buffer> => {
      counter.addCopied(from);
      return this.throttle(this.source.read(file, from, signal), counter);
    };
    const moveFetched = (path: string): boolean => this.source.moveFetched?.(file, path) ?? false;
    const content = { digests, counter, canResume: mayContinue && hashName !== undefined, read, moveFetched };
    return { content, written: await this.sink.write(file, content, signal) };
  }

  private async finish(
    file: FileToCarry,
    written: WrittenFile,
    { digests, counter }: CarriedContent,
  ): Promise<DoneFile> {
    const { signal } = this.abort;
    const sourceHash = await this.source.verify(file, digests, signal);
    // Only a hash of the whole file can show that the bytes of both attempts belong together.
    if (written.isContinued === true && sourceHash === undefined)
      throw new OperationError('copy', new BadFile('a partial copy of it cannot be verified'));
    const method = await written.verify(digests, signal, counter);
    await written.finish(signal);
    const { position, bytes } = file;
    return { position, bytes, sha256: digests.sha256, verifiedBy: sourceHash ?? method };
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

/** Returns true if an error means that a copy differs from its original. */
function isMismatch(error: unknown): boolean {
  return error instanceof OperationError && error.operation === 'copy';
}

function toCarryFailure(position: number, error: unknown): FileFailure {
  if (!(error instanceof OperationError && error.cause instanceof StoreError)) return toFileFailure(position, error);
  const { kind, message } = error.cause;
  return { position, operation: error.operation, store: kind, text: message };
}
