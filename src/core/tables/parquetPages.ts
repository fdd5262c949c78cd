import { assembleLists } from 'hyparquet/src/assemble.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import type { DataReader, DecodedArray, PageHeader, SchemaTree } from 'hyparquet';
import { unpackBytes } from '../util/unpackBytes.ts';
import { createConverter, type RawValue } from './parquetCells.ts';
import { RowError, skipStructure } from './parquetBytes.ts';

/** Maximum number of bytes of an unpacked page, whatever its header claims. */
const maxPageBytes = 8 * 1024 * 1024;
/** Maximum number of values in a page, whatever its header claims. */
const maxPageValues = 2 ** 21;
/** Maximum number of values of a column that are converted, because rows may have lists of any length. */
const maxShownValues = 100_000;
const maxBlockValues = 2 ** 20;
const maxBlockParts = 4096;
const maxNumberBytes = 10;

/** Returns the header of the page at an offset, and the offset of its content. Throws a RangeError if it ends early. */
export function readPageHeader(
  view: DataView,
  offset: number,
): { readonly header: PageHeader; readonly start: number } {
  const start = skipStructure(view, offset);
  const header = parquetHeader({ view, offset });
  const sizes = [header.compressed_page_size, header.uncompressed_page_size];
  if (sizes.some((size) => !Number.isInteger(size) || size < 0)) throw new RowError('rowsDamaged');
  if (header.uncompressed_page_size > maxPageBytes) throw new RowError('rowsTooLarge');
  return { header, start };
}

/** Reads the first rows of a column from its pages, in order. */
export class ColumnPages {
  private readonly path: readonly SchemaTree[];
  private readonly codec: string;
  private readonly maxRows: number;
  private readonly levels: { readonly definition: number; readonly repetition: number };
  private dictionary: DecodedArray | undefined;
  private assembled: unknown[] = [];
  private valueCount = 0;

  /** `path` begins with the root of the schema. Of each page, up to `maxRows` are read. */
  constructor(path: readonly SchemaTree[], codec: string, maxRows: number) {
    this.path = path;
    this.maxRows = maxRows;
    this.codec = codec;
    const all = [...path];
    this.levels = { definition: getMaxDefinitionLevel(all), repetition: getMaxRepetitionLevel(all) };
  }

  /** The rows that were read; the last one may be incomplete if the column has repeated values. */
  get rows(): readonly unknown[] {
    return this.assembled;
  }

  /** The number of rows that are complete even if there are more pages. */
  get completeRows(): number {
    return this.levels.repetition > 0 ? this.assembled.length - 1 : this.assembled.length;
  }

  /** Adds a page. `bytes` is its content, as it is stored. */
  add(header: PageHeader, bytes: Uint8Array): void {
    const { dictionary_page_header: dictionary, data_page_header: first, data_page_header_v2: second } = header;
    if (header.type === 'DICTIONARY_PAGE' && dictionary) {
      const reader = createReader(unpack(bytes, header.uncompressed_page_size, this.codec));
      this.dictionary = this.readPlainValues(reader, checkCount(dictionary.num_values));
    } else if (header.type === 'DATA_PAGE' && first) {
      const reader = createReader(unpack(bytes, header.uncompressed_page_size, this.codec));
      const repetitions = this.readLevels(reader, this.levels.repetition, checkCount(first.num_values));
      const definitions = this.readLevels(reader, this.levels.definition, this.countDefinitions(first, repetitions));
      this.addValues(reader, first, repetitions, definitions);
    } else if (header.type === 'DATA_PAGE_V2' && second) this.addSecond(header, second, bytes);
  }

