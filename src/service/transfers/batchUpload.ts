import { StoreBatches, type ObjectList } from '../stores/storeBatches.ts';
import type { StoreClient } from '../stores/storeClient.ts';
import type { StoreObject } from '../stores/storeObject.ts';
import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';
import { readBackMethod, type BatchResult } from './carrySink.ts';
import type { CarrySource } from './carrySource.ts';
import type { DoneFile } from './fileJobs.ts';
import { StreamDigests } from './streamDigests.ts';
import { UnfinishedObjects } from './unfinishedObjects.ts';

interface UploadTarget {
  readonly client: StoreClient;
  readonly remote: string;
  readonly hash: string | undefined;
  readonly transferId: string;
  /** Identifies the run of the transfer. */
  readonly attempt: string;
}

interface UploadedFile {
  readonly file: FileToCarry;
  readonly digests: StreamDigests;
  /** The source's hash algorithm or, if it has none, the method that verified the object; undefined until verified. */
  readonly verifiedBy: string | undefined;
}

/**
 * Writes small files to a store in one batch. The files are first written to a folder of unfinished objects, and moved
 * to their final place after they have been verified.
 */
export class BatchUpload {
  private readonly target: UploadTarget;
  private readonly folder: BatchFolder;
  private readonly signal: AbortSignal;
  private readonly batches: StoreBatches;
  private readonly unfinished: UnfinishedObjects;

  constructor(target: UploadTarget, folder: BatchFolder, signal: AbortSignal) {
    this.target = target;
    this.folder = folder.createSubfolder();
    this.signal = signal;
    this.batches = new StoreBatches(target.client, signal);
    this.unfinished = new UnfinishedObjects(target, this.folder, this.batches);
  }

  /** Writes the files. The caller must write the remaining files one by one. Never rejects. */
  async run(files: readonly FileToCarry[], source: CarrySource): Promise<BatchResult> {
    let isSent = false;
    try {
      const read = await this.readAll(files, source);
      const [from, list] = [this.folder.files, this.createList(read)];
      isSent = read.length > 0;
      await this.batches.copy(from, this.unfinished.place, list);
      const verified = await this.verify(read);
      const renamed = await this.unfinished.rename(verified.map(({ file }) => file));
      const done = verified.filter(({ file }) => renamed.has(file)).map(toDoneFile);
      return { done, isIncomplete: done.length < read.length };
    } catch {
      // The error recurs and is reported when the files are written one by one.
      return { done: [], isIncomplete: isSent };
    }
  }

  private async readAll(files: readonly FileToCarry[], source: CarrySource): Promise<UploadedFile[]> {
    const read: UploadedFile[] = [];
    for (const file of files) {
      this.signal.throwIfAborted();
      const uploaded = await this.read(file, source).catch(() => undefined);
      if (uploaded !== undefined) read.push(uploaded);
    }
    return read;
  }

  private async read(file: FileToCarry, source: CarrySource): Promise<UploadedFile> {
    const digests = new StreamDigests([source.getHashName(file), this.target.hash]);
    const pieces: Buffer[] = [];
    for await (const piece of source.read(file, 0, this.signal)) {
      digests.update(piece);
      pieces.push(piece);
    }
    const verifiedBy = await source.verify(file, digests, this.signal);
    this.folder.write(file.path, Buffer.concat(pieces));
    return { file, digests, verifiedBy };
  }

  /** Returns the files that were stored correctly. */
  private async verify(read: readonly UploadedFile[]): Promise<UploadedFile[]> {
    const { hash } = this.target;
    const lists = this.folder.createLists(read.map(({ file }) => file.path));
    const objects = await this.batches.describe(this.unfinished.place, lists, hash);
    const [verified, unknown]: [UploadedFile[], UploadedFile[]] = [[], []];
    for (const uploaded of read) {
      const answer = compareObject(uploaded, objects.get(uploaded.file.path), hash);
      if (answer === 'same') verified.push(addMethod(uploaded, hash));
      else if (answer === 'unknown') unknown.push(uploaded);
    }
    return [...verified, ...(await this.readBack(unknown))];
  }

  /** Reads back objects that have no hashes, and returns those with the right content. */
  private async readBack(stored: readonly UploadedFile[]): Promise<readonly UploadedFile[]> {
    if (stored.length === 0) return [];
    const folder = this.folder.createSubfolder();
    await this.batches.copy(this.unfinished.place, folder.files, this.createList(stored));
    const same = stored.filter(({ file, digests }) => {
      const content = new StreamDigests([]);
      content.update(folder.read(file) ?? Buffer.of());
      return content.sha256 === digests.sha256;
    });
    return same.map((uploaded) => addMethod(uploaded, readBackMethod));
  }

  private createList(files: readonly UploadedFile[]): ObjectList {
    return this.folder.createList(files.map(({ file }) => file.path));
  }
}

function compareObject(
  { file, digests }: UploadedFile,
  object: StoreObject | undefined,
  hash: string | undefined,
): 'same' | 'different' | 'unknown' {
  if (object?.bytes !== file.bytes) return 'different';
  if (hash === undefined || object.hash === undefined) return 'unknown';
  return object.hash === digests.get(hash) ? 'same' : 'different';
}

function addMethod(uploaded: UploadedFile, method: string | undefined): UploadedFile {
  return { ...uploaded, verifiedBy: uploaded.verifiedBy ?? method };
}

function toDoneFile({ file, digests, verifiedBy = readBackMethod }: UploadedFile): DoneFile {
  const { position, bytes } = file;
  return { position, bytes, sha256: digests.sha256, verifiedBy };
}
