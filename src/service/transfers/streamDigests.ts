import { createHash, type Hash } from 'node:crypto';

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
