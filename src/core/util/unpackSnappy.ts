interface BlockReader {
  readonly block: Buffer;
  offset: number;
}

/** Unpacks a block of raw Snappy. Throws a RangeError if it is damaged, or has more than a number of bytes. */
export function unpackSnappy(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const reader = { block: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  const size = readSize(reader);
  if (size > maxBytes) throw new RangeError('too large');
  const output = new Uint8Array(size);
  for (let length = 0; length < size;) {
    const tag = readNumber(reader, 1);
    length += (tag & 3) === 0 ? addLiteral(reader, tag, output, length) : addCopy(reader, tag, output, length);
  }
  if (reader.offset !== bytes.length) throw new RangeError('too long');
  return output;
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

function readNumber(reader: BlockReader, bytes: number): number {
  // Throws a RangeError after the end of the block.
  const value = reader.block.readUIntLE(reader.offset, bytes);
  reader.offset += bytes;
  return value;
}

function addLiteral(reader: BlockReader, tag: number, output: Uint8Array, start: number): number {
  const code = tag >> 2;
  const length = 1 + (code < 60 ? code : readNumber(reader, code - 59));
  const end = reader.offset + length;
  if (end > reader.block.length || length > output.length - start) throw new RangeError('too long');
  output.set(reader.block.subarray(reader.offset, end), start);
  reader.offset = end;
  return length;
}

function addCopy(reader: BlockReader, tag: number, output: Uint8Array, start: number): number {
  const isShort = (tag & 3) === 1;
  const length = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
  const distance = isShort ? (tag >> 5) * 256 + readNumber(reader, 1) : readNumber(reader, (tag & 3) === 2 ? 2 : 4);
  if (distance === 0 || distance > start || length > output.length - start) throw new RangeError('outside');
  // The bytes may overlap their copy, so that they are repeated.
  for (let index = start; index < start + length; index++) output[index] = output[index - distance] ?? 0;
  return length;
}