  private addSecond(
    { uncompressed_page_size: size }: PageHeader,
    page: NonNullable<PageHeader['data_page_header_v2']>,
    bytes: Uint8Array,
  ): void {
    const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } = page;
    const levelBytes = repetitionBytes + definitionBytes;
    if (repetitionBytes < 0 || definitionBytes < 0 || levelBytes > Math.min(bytes.length, size))
      throw new RowError('rowsDamaged');
    const count = checkCount(page.num_values);
    const { definition, repetition } = this.levels;
    const levels = createReader(bytes.subarray(0, levelBytes));
    const repetitions = repetition > 0 ? readRuns(levels, getWidth(repetition), count) : [];
    levels.offset = repetitionBytes;
    const needed = this.countDefinitions(page, repetitions);
    const definitions = definition > 0 ? readRuns(levels, getWidth(definition), needed) : [];
    const rest = bytes.subarray(levelBytes);
    const isPacked = page.is_compressed !== false;
    const reader = createReader(isPacked ? unpack(rest, size - levelBytes, this.codec) : rest);
    this.addValues(reader, page, repetitions, definitions);
  }

  private readLevels(reader: DataReader, maxLevel: number, count: number): number[] {
    if (maxLevel === 0) return [];
    const end = reader.offset + 4 + reader.view.getUint32(reader.offset, true);
    reader.offset += 4;
    const levels = readRuns(reader, getWidth(maxLevel), count);
    reader.offset = end;
    return levels;
  }

  private countWanted(count: number, repetitions: readonly number[]): number {
    return this.levels.repetition > 0 ? findEnd(repetitions, this.maxRows) : Math.min(count, this.maxRows);
  }

  private countDefinitions({ num_values: count, encoding }: ValueHeader, repetitions: readonly number[]): number {
    return isJoint(encoding) ? count : this.countWanted(count, repetitions);
  }

  private addValues(
    reader: DataReader,
    { num_values: count, encoding }: ValueHeader,
    repetitions: number[],
    definitions: number[],
  ): void {
    const { definition } = this.levels;
    const isPresent = (level: number): boolean => level === definition;
    const wanted = this.countWanted(count, repetitions);
    const shown = definitions.slice(0, wanted);
    const needed = definition === 0 ? wanted : shown.filter(isPresent).length;
    this.valueCount += needed;
    if (this.valueCount > maxShownValues) throw new RowError('rowsTooLarge');
    const all = definition === 0 ? count : definitions.filter(isPresent).length;
    const raw = needed === 0 ? [] : this.readValues(reader, encoding, isJoint(encoding) ? all : needed);
    const convert = createConverter(this.leaf.element);
    const values = Array.from({ length: needed }, (_, index) => convert(raw[index] as RawValue));
    // Appends to the rows of the pages before, because a row may continue.
    const added = assembleLists(this.assembled, shown, repetitions.slice(0, wanted), values, [...this.path]);
    if (added !== this.assembled) this.assembled = [...this.assembled, ...Array.from(added as unknown[])];
  }

  private get leaf(): SchemaTree {
    const leaf = this.path.at(-1);
    if (!leaf) throw new RowError('rowsDamaged');
    return leaf;
  }

  private readPlainValues(reader: DataReader, count: number): DecodedArray {
    const { type, type_length: length } = this.leaf.element;
    if (!type) throw new RowError('rowsDamaged');
    return readPlain(reader, type, count, length);
  }

  private readValues(reader: DataReader, encoding: string, count: number): DecodedArray {
    const { type, type_length: length = 0 } = this.leaf.element;
    switch (encoding) {
      case 'PLAIN':
        return this.readPlainValues(reader, count);
      case 'RLE':
        reader.offset += 4;
        return readRuns(reader, 1, count).map((bit) => bit === 1);
      case 'PLAIN_DICTIONARY':
      case 'RLE_DICTIONARY':
        return this.readDictionaryValues(reader, count);
      case 'DELTA_BINARY_PACKED':
        return unpackNumbers(reader, type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count));
      case 'DELTA_LENGTH_BYTE_ARRAY':
      case 'DELTA_BYTE_ARRAY':
        return unpackTexts(reader, count, encoding === 'DELTA_BYTE_ARRAY');
      case 'BYTE_STREAM_SPLIT':
        if (!type || length * count > maxPageBytes) throw new RowError('rowsDamaged');
        return byteStreamSplit(reader, count, type, length);
      default:
        throw new RowError('rowsEncoded');
    }
  }

  private readDictionaryValues(reader: DataReader, count: number): DecodedArray {
    const { dictionary } = this;
    if (!dictionary) throw new RowError('rowsDamaged');
    const width = reader.view.getUint8(reader.offset++);
    const indexes = width === 0 ? new Array<number>(count).fill(0) : readRuns(reader, width, count);
    return indexes.map((index) => {
      const value: unknown = dictionary[index];
      if (value === undefined) throw new RowError('rowsDamaged');
      return value;
    });
  }
}

interface ValueHeader {
  readonly num_values: number;
  readonly encoding: string;
}

function isJoint(encoding: string): boolean {
  // Values with these encodings can only be found together.
  return /^DELTA_(?:LENGTH_)?BYTE_ARRAY$|SPLIT$/.test(encoding);
}

