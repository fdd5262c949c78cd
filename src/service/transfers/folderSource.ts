import * as fs from 'node:fs';
import { BadFile, OperationError, runOperation, type FileToMove } from './fileJobs.ts';
import type { MoveSource } from './moveSides.ts';
import { SourceFiles, type OpenFile, type StreamDigests } from './openFiles.ts';

const changed = 'it changed after it was hashed';
const pieceBytes = 256 * 1024;

/** Reads the files of a served folder. */
export class FolderSource implements MoveSource {
  private readonly files: SourceFiles;

  constructor(folder: string) {
    this.files = runOperation('read', () => new SourceFiles(folder));
  }

  getHashName(): undefined {
    return undefined;
  }

  async findModified({ modifiedMs }: FileToMove): Promise<number | undefined> {
    return await Promise.resolve(modifiedMs);
  }

  open({ path }: FileToMove, work: (opened: OpenFile) => void): void {
    runOperation('read', () => this.files.open(path, work));
  }

  async *read({ path, bytes }: FileToMove, from: number): AsyncGenerator<Buffer> {
    const { file: opened } = runOperation('read', () => this.files.openFile(path));
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
  async verify({ sha256 }: FileToMove, digests: StreamDigests): Promise<undefined> {
    if (digests.sha256 !== sha256) throw new OperationError('copy', new BadFile(changed));
    await Promise.resolve();
    return undefined;
  }
}
