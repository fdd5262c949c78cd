import { createHash, hash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import type { FileBytes } from './fileBytes.ts';
import { readPieces, type JobSignal } from './fileJobs.ts';

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

/** Computes one or more digests of a stream. */
export class StreamDigests {
  /** Number of bytes processed so far. */
  bytes = 0;
  private readonly hashes: ReadonlyMap<string, Hash>;
  private readonly results = new Map<string, string>();

  /** Creates digests for SHA-256 and for the given algorithms. Ignores undefined entries. */
  constructor(algorithms: readonly (string | undefined)[]) {
    const names = new Set(['sha256', ...algorithms.flatMap((name) => name ?? [])]);
    this.hashes = new Map([...names].map((name) => [name, createHash(name)]));
  }

  update(piece: Buffer): void {
    this.bytes += piece.length;
    for (const hash of this.hashes.values()) hash.update(piece);
  }

  /** Returns a digest in hex; undefined if the algorithm was not requested. Do not call {@link update} afterwards. */
  get(algorithm: string): string | undefined {
    const known = this.results.get(algorithm) ?? this.hashes.get(algorithm)?.digest('hex');
    if (known !== undefined) this.results.set(algorithm, known);
    return known;
  }

  get sha256(): string {
    return this.get('sha256') ?? '';
  }
}
