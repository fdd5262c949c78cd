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
