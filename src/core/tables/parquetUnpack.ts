import { unpackBytes } from '../util/unpackBytes.ts';
import { RowError } from './parquetBytes.ts';

/** Maximum number of bytes of an unpacked page, whatever its header claims. */
export const maxPageBytes = 8 * 1024 * 1024;

/** Limits what all pages of a file may claim together: some bytes can stand for millions of values. */
export class WorkLimit {
  private restUnits = 2 ** 28;

  /** Takes some of the work, of which a byte that is unpacked is a unit. Throws a {@link RowError} if it is too much. */
  take(units: number): void {
    this.restUnits -= units;
    if (this.restUnits < 0) throw new RowError('rowsTooLarge');
  }
}

/** Unpacks pages of a column. */
export class PageUnpacker {
  private readonly codec: string;
  private readonly work: WorkLimit;

  constructor(codec: string, work: WorkLimit) {
    this.codec = codec;
    this.work = work;
  }

  /**
   * Returns the number of packed bytes after which more can be unpacked than from `bytes`, which are the beginning of a
   * page; undefined if that isn't known. Zstandard unpacks only whole blocks with compressed bytes, and states their sizes.
   */
  findNextEnd(bytes: Uint8Array): number | undefined {
    const flags = bytes[frameMagicBytes];
    if (this.codec !== 'ZSTD' || flags === undefined) return undefined;
    for (let offset = getBlockStart(flags); ;) {
      if (offset + blockHeaderBytes > bytes.length) return offset + blockHeaderBytes;
      const header = readBlockHeader(bytes, offset);
      offset += blockHeaderBytes + header.bytes;
      if (offset > bytes.length) return header.isPlain ? undefined : offset + blockHeaderBytes;
    }
  }

  /**
   * Unpacks a page of `size` bytes, as far as `bytes` go if they are only its beginning (`isWhole` is false). Throws a
   * {@link RowError} if more bytes don't help.
   */
  unpack(bytes: Uint8Array, size: number, isWhole: boolean): Uint8Array {
    if (this.codec === 'UNCOMPRESSED') return bytes;
    if (size === 0) return new Uint8Array();
    const unpacked = this.unpackPart(bytes, size, isWhole);
    if (!unpacked) throw new RowError('rowsCompressed');
    this.work.take(unpacked.length);
    if (isWhole && unpacked.length !== size) throw new RowError('rowsDamaged');
    return unpacked;
  }

  private unpackPart(bytes: Uint8Array, size: number, isWhole: boolean): Uint8Array | undefined {
    const maxBytes = Math.min(size, maxPageBytes);
    try {
      return unpackBytes(bytes, this.codec, maxBytes, isWhole);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.work.take(maxBytes);
      throw new RowError(size <= maxPageBytes ? 'rowsDamaged' : 'rowsTooLarge');
    }
  }
}

const [frameMagicBytes, blockHeaderBytes] = [4, 3];

function getBlockStart(flags: number): number {
  const hasOneSegment = (flags & 0x20) !== 0;
  const sizeBytes = [hasOneSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  return frameMagicBytes + 1 + (hasOneSegment ? 0 : 1) + ([0, 1, 2, 4][flags & 3] ?? 0) + sizeBytes;
}

interface BlockHeader {
  readonly bytes: number;
  readonly isPlain: boolean;
}

function readBlockHeader(bytes: Uint8Array, offset: number): BlockHeader {
  const [first = 0, second = 0, third = 0] = bytes.subarray(offset, offset + blockHeaderBytes);
  const type = (first & 6) >> 1;
  const size = (first + second * 2 ** 8 + third * 2 ** 16) >> 3;
  // The second type has a single byte, which is repeated.
  return { bytes: type === 1 ? 1 : size, isPlain: type === 0 };
}
