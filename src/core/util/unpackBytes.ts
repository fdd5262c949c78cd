import * as zlib from 'node:zlib';
import { unpackSnappy } from './unpackSnappy.ts';

type Unpack = (bytes: Uint8Array, maxBytes: number, isWhole: boolean) => Uint8Array;

interface UnpackLimits {
  readonly maxOutputLength: number;
  readonly finishFlush: number | undefined;
}

// Not every version of Node.js has Zstandard.
const { gunzipSync, brotliDecompressSync, zstdDecompressSync, constants } = zlib as Partial<typeof zlib>;
const formats: Readonly<Record<string, Unpack | undefined>> = {
  GZIP: adaptUnpack(gunzipSync, constants?.Z_SYNC_FLUSH),
  BROTLI: adaptUnpack(brotliDecompressSync, constants?.BROTLI_OPERATION_FLUSH),
  ZSTD: adaptUnpack(zstdDecompressSync, constants?.ZSTD_e_flush),
  SNAPPY: unpackSnappy,
};

function adaptUnpack(
  unpack: ((bytes: Uint8Array, options: UnpackLimits) => Uint8Array) | undefined,
  flush: number | undefined,
): Unpack | undefined {
  // With the flag, the end of a beginning is no error.
  return (
    unpack &&
    ((bytes, maxOutputLength, isWhole) => unpack(bytes, { maxOutputLength, finishFlush: isWhole ? undefined : flush }))
  );
}

/**
 * Unpacks bytes of a format such as `GZIP`; if they are only a beginning (`isWhole` is false), as far as they go. Returns
 * undefined if this program can't read the format. Throws an error if they are damaged, and a RangeError if they have
 * more than a number of bytes.
 */
export function unpackBytes(
  bytes: Uint8Array,
  format: string,
  maxBytes: number,
  isWhole: boolean,
): Uint8Array | undefined {
  const unpack = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return unpack && new Uint8Array(unpack(bytes, maxBytes, isWhole));
}
