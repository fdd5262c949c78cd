import { constants, createGunzip } from 'node:zlib';

/** The beginning of a file's content. */
export interface Beginning {
  readonly bytes: Uint8Array;
  /** True if the file has no more. */
  readonly isWhole: boolean;
}

/**
 * Unpacks the beginning of a file that gzip or bgzip wrote, up to a number of bytes, whatever the file claims. Resolves to
 * what precedes any damage, or to undefined if that is nothing.
 */
export async function unpackBeginning({ bytes, isWhole }: Beginning, maxBytes: number): Promise<Beginning | undefined> {
  // The flush accepts a file whose end is missing.
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks: Buffer[] = [];
  let size = 0;
  let isComplete = isWhole;
  try {
    stream.end(bytes);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    if (size === 0) return undefined;
    isComplete = false;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: isComplete && size <= maxBytes };
}