function findEnd(repetitions: readonly number[], maxRows: number): number {
  let rows = 0;
  // The row after the last one shows that the last one is complete.
  const next = repetitions.findIndex((level) => level === 0 && ++rows > maxRows);
  return next < 0 ? repetitions.length : next + 1;
}

function createReader(bytes: Uint8Array): DataReader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

function checkCount(count: number): number {
  if (count > maxPageValues) throw new RowError('rowsTooLarge');
  if (count < 0) throw new RowError('rowsDamaged');
  return count;
}

function getWidth(maxLevel: number): number {
  return 32 - Math.clz32(maxLevel);
}

function readRuns(reader: DataReader, width: number, count: number): number[] {
  if (width > 32) throw new RowError('rowsDamaged');
  const values: number[] = [];
  while (values.length < count) {
    const head = readHead(reader);
    // A run may claim any number of values.
    const rest = count - values.length;
    if (head % 2 === 1) readPacked(reader, width, Math.min(((head - 1) / 2) * 8, rest), values);
    else readRepeated(reader, width, Math.min(head / 2, rest), values);
  }
  return values;
}

function readRepeated(reader: DataReader, width: number, count: number, values: number[]): void {
  let value = 0;
  for (let bits = 0; bits < width; bits += 8) value += reader.view.getUint8(reader.offset++) * 2 ** bits;
  for (let index = 0; index < count; index++) values.push(value);
}

function readPacked(reader: DataReader, width: number, count: number, values: number[]): void {
  const { view, offset } = reader;
  for (let index = 0; index < count; index++) {
    let value = 0;
    for (let bit = 0; bit < width; bit++) {
      const at = index * width + bit;
      if ((view.getUint8(offset + (at >> 3)) >> (at & 7)) & 1) value += 2 ** bit;
    }
    values.push(value);
  }
  // Runs consist of groups of 8; only the last one is shortened.
  reader.offset = offset + Math.ceil(count / 8) * width;
}

function readHead(reader: DataReader): number {
  let head = 0;
  for (let index = 0; index < 5; index++) {
    const byte = reader.view.getUint8(reader.offset++);
    head += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return head;
  }
  throw new RowError('rowsDamaged');
}

function unpackNumbers<T extends Int32Array | BigInt64Array>(reader: DataReader, output: T): T {
  checkNumbers(reader, output.length);
  deltaBinaryUnpack(reader, output.length, output);
  return output;
}

function checkNumbers(reader: DataReader, count: number): void {
  const { offset, view } = reader;
  const blockSize = readHead(reader);
  const parts = readHead(reader);
  const size = blockSize / parts;
  // The sizes of parts are multiples of 32.
  if (!(parts > 0 && parts <= maxBlockParts && blockSize > 0 && blockSize <= maxBlockValues && size % 32 === 0))
    throw new RowError('rowsDamaged');
  readHead(reader);
  skipNumber(reader);
  for (let left = count - 1; left > 0; left -= blockSize) {
    skipNumber(reader);
    const start = reader.offset;
    reader.offset += parts;
    for (let part = 0; part < parts && part * size < left; part++) {
      const width = view.getUint8(start + part);
      if (width > 64) throw new RowError('rowsDamaged');
      reader.offset += (size * width) / 8;
    }
  }
  reader.offset = offset;
}

function skipNumber(reader: DataReader): void {
  const end = reader.offset + maxNumberBytes;
  while (reader.view.getUint8(reader.offset++) >= 0x80) if (reader.offset === end) throw new RowError('rowsDamaged');
}

function unpackTexts(reader: DataReader, count: number, hasPrefixes: boolean): Uint8Array[] {
  const output = new Array<Uint8Array>(count);
  const { offset } = reader;
  const lengths = [unpackNumbers(reader, new Int32Array(count))];
  if (hasPrefixes) lengths.push(unpackNumbers(reader, new Int32Array(count)));
  const all = lengths.flatMap((one) => [...one]);
  if (all.some((length) => length < 0) || all.reduce((sum, length) => sum + length, 0) > maxPageBytes)
    throw new RowError('rowsTooLarge');
  reader.offset = offset;
  (hasPrefixes ? deltaByteArray : deltaLengthByteArray)(reader, count, output);
  return output;
}

function unpack(bytes: Uint8Array, size: number, codec: string): Uint8Array {
  if (codec === 'UNCOMPRESSED' || size === 0) return bytes;
  const unpacked = unpackBytes(bytes, codec, size);
  if (!unpacked) throw new RowError('rowsCompressed');
  return unpacked;
}
