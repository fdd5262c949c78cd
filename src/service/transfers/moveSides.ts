import { type BatchFolder, StoreBatches } from '../stores/storeBatches.ts';
import type { StoreClient, StoreObject } from '../stores/storeClient.ts';
import { findReportedTime, type KeptTimes } from '../stores/storeFeatures.ts';
import {
  BadFile,
  OperationError,
  toOperationError,
  type DoneFile,
  type FileBytes,
  type FileToMove,
  type MoveSide,
} from './fileJobs.ts';
import type { OpenFile, StreamDigests } from './openFiles.ts';

/** Resources of a job with a store on at least one side. */
export interface StoreAccess {
  readonly client: StoreClient;
  /** For files that are moved together. */
  readonly folder: BatchFolder;
}

/** Reads a job's files and verifies their content. */
export interface MoveSource {
  /** Fetches small files together in advance, if that is faster. Never rejects. */
  fetch?(files: readonly FileToMove[], signal: AbortSignal): Promise<void>;
  /** Returns the algorithm of the source's hash for a file; undefined if the source provides none. */
  getHashName(file: FileToMove): string | undefined;
  /**
   * Moves a file's fetched copy to a path. Returns false if there is no such copy on the same file system, or if {@link
   * verify} can't compare it with a hash from the source; the caller must then read the file.
   */
  moveFetched?(file: FileToMove, path: string): boolean;
  /** Resolves to an unverified file's modification time in milliseconds since 1970, if known. Never rejects. */
  findModified(file: FileToMove, signal: AbortSignal): Promise<number | undefined>;
  /** Calls `work` with the file, open for reading. Absent if the source isn't a folder. */
  open?(file: FileToMove, work: (opened: OpenFile) => void): void;
  /** Reads a file from an offset. Throws {@link OperationError}, for example if its size changed. */
  read(file: FileToMove, from: number, signal: AbortSignal): AsyncIterable<Buffer>;
  /**
   * Compares the content that was read with the source's hash. Returns the hash algorithm; undefined if there is no
   * independent hash. Throws {@link OperationError} if they differ.
   */
  verify(file: FileToMove, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined>;
}

/** A file that was written under a temporary name. */
export interface WrittenFile {
  /** True if the file continues a partial file from an earlier attempt. */
  readonly isContinued?: boolean;
  /**
   * Compares the written content with the content that was read. Returns the method: the destination's hash algorithm,
   * or `reading back`. Counts the bytes that it reads. Throws {@link OperationError} if they differ.
   */
  verify(digests: StreamDigests, signal: AbortSignal, counter: FileBytes): Promise<string>;
  /** Gives the file its modification time, in milliseconds since 1970 if it is known, and then its final name. */
  finish(signal: AbortSignal, modifiedMs: number | undefined): Promise<void>;
  /**
   * Removes the file after an error, unless the next run can continue it. Absent if the next run or the end of the
   * transfer removes it anyway. Never throws.
   */
  discard?(error: unknown): void;
}

/** The content of a file on its way, with the digests and the count of its bytes. */
export interface MovedContent {
  readonly digests: StreamDigests;
  readonly counter: FileBytes;
  /** True if a partial file from an earlier attempt may be continued, because the whole file is verified by a hash. */
  readonly canResume: boolean;
  read(from: number): AsyncIterable<Buffer>;
  /** Origin of the content, for a sink that can take it in another way than by reading. */
  readonly source: Pick<MoveSource, 'open' | 'moveFetched' | 'findModified'>;
}

/** The result of transferring files together. */
export interface BatchResult {
  /** The files that were verified and given their final names. */
  readonly done: readonly DoneFile[];
  /** True if a file that was or may have been sent isn't among those, so that the store may create its object later. */
  readonly isIncomplete: boolean;
}

/** Writes a job's files to the transfer's folder. */
export interface MoveSink {
  /** The destination's preferred hash algorithm; undefined if it has none. */
  readonly hash: string | undefined;
  /**
   * Writes a file under a temporary name. A later attempt may continue an interrupted file in a folder. Resolves to a
   * completed file if it was verified and has its final name already, so that nothing remains to be done.
   */
  write(file: FileToMove, content: MovedContent, signal: AbortSignal): Promise<WrittenFile | DoneFile>;
  /** Writes and verifies small files together, if faster; the caller writes the remaining ones. Never rejects. */
  writeBatch?(
    files: readonly FileToMove[],
    batch: { readonly source: MoveSource; readonly folder: BatchFolder },
    signal: AbortSignal,
  ): Promise<BatchResult>;
  /** Releases what the sink holds; called once, at the end of the job. */
  close?(): void;
}

/** The verification method for files that no store hash could verify. */
export const readBackMethod = 'reading back';

/**
 * Compares the content that was read with a hash. Returns the algorithm; undefined if `hex` is missing. Throws an
 * {@link OperationError} for `copy` if they differ.
 */
export function compareHash(algorithm: string, hex: string | undefined, digests: StreamDigests): string | undefined {
  if (hex === undefined) return undefined;
  if (digests.get(algorithm) === hex) return algorithm;
  throw new OperationError('copy', new BadFile(getMismatchCause(algorithm)));
}

/** Returns the reason for a failure with a file whose content has another hash than the one that the store lists. */
export function getMismatchCause(algorithm: string): string {
  return `it does not have the ${algorithm} hash that the store listed for it`;
}

const changedCause = 'it changed since it was listed';

function isPageInstead({ path, listedMs }: FileToMove, object: StoreObject | undefined): boolean {
  if (listedMs === undefined || object?.modifiedMs === listedMs) return false;
  // Another time proves nothing, because some servers give the current one.
  const isPage = object?.mediaType?.startsWith('text/html') === true && !/\.x?html?$/i.test(path);
  return isPage || object?.modifiedMs === undefined;
}

/** Reads files from a store one by one. */
export class StoreSource implements MoveSource {
  private readonly client: StoreClient;
  private readonly remote: string;
  private readonly hash: string | undefined;
  private readonly isWebServer: boolean;
  /** The objects whose hash and time were requested together, by position. */
  private readonly objects = new Map<number, StoreObject | undefined>();

