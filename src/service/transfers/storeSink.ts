import { randomBytes } from 'node:crypto';
import { addRemoteOptions, joinRemotePath } from '../../core/util/remote.ts';
import { getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import { type BatchFolder, hasPlainName, type ObjectList, StoreBatches } from '../stores/storeBatches.ts';
import type { StoreClient, StoreObject } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import { findKeptTime, isS3, type CopyVerification, type KeptTimes } from '../stores/storeFeatures.ts';
import {
  OperationError,
  toOperationError,
  type DoneFile,
  type FileBytes,
  type FileToMove,
  type MoveJob,
} from './fileJobs.ts';
import {
  compareHash,
  readBackMethod,
  StoreSource,
  type BatchResult,
  type MovedContent,
  type MoveSink,
  type MoveSource,
  type WrittenFile,
} from './moveSides.ts';
import { StreamDigests } from './openFiles.ts';

interface TransferTarget {
  readonly remote: string;
  readonly transferId: string;
  readonly folderName?: string | undefined;
  /**
   * Name of the folder for the unfinished objects of one run. Each run has its own folder, so that a delayed removal
   * from an earlier run does not affect a later one. The batches of a run share the folder, because rclone opens at
   * most ten connections per second to an SFTP server and keeps a folder's connections open.
   */
  readonly attempt: string;
}

/** Manages a batch's unfinished objects, which are in a folder hidden by catalogs until they are renamed. */
class UnfinishedObjects {
  private readonly target: TransferTarget;
  private readonly folder: BatchFolder;
  private readonly batches: StoreBatches;

  /** Creates a manager that writes its lists of objects to `folder`. */
  constructor(target: TransferTarget, folder: BatchFolder, batches: StoreBatches) {
    this.target = target;
    this.folder = folder;
    this.batches = batches;
  }

  /** The remote and path of the folder that contains the objects. */
  get place(): string {
    return joinRemotePath(this.target.remote, this.path);
  }

  /** The path of the folder that contains the objects, relative to the destination's remote. */
  get path(): string {
    return `${getUploadFolderName(this.target.transferId)}/${this.target.attempt}`;
  }

  /**
   * Moves objects to the transfer's folder. Returns the files whose objects are there afterwards, because rclone
   * doesn't report missing objects. Throws {@link StoreError}.
   */
  async rename(files: readonly FileToMove[]): Promise<ReadonlySet<FileToMove>> {
    if (files.length === 0) return new Set();
    const paths = files.map(({ path }) => path);
    await this.batches.rename(this.place, this.finalPlace, this.folder.createList(paths));
    const objects = await this.batches.describe(this.finalPlace, this.folder.createLists(paths), undefined);
    return new Set(files.filter(({ path, bytes }) => objects.get(path)?.bytes === bytes));
  }

  private get finalPlace(): string {
    const { remote, transferId, folderName } = this.target;
    return joinRemotePath(remote, getTransferFolderName(transferId, folderName));
  }
}

/**
 * Maximum size of a copy that is verified by a hash. A larger object may be copied in parts; its hash may then come
 * from metadata that the uploader set and the copy inherits.
 */
const maxHashedBytes = 4 * 1024 ** 3;

interface CopiedFile {
  readonly file: FileToMove;
  readonly done: DoneFile;
}

/**
 * Has a store copy objects itself, so that their content does not pass through this machine. Copies are verified by
 * comparing the store's hashes of both objects, or by reading both (D66: copies within a store).
 */
export class StoreCopy {
  private readonly files: readonly FileToMove[];
  private readonly client: StoreClient;
  private readonly source: string;
  private readonly destination: string;
  private readonly hash: string | undefined;
  private readonly verification: CopyVerification;
  private readonly transferFolder: string;
  private readonly folder: BatchFolder;
  private readonly signal: AbortSignal;
  private readonly batches: StoreBatches;
  private readonly unfinished: UnfinishedObjects;

  constructor(
    job: MoveJob,
    verification: CopyVerification,
    client: StoreClient,
    folder: BatchFolder,
    signal: AbortSignal,
  ) {
    const { source, destination, transferId, folderName, attempt = '' } = job;
    // Copying an empty object here saves nothing, and some names can't be in a list for rclone.
    this.files = job.files.filter(({ path, bytes }) => bytes > 0 && hasPlainName(path));
    this.client = client;
    this.source = source.location.remote ?? '';
    this.destination = destination.location.remote ?? '';
    this.hash = verification.hasOwnHashes ? destination.hash : undefined;
    this.verification = verification;
    this.transferFolder = getTransferFolderName(transferId, folderName);
    this.folder = folder.createSubfolder();
    this.signal = signal;
    this.batches = new StoreBatches(client, signal);
    const target = { remote: this.destination, transferId, folderName, attempt };
    this.unfinished = new UnfinishedObjects(target, this.folder, this.batches);
  }

  /** Copies the objects. The caller must transfer the remaining files in another way. Never rejects. */
  async run(): Promise<BatchResult> {
    if (this.files.length === 0) return { done: [], isIncomplete: false };
    let isSent = false;
    try {
      const list = this.folder.createList(this.files.map(({ path }) => path));
      isSent = true;
      await this.batches.copy(this.configure(this.source), this.configure(this.unfinished.place), list);
      const done = await this.rename(await this.verify());
      return { done, isIncomplete: done.length < this.files.length };
    } catch {
      // The error recurs and is reported when the files are transferred one by one.
      return { done: [], isIncomplete: isSent };
    }
  }

  private configure(remote: string): string {
    return addRemoteOptions(remote, this.verification.copyOptions);
  }

  private async verify(): Promise<readonly CopiedFile[]> {
    const [originals, copies] = await Promise.all([this.describeOriginals(), this.describeCopies()]);
    const verified: CopiedFile[] = [];
    for (const file of this.files) {
      const copy = copies.get(file.path);
      if (copy?.bytes !== file.bytes) continue;
      const done = await this.compare(file, originals.get(file.path), copy);
      if (done !== undefined) verified.push({ file, done });
    }
    return verified;
  }

  private async describeOriginals(): Promise<ReadonlyMap<string, StoreObject>> {
    const { hash } = this;
    if (hash === undefined) return new Map();
    const unknown = this.files.filter(({ declared }) => declared?.algorithm !== hash);
    const lists = this.folder.createLists(unknown.map(({ path }) => path));
    return await this.batches.describe(this.source, lists, hash);
  }

  /**
   * Lists the copies instead of describing each one. In a listing, S3 reports the hash of the content; for a single
   * object, it reports the hash in the metadata.
   */
  private async describeCopies(): Promise<ReadonlyMap<string, StoreObject>> {
    const { client, hash, signal, unfinished } = this;
    const remote = addRemoteOptions(this.destination, this.verification.listOptions);
    const objects = await client.list(remote, unfinished.path, { hash }, signal);
    return new Map(objects.map((object) => [object.path.slice(unfinished.path.length + 1), object]));
  }

  /** Returns the result for a file whose copy equals the original; undefined if they differ or can't be compared. */
  private async compare(
    file: FileToMove,
    original: StoreObject | undefined,
    copy: StoreObject,
  ): Promise<DoneFile | undefined> {
    const { hash } = this;
    const { position, bytes, declared } = file;
    const stored = bytes > maxHashedBytes ? undefined : copy.hash;
    const expected = original?.hash ?? declared?.hex;
    if (stored === undefined || stored !== expected) return await this.compareContent(file);
    return { position, bytes, storeHash: `${hash}:${stored}`, verifiedBy: `${hash} within the store` };
  }

  /** Compares the contents by reading both objects, for use when the store's hashes don't prove equality. */
  private async compareContent(file: FileToMove): Promise<DoneFile | undefined> {
    const { client, source, signal, unfinished } = this;
    const [original, copy] = [new StreamDigests([file.declared?.algorithm]), new StreamDigests([])];
    const read = async (pieces: AsyncIterable<Buffer>, digests: StreamDigests): Promise<void> => {
      for await (const piece of pieces) digests.update(piece);
    };
    try {
      const pieces = new StoreSource(client, source, undefined).read(file, 0, signal);
      await Promise.all([read(pieces, original), read(client.read(unfinished.place, file.path, 0, signal), copy)]);
      if (file.declared !== undefined) compareHash(file.declared.algorithm, file.declared.hex, original);
    } catch {
      return undefined;
    }
    const { position, bytes } = file;
    return original.sha256 === copy.sha256
      ? { position, bytes, sha256: copy.sha256, verifiedBy: readBackMethod }
      : undefined;
  }

  private async rename(copied: readonly CopiedFile[]): Promise<readonly DoneFile[]> {
    const files = copied.map(({ file }) => file);
    // A store might not replace an existing object from an earlier run.
    for (const { path, isPresent } of files)
      if (isPresent) await this.client.remove(this.destination, `${this.transferFolder}/${path}`);
    const renamed = await this.unfinished.rename(files);
    return copied.flatMap(({ file, done }) => (renamed.has(file) ? done : []));
  }
}

interface UploadTarget extends TransferTarget {
  readonly client: StoreClient;
  readonly hash: string | undefined;
  readonly keptTimes?: KeptTimes | undefined;
}

interface UploadedFile {
  readonly file: FileToMove;
  readonly digests: StreamDigests;
  readonly modifiedMs: number | undefined;
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
  async run(files: readonly FileToMove[], source: MoveSource): Promise<BatchResult> {
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

  private async readAll(files: readonly FileToMove[], source: MoveSource): Promise<UploadedFile[]> {
    const read: UploadedFile[] = [];
    for (const file of files) {
      this.signal.throwIfAborted();
      const uploaded = await this.read(file, source).catch(() => undefined);
      if (uploaded !== undefined) read.push(uploaded);
    }
    return read;
  }

  private async read(file: FileToMove, source: MoveSource): Promise<UploadedFile> {
    const digests = new StreamDigests([source.getHashName(file), this.target.hash]);
    const pieces: Buffer[] = [];
    for await (const piece of source.read(file, 0, this.signal)) {
      digests.update(piece);
      pieces.push(piece);
    }
    const modifiedMs = await source.findModified(file, this.signal);
    const verifiedBy = await source.verify(file, digests, this.signal);
    this.folder.write(file.path, Buffer.concat(pieces), findKeptTime(this.target.keptTimes, modifiedMs));
    return { file, digests, modifiedMs, verifiedBy };
  }

  private async verify(read: readonly UploadedFile[]): Promise<UploadedFile[]> {
    const { hash } = this.target;
    const lists = this.folder.createLists(read.map(({ file }) => file.path));
    const objects = await this.batches.describe(this.unfinished.place, lists, hash);
    const [verified, unknown]: [UploadedFile[], UploadedFile[]] = [[], []];
    for (const uploaded of read) {
      const answer = compareObject(uploaded, objects.get(uploaded.file.path), hash);
      if (answer === 'same') verified.push(markVerified(uploaded, hash));
      else if (answer === 'unknown') unknown.push(uploaded);
    }
    return [...verified, ...(await this.readBack(unknown))];
  }

  /** Reads back objects that hashes don't verify; returns those with the right content. */
  private async readBack(stored: readonly UploadedFile[]): Promise<readonly UploadedFile[]> {
    if (stored.length === 0) return [];
    const folder = this.folder.createSubfolder();
    await this.batches.copy(this.unfinished.place, folder.files, this.createList(stored));
    const same = stored.filter(({ file, digests }) => {
      const content = new StreamDigests([]);
      content.update(folder.read(file) ?? Buffer.of());
      return content.sha256 === digests.sha256;
    });
    return same.map((uploaded) => markVerified(uploaded, readBackMethod));
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
  return hash !== undefined && object.hash === digests.get(hash) ? 'same' : 'unknown';
}

function markVerified(uploaded: UploadedFile, method: string | undefined): UploadedFile {
  return { ...uploaded, verifiedBy: uploaded.verifiedBy ?? method };
}

function toDoneFile({ file, digests, modifiedMs, verifiedBy = readBackMethod }: UploadedFile): DoneFile {
  const { position, bytes } = file;
  return { position, bytes, sha256: digests.sha256, verifiedBy, ...(modifiedMs !== undefined && { modifiedMs }) };
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
  readonly keptTimes?: KeptTimes | undefined;
  /** Name of the transfer's folder in the store. */
  readonly folder: string;
}

/** Writes files to a store. Catalogs don't show the files until they have been verified and renamed. */
export class StoreSink implements MoveSink {
  readonly hash: string | undefined;
  private readonly target: StoreTarget;
  private readonly run: TransferTarget;

  constructor(job: MoveJob, remote: string, client: StoreClient) {
    const { transferId, folderName, attempt = '', destination } = job;
    this.hash = destination.hash;
    this.run = { remote, transferId, folderName, attempt };
    const { hash, keptTimes } = destination;
    this.target = { client, remote, hash, keptTimes, folder: getTransferFolderName(transferId, folderName) };
  }

  async write(file: FileToMove, content: MovedContent, signal: AbortSignal): Promise<WrittenFile> {
    const { client, remote, folder } = this.target;
    // A unique name protects the object from a delayed removal by an earlier attempt.
    const attempt = randomBytes(4).toString('hex');
    const name = `${file.position}-${attempt}.part-${this.run.transferId}`;
    try {
      const modifiedMs = findKeptTime(this.target.keptTimes, await content.source.findModified(file, signal));
      const object = { folder, name, bytes: file.bytes, modifiedMs };
      const uploadRemote = await chooseUploadRemote(client, remote, file.bytes);
      await client.write(uploadRemote, object, digestPieces(content), signal);
      return new WrittenObject(this.target, file, `${folder}/${name}`, modifiedMs);
    } catch (error) {
      throw toOperationError('write', error);
    }
  }

  async writeBatch(
    files: readonly FileToMove[],
    { source, folder }: { readonly source: MoveSource; readonly folder: BatchFolder },
    signal: AbortSignal,
  ): Promise<BatchResult> {
    const upload = new BatchUpload({ ...this.target, ...this.run }, folder, signal);
    // Files whose names are taken by objects of an earlier run are written one by one.
    const isNew = ({ isPresent }: FileToMove): boolean => !isPresent;
    return await upload.run(files.filter(isNew), source);
  }
}

async function* digestPieces({ read, digests }: MovedContent): AsyncGenerator<Buffer> {
  for await (const piece of read(0)) {
    digests.update(piece);
    yield piece;
  }
}

class WrittenObject implements WrittenFile {
  private readonly target: StoreTarget;
  private readonly file: FileToMove;
  private readonly path: string;
  /** The time that the object must have; undefined if the store decides. */
  private readonly modifiedMs: number | undefined;

  constructor(target: StoreTarget, file: FileToMove, path: string, modifiedMs: number | undefined) {
    this.target = target;
    this.file = file;
    this.path = path;
    this.modifiedMs = modifiedMs;
  }

  async verify(digests: StreamDigests, signal: AbortSignal, counter: FileBytes): Promise<string> {
    const { client, remote, hash } = this.target;
    try {
      const written = await client.stat(remote, this.path, hash, signal);
      const isChanged = written !== undefined && (await this.keepTime(written, signal));
      const object = isChanged ? await client.stat(remote, this.path, hash, signal) : written;
      if (object?.bytes !== this.file.bytes) throw createStorageError();
      if (hash !== undefined && object.hash === digests.get(hash)) return hash;
      return await this.readBack(digests, signal, counter);
    } catch (error) {
      throw toOperationError('write', error);
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
      throw toOperationError('write', error);
    }
  }

  /**
   * Sets the time if the store didn't take it with the content, unless it would copy an object without a hash that
   * shows whether the copy is right. Resolves to true if the object may have changed.
   */
  private async keepTime({ modifiedMs = NaN, hash }: StoreObject, signal: AbortSignal): Promise<boolean> {
    const { client, remote, keptTimes } = this.target;
    const wantedMs = this.modifiedMs;
    // Some stores count seconds.
    if (wantedMs === undefined || Math.abs(modifiedMs - wantedMs) < 1_000) return false;
    if (keptTimes === 'copied' && hash === undefined) return false;
    await client.setModified(remote, this.path, wantedMs, signal).catch(() => undefined);
    return true;
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
