import { StoreBatches } from '../stores/storeBatches.ts';
import type { StoreClient, StoreObject } from '../stores/storeClient.ts';
import type { BatchFolder } from './batchFolder.ts';
import { BadFile, toOperationError, type FileToMove } from './fileJobs.ts';
import { compareHash, type MoveSource, type StoreAccess } from './moveSides.ts';
import type { StreamDigests } from './openFiles.ts';

/** Reads files from a store one by one. */
export class StoreSource implements MoveSource {
  private readonly client: StoreClient;
  private readonly remote: string;
  private readonly hash: string | undefined;

  constructor(client: StoreClient, remote: string, hash: string | undefined) {
    this.client = client;
    this.remote = remote;
    this.hash = hash;
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
      if (offset !== bytes) throw new BadFile('it changed since it was listed');
    } catch (error) {
      throw toOperationError('read', error);
    }
  }

  async verify(file: FileToMove, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined> {
    const { declared, path } = file;
    if (declared !== undefined) return compareHash(declared.algorithm, declared.hex, digests);
    if (this.hash === undefined) return undefined;
    try {
      const object = await this.client.stat(this.remote, path, this.hash, signal);
      return compareHash(this.hash, object?.hash, digests);
    } catch (error) {
      throw toOperationError('read', error);
    }
  }
}

/** Reads small files from a store in one batch, and other files one by one. */
export class BatchSource implements MoveSource {
  private readonly client: StoreClient;
  private readonly folder: BatchFolder;
  private readonly remote: string;
  private readonly hash: string | undefined;
  private readonly single: StoreSource;
  /** Hashes of the fetched files, by position; undefined for files without a hash in the store. */
  private readonly fetched = new Map<number, string | undefined>();

  constructor({ client, folder }: StoreAccess, remote: string, hash: string | undefined) {
    this.client = client;
    this.folder = folder;
    this.remote = remote;
    this.hash = hash;
    this.single = new StoreSource(client, remote, hash);
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
    return this.fetched.get(file.position) !== undefined && this.folder.moveTo(file, path);
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
    if (name === undefined || !this.fetched.has(file.position)) return await this.single.verify(file, digests, signal);
    return compareHash(name, this.fetched.get(file.position), digests);
  }

  /** Requests the hashes of files that have none in the catalog. */
  private async describe(
    batches: StoreBatches,
    files: readonly FileToMove[],
  ): Promise<ReadonlyMap<string, StoreObject>> {
    const { remote, hash } = this;
    const paths = hash === undefined ? [] : files.flatMap(({ declared, path }) => (declared === undefined ? path : []));
    return await batches.describe(remote, this.folder.createLists(paths), hash);
  }

  private add({ position, declared }: FileToMove, object: StoreObject | undefined): void {
    const { hash } = this;
    if (declared !== undefined) this.fetched.set(position, declared.hex);
    else if (hash === undefined) this.fetched.set(position, undefined);
    else if (object !== undefined) this.fetched.set(position, object.hash);
  }
}