  constructor(client: StoreClient, remote: string, hash: string | undefined, isWebServer = false) {
    this.client = client;
    this.remote = remote;
    this.hash = hash;
    this.isWebServer = isWebServer;
  }

  getHashName({ declared }: FileToMove): string | undefined {
    return declared?.algorithm ?? this.hash;
  }

  async *read({ path, bytes }: FileToMove, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (bytes === from) return;
    try {
      let offset = from;
      for await (const piece of this.client.read(this.remote, path, from, signal)) {
        offset += piece.length;
        if (offset > bytes) break;
        yield piece;
      }
      if (offset !== bytes) throw new BadFile(changedCause);
    } catch (error) {
      throw toOperationError('read', error);
    }
  }

  async verify(file: FileToMove, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined> {
    const { declared } = file;
    if (declared !== undefined) return compareHash(declared.algorithm, declared.hex, digests);
    if (this.hash === undefined && !this.isWebServer) return undefined;
    try {
      const object = await this.describe(file, signal);
      // If the file is read again, its object may have changed.
      this.objects.delete(file.position);
      if (this.isWebServer && isPageInstead(file, object)) throw new BadFile(changedCause);
      return this.hash === undefined ? undefined : compareHash(this.hash, object?.hash, digests);
    } catch (error) {
      throw toOperationError('read', error);
    }
  }

  async findModified(file: FileToMove, signal: AbortSignal): Promise<number | undefined> {
    const object = await this.describe(file, signal).catch(() => undefined);
    return object?.modifiedMs;
  }

  private async describe(file: FileToMove, signal: AbortSignal): Promise<StoreObject | undefined> {
    const { position, path, declared } = file;
    if (this.objects.has(position)) return this.objects.get(position);
    const object = await this.client.stat(this.remote, path, declared === undefined ? this.hash : undefined, signal);
    this.objects.set(position, object);
    return object;
  }
}

/** Reads small files from a store in one batch, and other files one by one. */
export class BatchSource implements MoveSource {
  private readonly client: StoreClient;
  private readonly folder: BatchFolder;
  private readonly remote: string;
  private readonly hash: string | undefined;
  private readonly keptTimes: KeptTimes | undefined;
  private readonly isWebServer: boolean;
  private readonly single: StoreSource;
  /** The fetched files, by position. The hash is undefined if the store has none. */
  private readonly fetched = new Map<
    number,
    { readonly hash: string | undefined; readonly modifiedMs?: number | undefined }
  >();

