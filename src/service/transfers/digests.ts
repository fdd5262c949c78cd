import { createHash, hash } from 'node:crypto';
import * as fs from 'node:fs';
import type { JobSign } from './fileJobs.ts';
import { readThrough } from './fileWork.ts';

/** Hex digests of one reading of a file, and how much was read. */
interface Digests {
  readonly sha256: string;
  /** Of the algorithm that was also asked for. */
  readonly other?: string;
  readonly bytes: number;
}

/** Up to this size a file is read in one piece, which takes half the time. */
const smallBytes = 256 * 1024;
const small = Buffer.allocUnsafeSlow(smallBytes);

/** Digests an open file that should have so many bytes, from its beginning; `other` names a second algorithm. */
export function digestFile(file: number, expectedBytes: number, sign: JobSign, other?: string): Digests {
  const count = fs.readSync(file, small, 0, smallBytes, 0);
  if (count < smallBytes) {
    const piece = small.subarray(0, count);
    // A file that grows is read short of its end here; its size, looked at again, tells.
    return { sha256: hash('sha256', piece), bytes: count, ...(other !== undefined && { other: hash(other, piece) }) };
  }
  const digest = createHash('sha256').update(small);
  const second = other === undefined ? undefined : createHash(other).update(small);
  let bytes = count;
  readThrough(file, { from: smallBytes, expectedBytes }, sign, (piece) => {
    digest.update(piece);
    second?.update(piece);
    bytes += piece.length;
  });
  return { sha256: digest.digest('hex'), bytes, ...(second && { other: second.digest('hex') }) };
}
