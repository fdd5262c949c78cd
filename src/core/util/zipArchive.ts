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
const locatorSize = 20;
const locatorSignature = 0x07064b50;
const entrySignature = 0x02014b50;

/** Lists the files in the directory of a ZIP or ZIP64 archive. Throws a `RangeError` if the archive is damaged. */
export function listZipEntries(bytes: Uint8Array): readonly ZipEntry[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = findDirectory(archive);
  const entries: ZipEntry[] = [];
  let { position } = directory;
  for (let left = directory.entryCount; left > 0; left -= 1) {
    entries.push(readEntry(archive, position));
    position += 46 + archive.readUInt16LE(position + 28) + countExtraBytes(archive, position);
  }
  return entries;
}

function findDirectory(archive: Buffer): { readonly position: number; readonly entryCount: number } {
  const end = archive.length < endSize ? -1 : archive.lastIndexOf(endSignature, archive.length - endSize);
  if (end < 0) throw new RangeError('no directory');
  const locator = end - locatorSize;
  if (locator < 0 || archive.readUInt32LE(locator) !== locatorSignature)
    return { position: archive.readUInt32LE(end + 16), entryCount: archive.readUInt16LE(end + 8) };
  const end64 = readLong(archive, locator + 8);
  return { position: readLong(archive, end64 + 48), entryCount: readLong(archive, end64 + 32) };
}

function readLong(archive: Buffer, position: number): number {
  return Number(archive.readBigUInt64LE(position));
}

function countExtraBytes(archive: Buffer, position: number): number {
  return archive.readUInt16LE(position + 30) + archive.readUInt16LE(position + 32);
}

function readEntry(archive: Buffer, position: number): ZipEntry {
  if (archive.readUInt32LE(position) !== entrySignature) throw new RangeError('damaged directory');
  const pathStart = position + 46;
  const pathEnd = pathStart + archive.readUInt16LE(position + 28);
  const [unpackedBytes = 0, packedBytes = 0, local = 0] = readSizes(archive, position, pathEnd);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  return {
    path: archive.toString('utf8', pathStart, pathEnd),
    method: archive.readUInt16LE(position + 10),
    unpackedBytes,
    packed: archive.subarray(start, start + packedBytes),
  };
}

/**
 * Returns the unpacked size, the packed size and the position of a file. Those that need more than 32 bits are in a
 * field after the file's path, in this order.
 */
function readSizes(archive: Buffer, position: number, pathEnd: number): readonly number[] {
  let long = findLongSizes(archive, pathEnd, pathEnd + archive.readUInt16LE(position + 30));
  return [24, 20, 42].map((offset) => {
    const size = archive.readUInt32LE(position + offset);
    if (size !== isLong) return size;
    long += 8;
    return readLong(archive, long - 8);
  });
}

const isLong = 0xffffffff;
const longSizesId = 1;

function findLongSizes(archive: Buffer, from: number, end: number): number {
  let position = from;
  while (position < end && archive.readUInt16LE(position) !== longSizesId)
    position += 4 + archive.readUInt16LE(position + 2);
  return position + 4;
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
