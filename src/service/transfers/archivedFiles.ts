import { getBackoffMs, type Clock } from '../../core/util/clock.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { archivedCause } from '../../core/util/remote.ts';
import { StoreError } from '../stores/storeError.ts';
import { isArchived } from '../stores/storeListing.ts';
import { StoreRestore, type RestoreOptions } from '../stores/storeRestore.ts';
import { BatchFolder } from '../stores/storeBatches.ts';
import { describeCount, type TransferRecordFile } from './journal.ts';
import { toRouteError, TransferFailure, TransferSuspension, type FileProblem } from './transferErrors.ts';

interface ArchivedFilesOptions {
  /** The source's remote. */
  readonly remote: string;
  readonly restore: RestoreOptions;
  readonly daemon: RcloneDaemon;
  readonly clock: Clock;
}

/** Number of files per rclone command. Limited because rclone logs a line for each archived file. */
const batchFiles = 64;
const firstDelayMs = 30_000;
const maxDelayMs = 600_000;
/** Time after which a restore is requested again. The slowest restores take 48 hours. */
const renewMs = 72 * 3_600_000;
const halfDayMs = 12 * 3_600_000;

/** Has a store restore a transfer's archived files before they are transferred (D67: archived objects). */
export class ArchivedFiles {
  private readonly options: ArchivedFilesOptions;
  /** Times at which files were last found readable, by position. */
  private readonly readable = new Map<number, number>();
  /** Times at which restores were requested, by position. */
  private readonly requests = new Map<number, number>();
  private suspensionCount = 0;

  constructor(options: ArchivedFilesOptions) {
    this.options = options;
  }

  /**
   * Resolves if all files can be read. Otherwise, has the store restore the archived ones. Throws a
   * {@link TransferSuspension} while the store is restoring files or can't be reached, and a {@link TransferFailure} if
   * the store refuses a restore. Never requests a restore for a file that can be read.
   */
  async requireReadable(files: readonly TransferRecordFile[], signal: AbortSignal): Promise<void> {
    const archived = files.filter((file) => this.isPending(file));
    if (archived.length === 0) return;
    try {
      await this.check(archived, signal);
    } catch (error) {
      throw this.toTransferError(error);
    }
    const pending = archived.filter((file) => this.isPending(file));
    if (pending.length > 0) throw this.createSuspension(this.describeRestore(pending));
  }

  /**
   * Returns true for a file listed as archived, unless it was found readable less than half a restore period ago.
   * Excludes transferred files, and paths with line breaks, which a list for rclone cannot contain.
   */
  private isPending({ position, path, resource, isTransferred }: TransferRecordFile): boolean {
    const { clock, restore } = this.options;
    const readAtMs = this.readable.get(position) ?? -Infinity;
    if (isTransferred || clock.now() - readAtMs < restore.days * halfDayMs) return false;
    return isArchived(resource['storageClass']) && !/[\r\n]/.test(path);
  }

  private isRequested({ position }: TransferRecordFile): boolean {
    return this.options.clock.now() - (this.requests.get(position) ?? -Infinity) < renewMs;
  }

  private async check(files: readonly TransferRecordFile[], signal: AbortSignal): Promise<void> {
    const { daemon, remote } = this.options;
    await useStoreRestore(daemon, remote, signal, async (store) => await this.checkIn(store, files));
  }

  /**
   * Requests restores for archived files that have no recent request. Then checks the files requested earlier, up to
   * the first batch that has an unreadable file.
   */
  private async checkIn(store: StoreRestore, files: readonly TransferRecordFile[]): Promise<void> {
    const requested = files.filter((file) => this.isRequested(file));
    const others = files.filter((file) => !this.isRequested(file));
    for (const batch of split(others)) await this.request(store, await this.findArchived(store, batch));
    for (const batch of split(requested)) if ((await this.findArchived(store, batch)).length > 0) return;
  }

  private async findArchived(
    store: StoreRestore,
    batch: readonly TransferRecordFile[],
  ): Promise<readonly TransferRecordFile[]> {
    const paths = await store.findArchived(batch.map(({ path }) => path));
    for (const { path, position } of batch) if (!paths.has(path)) this.markReadable(position);
    return batch.filter(({ path }) => paths.has(path));
  }

  /** Records that a file can be read; a new restore is requested if the restored copy expires. */
  private markReadable(position: number): void {
    this.readable.set(position, this.options.clock.now());
    this.requests.delete(position);
  }

  private async request(store: StoreRestore, files: readonly TransferRecordFile[]): Promise<void> {
    if (files.length === 0) return;
    const { clock, restore } = this.options;
    const refusals = await store.request(
      files.map(({ path }) => path),
      restore,
    );
    const refused = new Set(refusals.map(({ path }) => path));
    for (const { path, position } of files) if (!refused.has(path)) this.requests.set(position, clock.now());
    const [refusal] = refusals;
    if (refusal !== undefined) throw this.toRefusalError(refusal.path, refusal.error);
  }

  private toRefusalError(path: string, { kind, message }: StoreError): Error {
    const problem = { operation: 'restore', path, text: message } as const;
    return kind === 'refused' ? new TransferFailure(problem) : this.createSuspension(problem);
  }

  /** Converts a store's error to a failure or suspension of the transfer. Returns others unchanged. */
  private toTransferError(error: unknown): unknown {
    if (!(error instanceof StoreError)) return toRouteError(error);
    const { kind, message } = error;
    if (kind === 'refused') return new TransferFailure(`could not restore the archived files: ${message}`);
    return this.createSuspension(`waiting: the source can't be used: ${message}`);
  }

  /** Creates a suspension. Each suspension doubles the time until the next check, up to {@link maxDelayMs}. */
  private createSuspension(cause: string | FileProblem): TransferSuspension {
    this.suspensionCount += 1;
    return new TransferSuspension(cause, 0, getBackoffMs(this.suspensionCount, firstDelayMs, maxDelayMs));
  }

  private describeRestore(pending: readonly TransferRecordFile[]): string {
    const lastMs = pending.reduce((last, { position }) => Math.max(last, this.requests.get(position) ?? 0), 0);
    const time = new Date(lastMs).toISOString().slice(0, 16).replace('T', ' ');
    return `waiting: the store is restoring ${describeCount(pending.length, 'archived file')}, requested ${time} UTC`;
  }
}

async function useStoreRestore<T>(
  daemon: RcloneDaemon,
  remote: string,
  signal: AbortSignal,
  work: (store: StoreRestore) => Promise<T>,
): Promise<T> {
  return await daemon.use(async ({ program, stagingFolder }) => {
    const folder = new BatchFolder(stagingFolder);
    const createList = folder.createList.bind(folder);
    try {
      return await work(new StoreRestore({ program, remote, createList }, signal));
    } finally {
      folder.remove();
    }
  });
}

const checkLimitMs = 60_000;

/** Resolves to the reason why a file can't be read; undefined if it is unknown, or not found before the signal. */
export async function findReadCause(
  daemon: RcloneDaemon,
  remote: string,
  path: string,
  signal = AbortSignal.timeout(checkLimitMs),
): Promise<string | undefined> {
  const find = async (store: StoreRestore): Promise<string | undefined> =>
    (await store.findArchived([path])).has(path) ? archivedCause : undefined;
  return await useStoreRestore(daemon, remote, signal, find).catch((error: unknown) =>
    error instanceof StoreError && error.kind === 'refused' ? error.message : undefined,
  );
}

function* split(files: readonly TransferRecordFile[]): Generator<readonly TransferRecordFile[]> {
  for (let start = 0; start < files.length; start += batchFiles) yield files.slice(start, start + batchFiles);
}
