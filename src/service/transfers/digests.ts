import { createHash, hash } from 'node:crypto';
import * as fs from 'node:fs';
import type { FileBytes } from './fileBytes.ts';
import type { JobSignal } from './fileJobs.ts';
import { readPieces } from './fileProcessing.ts';

interface Digests {
  readonly sha256: string;
  /** Digest computed with the second algorithm, if one was requested. */
  readonly other?: string;
  readonly bytes: number;
}

/** Size in bytes below which a file is read in one call. This is twice as fast as reading it piece by piece. */
const smallBytes = 256 * 1024;
const smallBuffer = Buffer.allocUnsafeSlow(smallBytes);

interface DigestOptions {
  /** A second algorithm. */
  readonly other?: string | undefined;
  /** Counts the bytes that are read. */
  readonly counter?: FileBytes | undefined;
}

/** Computes the digests of an open file, which must have the expected size. */
export function digestFile(
  file: number,
  expectedBytes: number,
  signal: JobSignal,
  { other, counter }: DigestOptions = {},
): Digests {
  const count = fs.readSync(file, smallBuffer, 0, smallBytes, 0);
  counter?.addRead(count);
  if (count < smallBytes) {
    const piece = smallBuffer.subarray(0, count);
    // A growing file is read only partially; the caller compares its size or its digest.
    return { sha256: hash('sha256', piece), bytes: count, ...(other !== undefined && { other: hash(other, piece) }) };
  }
  const digest = createHash('sha256').update(smallBuffer);
  const second = other === undefined ? undefined : createHash(other).update(smallBuffer);
  let bytes = count;
  readPieces(file, { from: smallBytes, expectedBytes }, signal, (piece) => {
    digest.update(piece);
    second?.update(piece);
    bytes += piece.length;
    counter?.addRead(piece.length);
  });
  return { sha256: digest.digest('hex'), bytes, ...(second && { other: second.digest('hex') }) };
}
