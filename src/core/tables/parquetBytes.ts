/** A reason for which rows of a Parquet file can't be shown. */
export type RowProblem = 'rowsTooLarge' | 'rowsCompressed' | 'rowsEncoded' | 'rowsDamaged' | 'rowsNamed';

/** Thrown if rows of a Parquet file can't be shown. */
export class RowError extends Error {
  readonly problem: RowProblem;

  constructor(problem: RowProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** A file, of which ranges can be read. */
export interface RangeSource {
  readonly totalBytes: number;
  /** Reads up to `limit` bytes. */
  read(offset: number, limit: number): Promise<Uint8Array>;
}

/** Wraps an error of a source, which isn't one of the file's content. */
export class SourceError extends Error {}

interface KeptRange {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Reads ranges of a file up to a total number of bytes. No byte is read twice. */
export class LimitedSource {
  private readonly source: RangeSource;
  private readonly kept: KeptRange[] = [];
  private restBytes: number;
  /** Number of bytes that must be left for other ranges. */
  reservedBytes = 0;
  /** A range that is read has at least this number of bytes, if they exist and can be read: each takes long. */
  minRangeBytes = 0;

  constructor(source: RangeSource, maxBytes: number) {
    this.source = source;
    this.restBytes = maxBytes;
  }

  get totalBytes(): number {
    return this.source.totalBytes;
  }

  /** The number of bytes that can still be read. */
  get rest(): number {
    return this.restBytes;
  }

  /** Returns the bytes from an offset that were read together. */
  findKept(offset: number): Uint8Array {
    const range = this.kept.find((one) => offset >= one.offset && offset < one.offset + one.bytes.length);
    return range ? range.bytes.subarray(offset - range.offset) : new Uint8Array();
  }

  /**
   * Reads a range, which must be in the file. Throws a {@link RowError} if too much would be read in all, and a
   * {@link SourceError} if the source can't be read.
   */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      let part = this.findKept(offset + done);
      if (part.length === 0) part = await this.readMissing(offset + done, length - done);
      bytes.set(part.subarray(0, length - done), done);
      done += part.length;
    }
    return bytes;
  }

  private async readMissing(offset: number, missing: number): Promise<Uint8Array> {
    const next = Math.min(this.totalBytes, ...this.kept.map((one) => one.offset).filter((start) => start > offset));
    const needed = Math.min(missing, next - offset);
    const allowed = this.restBytes - this.reservedBytes;
    if (needed > allowed) throw new RowError('rowsTooLarge');
    const length = Math.min(Math.max(needed, this.minRangeBytes), next - offset, allowed);
    this.restBytes -= length;
    const bytes = await this.source.read(offset, length).catch((error: unknown) => {
      throw new SourceError('', { cause: error });
    });
    if (bytes.length !== length || length === 0) throw new RowError('rowsDamaged');
    this.kept.push({ offset, bytes });
    return bytes;
  }
}

const maxDepth = 24;

/**
 * Returns the offset after a structure in Thrift's compact protocol, which begins at `start`. Throws a RangeError if it
 * ends early, or claims more elements than it has bytes: readers would allocate memory for them. Throws a
 * {@link RowError} if more bytes don't help.
 */
export function skipStructure(view: DataView, start: number, depth = 0): number {
  if (depth > maxDepth) throw new RowError('rowsDamaged');
  for (let offset = start; ;) {
    const head = view.getUint8(offset++);
    if ((head & 0x0f) === 0) return offset;
    if (head >> 4 === 0) offset = readSize(view, offset).next;
    offset = skipValue(view, offset, head & 0x0f, depth);
  }
}

function skipValue(view: DataView, offset: number, type: number, depth: number): number {
  switch (type) {
    case 1:
    case 2:
      return offset;
    case 3:
      return offset + 1;
    case 4:
    case 5:
    case 6:
      return readSize(view, offset).next;
    case 7:
      return offset + 8;
    case 8:
      return skipBytes(view, offset);
    case 9:
      return skipList(view, offset, depth);
    case 12:
      return skipStructure(view, offset, depth + 1);
    default:
      throw new RowError('rowsDamaged');
  }
}

function skipBytes(view: DataView, offset: number): number {
  const { size, next } = readSize(view, offset);
  if (size > view.byteLength - next) throw new RangeError('too short');
  return next + size;
}

function skipList(view: DataView, offset: number, depth: number): number {
  const head = view.getUint8(offset);
  const long = head >> 4 === 15 ? readSize(view, offset + 1) : { size: head >> 4, next: offset + 1 };
  if (depth > maxDepth || long.size > view.byteLength - long.next) throw new RangeError('too short');
  const type = head & 0x0f;
  let { next } = long;
  for (let count = 0; count < long.size; count++) next = skipValue(view, next, type <= 2 ? 3 : type, depth + 1);
  return next;
}

/** The reader of such numbers doesn't limit their length. */
const maxNumberBytes = 10;

function readSize(view: DataView, offset: number): { readonly size: number; readonly next: number } {
  let size = 0;
  for (let index = 0; index < maxNumberBytes; index++) {
    const byte = view.getUint8(offset + index);
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { size, next: offset + index + 1 };
  }
  throw new RowError('rowsDamaged');
}
