import { StoreBatches } from '../stores/storeBatches.ts';
import type { StoreClient } from '../stores/storeClient.ts';
import type { StoreObject } from '../stores/storeObject.ts';
import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';
import { compareHash, StoreSource, type CarrySource } from './carrySource.ts';
import type { StreamDigests } from './streamDigests.ts';

interface FetchedStore {
  readonly client: StoreClient;
  readonly remote: string;
  readonly hash: string | undefined;
}

/** Reads small files from a store in one batch, and other files one by one. */
export class BatchSource implements CarrySource {
  private readonly store: FetchedStore;
  private readonly folder: BatchFolder;
  private readonly single: StoreSource;
  /** Hashes of the fetched files, by position; undefined for files without a hash in the store. */
  private readonly fetched = new Map<number, string | undefined>();

  constructor(store: FetchedStore, folder: BatchFolder) {
    this.store = store;
    this.folder = folder;
    this.single = new StoreSource(store.client, store.remote, store.hash);
  }

  /** Copies files to the private folder. Files that can't be copied are read one by one later. Never rejects. */
  async fetch(files: readonly FileToCarry[], signal: AbortSignal): Promise<void> {
    const { client, remote } = this.store;
    const batches = new StoreBatches(client, signal);
    try {
      const list = this.folder.createList(files.map(({ path }) => path));
      await batches.copy(remote, this.folder.files, list);
      const objects = await this.describe(batches, files);
      for (const file of files) this.add(file, objects.get(file.path));
    } catch {
      // The error recurs and is reported when the files are read one by one.
    }
  }

  getHashName(file: FileToCarry): string | undefined {
    return this.single.getHashName(file);
  }

  moveFetched(file: FileToCarry, path: string): boolean {
    return this.fetched.get(file.position) !== undefined && this.folder.moveTo(file, path);
  }

  async *read(file: FileToCarry, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const content = this.fetched.has(file.position) ? this.folder.read(file) : undefined;
    if (content !== undefined) {
      yield content.subarray(from);
      return;
    }
    this.fetched.delete(file.position);
    yield* this.single.read(file, from, signal);
  }

  async verify(file: FileToCarry, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined> {
    const name = this.getHashName(file);
    if (name === undefined || !this.fetched.has(file.position)) return await this.single.verify(file, digests, signal);
    return compareHash(name, this.fetched.get(file.position), digests);
  }

  /** Requests the hashes of files that have none in the catalog. */
  private async describe(
    batches: StoreBatches,
    files: readonly FileToCarry[],
  ): Promise<ReadonlyMap<string, StoreObject>> {
    const { remote, hash } = this.store;
    const paths = hash === undefined ? [] : files.flatMap(({ declared, path }) => (declared === undefined ? path : []));
    return await batches.describe(remote, this.folder.createLists(paths), hash);
  }

  private add({ position, declared }: FileToCarry, object: StoreObject | undefined): void {
    const { hash } = this.store;
    if (declared !== undefined) this.fetched.set(position, declared.hex);
    else if (hash === undefined) this.fetched.set(position, undefined);
    else if (object !== undefined) this.fetched.set(position, object.hash);
  }
}