  constructor({ client, folder }: StoreAccess, remote: string, { hash, keptTimes, isWebServer = false }: MoveSide) {
    this.client = client;
    this.folder = folder;
    this.remote = remote;
    this.hash = hash;
    this.keptTimes = keptTimes;
    this.isWebServer = isWebServer;
    this.single = new StoreSource(client, remote, hash, isWebServer);
  }

  /** Copies files to the private folder. Files that can't be copied are read one by one later. Never rejects. */
  async fetch(files: readonly FileToMove[], signal: AbortSignal): Promise<void> {
    const batches = new StoreBatches(this.client, signal);
    try {
      const list = this.folder.createList(files.map(({ path }) => path));
      await batches.copy(this.remote, this.folder.files, list);
      const objects = await this.describe(batches, files);
      for (const file of files) this.add(file, objects.get(file.path));
    } catch {
      // The error recurs and is reported when the files are read one by one.
    }
  }

  getHashName(file: FileToMove): string | undefined {
    return this.single.getHashName(file);
  }

  moveFetched(file: FileToMove, path: string): boolean {
    const fetched = this.fetched.get(file.position);
    return fetched?.hash !== undefined && this.folder.moveTo(file, path, fetched.modifiedMs);
  }

  async *read(file: FileToMove, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const content = this.fetched.has(file.position) ? this.folder.read(file) : undefined;
    if (content !== undefined) {
      yield content.subarray(from);
      return;
    }
    this.fetched.delete(file.position);
    yield* this.single.read(file, from, signal);
  }

  async verify(file: FileToMove, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined> {
    const name = this.getHashName(file);
    const fetched = this.fetched.get(file.position);
    if (fetched === undefined) return await this.single.verify(file, digests, signal);
    return name === undefined ? undefined : compareHash(name, fetched.hash, digests);
  }

  async findModified(file: FileToMove, signal: AbortSignal): Promise<number | undefined> {
    const fetched = this.fetched.get(file.position);
    if (fetched !== undefined) return fetched.modifiedMs;
    return findReportedTime(this.keptTimes, await this.single.findModified(file, signal));
  }

  private async describe(
    batches: StoreBatches,
    files: readonly FileToMove[],
  ): Promise<ReadonlyMap<string, StoreObject>> {
    const { remote, hash } = this;
    const paths = hash === undefined ? [] : files.flatMap(({ declared, path }) => (declared === undefined ? path : []));
    return await batches.describe(remote, this.folder.createLists(paths), hash);
  }

  private add(file: FileToMove, object: StoreObject | undefined): void {
    const { position, declared, listedMs } = file;
    if (declared === undefined && this.hash !== undefined && object === undefined) return;
    const hash = declared?.hex ?? object?.hash;
    const modifiedMs = findReportedTime(this.keptTimes, this.folder.findModified(file));
    // The type of what was fetched is known only when it is read.
    const mayBePage = this.isWebServer && listedMs !== undefined && modifiedMs !== listedMs;
    if (!mayBePage) this.fetched.set(position, { hash, modifiedMs });
  }
}
