interface BlockReader {
  readonly block: Buffer;
  readonly isWhole: boolean;
  offset: number;
}

/** The shortest element has 64 bytes in 3. */
const maxExpansion = 22;

/**
 * Unpacks a block of raw Snappy; if `bytes` are only its beginning (`isWhole` is false), as far as they go and up to
 * `maxBytes`. Throws a RangeError if they are damaged, or if a whole block has more than `maxBytes` bytes.
 */
export function unpackSnappy(bytes: Uint8Array, maxBytes: number, isWhole: boolean): Uint8Array {
  const reader = { block: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), isWhole, offset: 0 };
  if (!isWhole && !bytes.some((byte) => byte < 0x80)) return new Uint8Array();
  const size = readSize(reader);
  if (isWhole && size > maxBytes) throw new RangeError('too large');
  const output = new Uint8Array(Math.min(size, maxBytes, bytes.length * maxExpansion));
  const length = addElements(reader, output);
  if (isWhole && (length < size || reader.offset !== bytes.length)) throw new RangeError('of another length');
  return output.subarray(0, length);
}

function addElements(reader: BlockReader, output: Uint8Array): number {
  let length = 0;
  while (length < output.length && hasElement(reader)) {
    const tag = readNumber(reader, 1);
    length += (tag & 3) === 0 ? addLiteral(reader, tag, output, length) : addCopy(reader, tag, output, length);
  }
  return length;
}

function readSize(reader: BlockReader): number {
  let size = 0;
  for (let index = 0; index < 5; index++) {
    const byte = readNumber(reader, 1);
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return size;
  }
  throw new RangeError('too large');
}

function hasElement({ block, isWhole, offset }: BlockReader): boolean {
  const tag = block[offset];
  // The end of a whole block is an error where its elements are read.
  if (isWhole || tag === undefined) return isWhole;
  const numberBytes = (tag & 3) === 0 ? Math.max(0, (tag >> 2) - 59) : [0, 1, 2, 4][tag & 3];
  return offset + 1 + (numberBytes ?? 0) <= block.length;
}

function readNumber(reader: BlockReader, bytes: number): number {
  // Throws a RangeError after the end of the block.
  const value = reader.block.readUIntLE(reader.offset, bytes);
  reader.offset += bytes;
  return value;
}

function addLiteral(reader: BlockReader, tag: number, output: Uint8Array, start: number): number {
  const code = tag >> 2;
  const length = limitLength(reader, 1 + (code < 60 ? code : readNumber(reader, code - 59)), output.length - start);
  const literal = reader.block.subarray(reader.offset, reader.offset + length);
  if (reader.isWhole && literal.length < length) throw new RangeError('too long');
  output.set(literal, start);
  reader.offset += length;
  return literal.length;
}

function addCopy(reader: BlockReader, tag: number, output: Uint8Array, start: number): number {
  const isShort = (tag & 3) === 1;
  const length = limitLength(reader, isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1, output.length - start);
  const distance = isShort ? (tag >> 5) * 256 + readNumber(reader, 1) : readNumber(reader, (tag & 3) === 2 ? 2 : 4);
  if (distance === 0 || distance > start) throw new RangeError('outside');
  // The bytes may overlap their copy, so that they are repeated.
  for (let index = start; index < start + length; index++) output[index] = output[index - distance] ?? 0;
  return length;
}

function limitLength({ isWhole }: BlockReader, length: number, maxLength: number): number {
  if (length <= maxLength) return length;
  if (isWhole) throw new RangeError('too long');
  return maxLength;
}
