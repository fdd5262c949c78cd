import { addRemoteOptions, joinRemotePath } from '../../core/util/remote.ts';
import { getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import { StoreBatches } from '../stores/storeBatches.ts';
import type { StoreClient, StoreObject } from '../stores/storeClient.ts';
import { hasPlainName, type BatchFolder } from './batchFolder.ts';
import type { CarryJob, CopyVerification, FileToCarry } from './carryJob.ts';
import { compareHash, readBackMethod, StoreSource, type BatchResult } from './carrySource.ts';
import type { DoneFile } from './fileJobs.ts';
import { StreamDigests } from './digests.ts';

interface TransferTarget {
  readonly remote: string;
  readonly transferId: string;
  /**
   * Name of the folder for the unfinished objects of one run. Each run has its own folder, so that a delayed removal
   * from an earlier run does not affect a later one. The batches of a run share the folder, because rclone opens at
   * most ten connections per second to an SFTP server and keeps a folder's connections open.
   */
  readonly attempt: string;
}

/**
 * Manages the unfinished objects of one batch. Until they are renamed, they stay in a folder that catalogs do not show.
 */
export class UnfinishedObjects {
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
  async rename(files: readonly FileToCarry[]): Promise<ReadonlySet<FileToCarry>> {
    if (files.length === 0) return new Set();
    const paths = files.map(({ path }) => path);
    await this.batches.rename(this.place, this.finalPlace, this.folder.createList(paths));
    const objects = await this.batches.describe(this.finalPlace, this.folder.createLists(paths), undefined);
    return new Set(files.filter(({ path, bytes }) => objects.get(path)?.bytes === bytes));
  }

  private get finalPlace(): string {
    return joinRemotePath(this.target.remote, getTransferFolderName(this.target.transferId));
  }
}

/**
 * Maximum size of a copy that is verified by a hash. A larger object may be copied in parts; its hash may then come
 * from metadata that the uploader set and the copy inherits.
 */
const maxHashedBytes = 4 * 1024 ** 3;

interface CopiedFile {
  readonly file: FileToCarry;
  readonly done: DoneFile;
}

/**
 * Has a store copy objects itself, so that their content does not pass through this machine. Copies are verified by
 * comparing the store's hashes of both objects, or by reading both (D66: copies within a store).
 */
export class StoreCopy {
  private readonly files: readonly FileToCarry[];
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
    job: CarryJob,
    verification: CopyVerification,
    client: StoreClient,
    folder: BatchFolder,
    signal: AbortSignal,
  ) {
    const { source, destination, transferId, attempt } = job;
    // Copying an empty object here saves nothing, and some names can't be in a list for rclone.
    this.files = job.files.filter(({ path, bytes }) => bytes > 0 && hasPlainName(path));
    this.client = client;
    this.source = source.location.remote ?? '';
    this.destination = destination.location.remote ?? '';
    this.hash = verification.hasOwnHashes ? destination.hash : undefined;
    this.verification = verification;
    this.transferFolder = getTransferFolderName(transferId);
    this.folder = folder.createSubfolder();
    this.signal = signal;
    this.batches = new StoreBatches(client, signal);
    const target = { remote: this.destination, transferId, attempt };
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

  /** Returns the files that the store has copied correctly. */
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

  /** Describes the original objects whose hashes are not in the catalog. */
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
    file: FileToCarry,
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
  private async compareContent(file: FileToCarry): Promise<DoneFile | undefined> {
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
