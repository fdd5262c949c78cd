import * as fs from 'node:fs';
import type { StoreClient } from '../stores/storeClient.ts';
import type { FileToCarry } from './carryJob.ts';
import { BadFile, OperationError, runOperation } from './fileProcessing.ts';
import { SourceFiles } from './sourceFiles.ts';
import type { StreamDigests } from './streamDigests.ts';

/** Reads a job's files and verifies their content. */
export interface CarrySource {
  /** Fetches small files together in advance, if that is faster. Never rejects. */
  fetch?(files: readonly FileToCarry[], signal: AbortSignal): Promise<void>;
  /** Returns the algorithm of the source's hash for a file; undefined if the source provides none. */
  getHashName(file: FileToCarry): string | undefined;
  /**
   * Moves a file's fetched copy to a path. Returns false if there is no such copy on the same file system, or if {@link
   * verify} can't compare it with a hash from the source; the caller must then read the file.
   */
  moveFetched?(file: FileToCarry, path: string): boolean;
  /**
   * Reads a file, starting at an offset. Throws {@link OperationError}, for example if the size of the file has
   * changed.
   */
  read(file: FileToCarry, from: number, signal: AbortSignal): AsyncIterable<Buffer>;
  /**
   * Compares the content that was read with the source's hash. Returns the hash algorithm; undefined if there is no
   * independent hash. Throws {@link OperationError} if they differ.
   */
  verify(file: FileToCarry, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined>;
}

const changed = 'it changed after it was hashed';
const pieceBytes = 256 * 1024;

/** Reads the files of a served folder. */
export class FolderSource implements CarrySource {
  private readonly files: SourceFiles;

  constructor(folder: string) {
    this.files = runOperation('read', () => new SourceFiles(folder));
  }

  getHashName(): undefined {
    return undefined;
  }

  async *read({ path, bytes }: FileToCarry, from: number): AsyncGenerator<Buffer> {
    const opened = runOperation('read', () => this.files.openFile(path));
    try {
      for (let offset = from; ;) {
        // Pieces are sent later, so each one needs its own memory.
        const piece = Buffer.allocUnsafe(pieceBytes);
        const count = runOperation('read', () => fs.readSync(opened, piece, 0, pieceBytes, offset));
        offset += count;
        if (offset > bytes || (count === 0 && offset < bytes)) throw new OperationError('copy', new BadFile(changed));
        if (count === 0) return;
        yield piece.subarray(0, count);
      }
    } finally {
      fs.closeSync(opened);
    }
  }

  /**
   * Compares the content with the staged hash. Returns undefined, because that hash was computed from the same file and
   * is not an independent check.
   */
  async verify({ sha256 }: FileToCarry, digests: StreamDigests): Promise<undefined> {
    if (digests.sha256 !== sha256) throw new OperationError('copy', new BadFile(changed));
    await Promise.resolve();
    return undefined;
  }
}

/** Reads files from a store one by one. */
export class StoreSource implements CarrySource {
  private readonly client: StoreClient;
  private readonly remote: string;
  private readonly hash: string | undefined;

  constructor(client: StoreClient, remote: string, hash: string | undefined) {
    this.client = client;
    this.remote = remote;
    this.hash = hash;
  }

  getHashName({ declared }: FileToCarry): string | undefined {
    return declared?.algorithm ?? this.hash;
  }

  async *read({ path, bytes }: FileToCarry, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
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
      throw new OperationError('read', error);
    }
  }

  async verify(file: FileToCarry, digests: StreamDigests, signal: AbortSignal): Promise<string | undefined> {
    const { declared, path } = file;
    if (declared !== undefined) return compareHash(declared.algorithm, declared.hex, digests);
    if (this.hash === undefined) return undefined;
    try {
      const object = await this.client.stat(this.remote, path, this.hash, signal);
      return compareHash(this.hash, object?.hash, digests);
    } catch (error) {
      throw error instanceof OperationError ? error : new OperationError('read', error);
    }
  }
}

/**
 * Compares the content that was read with a hash. Returns the algorithm; undefined if `hex` is missing. Throws an
 * {@link OperationError} for `copy` if they differ.
 */
export function compareHash(algorithm: string, hex: string | undefined, digests: StreamDigests): string | undefined {
  if (hex === undefined) return undefined;
  if (digests.get(algorithm) === hex) return algorithm;
  throw new OperationError('copy', new BadFile(`it does not have the ${algorithm} hash that the store listed for it`));
}
