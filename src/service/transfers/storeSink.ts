import { randomBytes } from 'node:crypto';
import { addRemoteOptions } from '../../core/util/remote.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import { StoreBatches, type ObjectList } from '../stores/storeBatches.ts';
import type { StoreClient, StoreObject } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import { isS3 } from '../stores/storeFeatures.ts';
import type { BatchFolder } from './batchFolder.ts';
import type { CarryJob, FileToCarry } from './carryJob.ts';
import {
  readBackMethod,
  type BatchResult,
  type CarriedContent,
  type CarrySink,
  type CarrySource,
  type WrittenFile,
} from './carrySource.ts';
import type { FileBytes } from './fileBytes.ts';
import { OperationError, type DoneFile } from './fileJobs.ts';
import { StreamDigests } from './digests.ts';
import { UnfinishedObjects } from './storeCopy.ts';

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

const maxParts = 10_000;
/** The part size that rclone uses by default, which is also the smallest one that it accepts. */
const defaultPartMiB = 5;

/**
 * Returns the remote to use for writing an object of `bytes` bytes to a store. For a large S3 object, adds an option
 * that makes the parts large enough for S3's limit of 10,000 parts, because rclone doesn't know the size of an object
 * that it receives as a stream. Throws {@link StoreError}.
 */
async function chooseUploadRemote(client: StoreClient, remote: string, bytes: number): Promise<string> {
  const partMiB = Math.ceil(bytes / maxParts / 1024 ** 2);
  if (partMiB <= defaultPartMiB || !isS3(remote, await client.getFeatures(remote))) return remote;
  return addRemoteOptions(remote, `chunk_size=${partMiB}Mi`);
}

interface StoreTarget {
  readonly client: StoreClient;
  readonly remote: string;
  readonly hash: string | undefined;
  /** Name of the transfer's folder in the store. */
  readonly folder: string;
}

/** Writes files to a store. Catalogs don't show the files until they have been verified and renamed. */
export class StoreSink implements CarrySink {
  readonly hash: string | undefined;
  private readonly target: StoreTarget;
  private readonly run: Pick<CarryJob, 'transferId' | 'attempt'>;

  constructor({ transferId, attempt, destination }: CarryJob, remote: string, client: StoreClient) {
    this.hash = destination.hash;
    this.run = { transferId, attempt };
    this.target = { client, remote, hash: destination.hash, folder: getTransferFolderName(transferId) };
  }

  async write(file: FileToCarry, content: CarriedContent, signal: AbortSignal): Promise<WrittenFile> {
    const { client, remote, folder } = this.target;
    // A unique name protects the object from a delayed removal by an earlier attempt.
    const attempt = randomBytes(4).toString('hex');
    const name = `${file.position}-${attempt}.part-${this.run.transferId}`;
    try {
      const object = { folder, name, bytes: file.bytes };
      const uploadRemote = await chooseUploadRemote(client, remote, file.bytes);
      await client.write(uploadRemote, object, digestPieces(content), signal);
      return new WrittenObject(this.target, file, `${folder}/${name}`);
    } catch (error) {
      throw toWriteError(error);
    }
  }

  async writeBatch(
    files: readonly FileToCarry[],
    { source, folder }: Parameters<CarrySink['writeBatch']>[1],
    signal: AbortSignal,
  ): Promise<BatchResult> {
    const upload = new BatchUpload({ ...this.target, ...this.run }, folder, signal);
    // Files whose names are taken by objects of an earlier run are written one by one.
    const isNew = ({ isPresent }: FileToCarry): boolean => !isPresent;
    return await upload.run(files.filter(isNew), source);
  }
}

async function* digestPieces({ read, digests }: CarriedContent): AsyncGenerator<Buffer> {
  for await (const piece of read(0)) {
    digests.update(piece);
    yield piece;
  }
}

function toWriteError(error: unknown): unknown {
  return error instanceof OperationError ? error : new OperationError('write', error);
}

class WrittenObject implements WrittenFile {
  private readonly target: StoreTarget;
  private readonly file: FileToCarry;
  private readonly path: string;

  constructor(target: StoreTarget, file: FileToCarry, path: string) {
    this.target = target;
    this.file = file;
    this.path = path;
  }

  async verify(digests: StreamDigests, signal: AbortSignal, counter: FileBytes): Promise<string> {
    const { client, remote, hash } = this.target;
    try {
      const object = await client.stat(remote, this.path, hash, signal);
      if (object?.bytes !== this.file.bytes) throw createStorageError();
      if (hash === undefined || object.hash === undefined) return await this.readBack(digests, signal, counter);
      if (object.hash !== digests.get(hash)) throw createStorageError();
      return hash;
    } catch (error) {
      throw toWriteError(error);
    }
  }

  async finish(signal: AbortSignal): Promise<void> {
    const { client, remote, folder } = this.target;
    const finalPath = `${folder}/${this.file.path}`;
    try {
      // A store without hashes might treat an object of the same size as identical.
      if (this.file.isPresent) await client.remove(remote, finalPath);
      await client.rename(remote, this.path, finalPath, signal);
    } catch (error) {
      throw toWriteError(error);
    }
  }

  private async readBack(digests: StreamDigests, signal: AbortSignal, counter: FileBytes): Promise<string> {
    const { client, remote } = this.target;
    const stored = new StreamDigests([]);
    const pieces = this.file.bytes > 0 ? client.read(remote, this.path, 0, signal) : [];
    for await (const piece of pieces) {
      stored.update(piece);
      counter.addRead(piece.length);
    }
    if (stored.sha256 !== digests.sha256) throw createStorageError();
    return readBackMethod;
  }
}

function createStorageError(): OperationError {
  return new OperationError('write', new StoreError('broken', 'the store did not store it correctly'));
}
