import { setTimeout } from 'node:timers/promises';
import { StoreClient, StoreError } from '../stores/storeClient.ts';
import type { CarryJob, FileToCarry } from './carryJob.ts';
import { readBackMethod, type CarrySink } from './carrySink.ts';
import { openCarrySource, type CarrySource } from './carrySource.ts';
import { countDone, type DoneFile, type FileFailure, type JobResult } from './fileJobs.ts';
import { isStopRequested, OperationError, toFileFailure } from './fileProcessing.ts';
import { FolderSink } from './folderSink.ts';
import { StoreSink } from './storeSink.ts';
import { StreamDigests } from './streamDigests.ts';

/** Number of files that a job moves at a time. */
const parallelFiles = 4;
const stopCheckMs = 50;

/**
 * Moves files from or to stores. Each file is written under a temporary name, verified by a hash that both sides share
 * or by reading it back, and then renamed.
 */
export async function carryFiles(job: CarryJob): Promise<JobResult> {
  const client = new StoreClient(job.rclone, 2 * parallelFiles);
  try {
    return await new FileCarrier(job, client).run();
  } catch (error) {
    const [first] = job.files;
    return { done: [], failure: toCarryFailure(first?.position ?? 0, error) };
  } finally {
    client.dispose();
  }
}

class FileCarrier {
  private readonly job: CarryJob;
  private readonly source: CarrySource;
  private readonly sink: CarrySink;
  private readonly abort = new AbortController();
  private readonly done: DoneFile[] = [];
  private failure: FileFailure | undefined;

  constructor(job: CarryJob, client: StoreClient) {
    this.job = job;
    this.source = openCarrySource(job.source, client);
    const { folder, remote } = job.destination.place;
    this.sink = folder === undefined ? new StoreSink(job, remote, client) : new FolderSink(job, folder);
  }

  async run(): Promise<JobResult> {
    const { files, signal, bytesPerSecond } = this.job;
    const timer = setInterval(() => {
      if (isStopRequested(signal)) this.abort.abort();
    }, stopCheckMs);
    const remaining = files.values();
    const count = bytesPerSecond === undefined ? parallelFiles : 1;
    await Promise.all(Array.from({ length: count }, async () => await this.carryAll(remaining)));
    clearInterval(timer);
    if (this.failure !== undefined) return { done: this.done, failure: this.failure };
    return { done: this.done, ...(this.abort.signal.aborted && { isStopped: true }) };
  }

  private async carryAll(files: Iterator<FileToCarry>): Promise<void> {
    for (let next = files.next(); next.done !== true; next = files.next()) {
      if (this.abort.signal.aborted || isStopRequested(this.job.signal)) return;
      try {
        this.done.push(await this.carry(next.value));
        countDone(this.job.signal);
      } catch (error) {
        this.fail(next.value.position, error);
      }
    }
  }

  /** Records the first failure and stops the other files, which then fail too. */
  private fail(position: number, error: unknown): void {
    if (!this.abort.signal.aborted) this.failure = toCarryFailure(position, error);
    this.abort.abort();
  }

  private async carry(file: FileToCarry): Promise<DoneFile> {
    const { signal } = this.abort;
    const hashName = this.source.getHashName(file);
    const digests = new StreamDigests([hashName, this.sink.hash]);
    const read = (from: number): AsyncIterable<Buffer> => this.throttle(this.source.read(file, from, signal));
    const written = await this.sink.write(file, { digests, canResume: hashName !== undefined, read }, signal);
    try {
      const methods = [await this.source.verify(file, digests, signal), await written.verify(digests, signal)];
      await written.finish(signal);
      return { position: file.position, bytes: file.bytes, sha256: digests.sha256, verifiedBy: chooseMethod(methods) };
    } catch (error) {
      void written.discard();
      throw error;
    }
  }

  private async *throttle(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { bytesPerSecond } = this.job;
    for await (const piece of pieces) {
      yield piece;
      if (bytesPerSecond === undefined) continue;
      await setTimeout((piece.length / bytesPerSecond) * 1_000, undefined, { signal: this.abort.signal });
    }
  }
}

/** Returns the hash that verified a file in a store; if there is none, the file was read back. */
function chooseMethod(methods: readonly (string | undefined)[]): string {
  return methods.find((method) => method !== undefined && method !== readBackMethod) ?? readBackMethod;
}

function toCarryFailure(position: number, error: unknown): FileFailure {
  const { operation, cause } = error instanceof OperationError ? error : { operation: 'read' as const, cause: error };
  if (!(cause instanceof StoreError)) return toFileFailure(position, error);
  return { position, operation, store: cause.kind, text: cause.message };
}
