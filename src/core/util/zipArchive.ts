import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

/** A file in a ZIP archive, as described by the archive's directory. */
export interface ZipEntry {
  readonly path: string;
  /** 0 for a stored file, 8 for a deflated one. */
  readonly method: number;
  /** The size according to the archive's directory, which may be wrong. */
  readonly unpackedBytes: number;
  /** The content as stored in the archive, usually compressed. */
  readonly packed: Uint8Array;
}

const inflate = promisify(inflateRaw);

const endSignature = Buffer.from('PK\x05\x06', 'latin1');
const endSize = 22;
const zip64LocatorSize = 20;
const zip64LocatorSignature = 0x07064b50;
const entrySignature = 0x02014b50;

/**
 * Lists the files in a ZIP archive's directory. Throws a `RangeError` if the archive is damaged or in the ZIP64 format,
 * which has a second directory.
 */
export function listZipEntries(bytes: Uint8Array): readonly ZipEntry[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = archive.length < endSize ? -1 : archive.lastIndexOf(endSignature, archive.length - endSize);
  if (end < 0) throw new RangeError('no directory');
  if (end >= zip64LocatorSize && archive.readUInt32LE(end - zip64LocatorSize) === zip64LocatorSignature)
    throw new RangeError('a second directory');
  const entries: ZipEntry[] = [];
  let position = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 8); left > 0; left -= 1) {
    entries.push(readEntry(archive, position));
    position += 46 + archive.readUInt16LE(position + 28) + countExtraBytes(archive, position);
  }
  return entries;
}

function countExtraBytes(archive: Buffer, position: number): number {
  return archive.readUInt16LE(position + 30) + archive.readUInt16LE(position + 32);
}

function readEntry(archive: Buffer, position: number): ZipEntry {
  if (archive.readUInt32LE(position) !== entrySignature) throw new RangeError('damaged directory');
  const pathStart = position + 46;
  const local = archive.readUInt32LE(position + 42);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  return {
    path: archive.toString('utf8', pathStart, pathStart + archive.readUInt16LE(position + 28)),
    method: archive.readUInt16LE(position + 10),
    unpackedBytes: archive.readUInt32LE(position + 24),
    packed: archive.subarray(start, start + archive.readUInt32LE(position + 20)),
  };
}

/**
 * Unpacks a file from an archive. Resolves to undefined if a deflated file is larger than the archive's directory
 * indicates. Rejects with zlib's error if the file is damaged.
 */
export async function unpackZipEntry({ method, packed, unpackedBytes }: ZipEntry): Promise<Uint8Array | undefined> {
  if (method !== deflated) return packed;
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, unpackedBytes) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

const deflated = 8;
