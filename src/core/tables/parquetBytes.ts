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

/** Reads ranges of a file up to a total number of bytes, and keeps the last range. */
export class LimitedSource {
  private readonly source: RangeSource;
  private restBytes: number;
  private kept = { offset: 0, bytes: new Uint8Array() };

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

  /** Reads a range, which must be in the file. Throws a {@link RowError} if too much would be read in all. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const { kept } = this;
    const from = offset - kept.offset;
    if (from >= 0 && from + length <= kept.bytes.length) return kept.bytes.subarray(from, from + length);
    if (length > this.restBytes) throw new RowError('rowsTooLarge');
    this.restBytes -= length;
    const bytes = Uint8Array.from(await this.source.read(offset, length));
    if (bytes.length !== length) throw new RowError('rowsDamaged');
    this.kept = { offset, bytes };
    return bytes;
  }
}

const maxDepth = 24;

/**
 * Returns the offset after a structure in Thrift's compact protocol, which begins at `start`. Throws a RangeError if it
 * ends early, or claims more elements than it has bytes: readers would allocate memory for them.
 */
export function skipStructure(view: DataView, start: number, depth = 0): number {
  if (depth > maxDepth) throw new RangeError('too deep');
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
      throw new RangeError('unknown type');
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
  throw new RangeError('too long');
}
