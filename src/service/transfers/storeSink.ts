import { randomBytes } from 'node:crypto';
import type { StoreClient } from '../stores/storeClient.ts';
import { StoreError } from '../stores/storeError.ts';
import {
  readBackMethod,
  type BatchResult,
  type CarriedContent,
  type CarrySink,
  type WrittenFile,
} from './carrySink.ts';
import type { CarryJob, FileToCarry } from './carryJob.ts';
import { BatchUpload } from './batchUpload.ts';
import type { FileBytes } from './fileBytes.ts';
import { OperationError } from './fileProcessing.ts';
import { StreamDigests } from './streamDigests.ts';
import { chooseUploadRemote } from './uploadRemote.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';

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
