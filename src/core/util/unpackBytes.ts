import * as zlib from 'node:zlib';
import { unpackSnappy } from './unpackSnappy.ts';

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

// Not every version of Node.js has Zstandard.
const { gunzipSync, brotliDecompressSync, zstdDecompressSync } = zlib as Partial<typeof zlib>;
const formats: Readonly<Record<string, Unpack | undefined>> = {
  GZIP: gunzipSync,
  BROTLI: brotliDecompressSync,
  ZSTD: zstdDecompressSync,
  SNAPPY: (bytes, { maxOutputLength }) => unpackSnappy(bytes, maxOutputLength),
};

/**
 * Unpacks bytes of a format such as `GZIP`. Returns undefined if this program can't read the format. Throws an error if
 * they are damaged, or have more than a number of bytes.
 */
export function unpackBytes(bytes: Uint8Array, format: string, maxBytes: number): Uint8Array | undefined {
  const unpack = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return unpack && Uint8Array.from(unpack(bytes, { maxOutputLength: maxBytes }));
}
