import { assembleLists } from 'hyparquet/src/assemble.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import type { DataReader, DecodedArray, PageHeader, SchemaTree } from 'hyparquet';
import { createConverter, type RawValue } from './parquetCells.ts';
import { RowError, skipStructure } from './parquetBytes.ts';
import { maxPageBytes, PageUnpacker, type WorkLimit } from './parquetUnpack.ts';

/** Maximum number of values in a page, whatever its header claims. */
const maxPageValues = 2 ** 21;
/** Maximum number of values of a column that are converted, because rows may have lists of any length. */
const maxShownValues = 100_000;
const maxBlockValues = 2 ** 20;
const maxBlockParts = 4096;
const maxNumberBytes = 10;
/** Units of work for a level, and for a value that is an object. */
const [levelWork, valueWork] = [8, 64];

/** The header of a page, and the beginning of its content, as it is stored. */
export interface PagePart {
  readonly header: PageHeader;
  readonly bytes: Uint8Array;
}

/** Returns the header of the page that `view` begins with, and its length. Throws a RangeError if it ends early. */
export function readPageHeader(view: DataView): { readonly header: PageHeader; readonly headerBytes: number } {
  const headerBytes = skipStructure(view, 0);
  const header = parquetHeader({ view, offset: 0 });
  const sizes = [header.compressed_page_size, header.uncompressed_page_size];
  if (sizes.some((size) => !Number.isInteger(size) || size < 0)) throw new RowError('rowsDamaged');
  return { header, headerBytes };
}

interface PageReader extends DataReader {
  readonly pageBytes: number;
}

/** Thrown if more of the dictionary is needed. */
class ShortDictionaryError extends Error {}

interface ValueHeader {
  readonly num_values: number;
  readonly encoding: string;
}

interface PageLevels {
  readonly definitions: number[];
  readonly repetitions: number[];
}

interface PageValues extends PageLevels {
  readonly values: unknown[];
}

interface UnpackedDictionary {
  readonly part: PagePart;
  readonly content: Uint8Array;
  readonly values: DecodedArray;
}

/** Reads the first rows of a column from its pages, in order. */
export class ColumnPages {
  /** The elements of the schema from its root to the column. */
  readonly path: readonly SchemaTree[];
  private readonly maxRows: number;
  private readonly work: WorkLimit;
  private readonly unpacker: PageUnpacker;
  private readonly levels: { readonly definition: number; readonly repetition: number };
  private dictionary: UnpackedDictionary | undefined;
  private assembled: unknown[] = [];
  private valueCount = 0;

  /** Of each page, up to `maxRows` are read. */
  constructor(path: readonly SchemaTree[], codec: string, maxRows: number, work: WorkLimit) {
    this.path = path;
    this.maxRows = maxRows;
    this.work = work;
    this.unpacker = new PageUnpacker(codec, work);
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

  /**
   * Adds a page. Returns that of which more is needed if its first rows aren't in these parts of the page and the
   * dictionary; then nothing was added.
   */
  add(page: PagePart, dictionary: PagePart | undefined): 'page' | 'dictionary' | undefined {
    let decoded: PageValues;
    try {
      decoded = this.decode(page, dictionary);
    } catch (error) {
      if (error instanceof ShortDictionaryError) return 'dictionary';
      if (error instanceof RangeError) return 'page';
      throw error;
    }
    const { definitions, repetitions, values } = decoded;
    // The reader of lists would begin another row for values that continue the last row of the page before.
    const isContinued = (repetitions[0] ?? 0) > 0 && this.leaf.element.repetition_type === 'REPEATED';
    if (isContinued) throw new RowError('rowsTooLarge');
    // Appends to the rows of the pages before, because a row may continue.
    const added = assembleLists(this.assembled, definitions, repetitions, values, [...this.path]);
    if (added !== this.assembled) this.assembled = [...this.assembled, ...Array.from(added as unknown[])];
    this.valueCount += Math.max(definitions.length, repetitions.length, values.length);
    return undefined;
  }

  /** Returns the number of bytes of a page from which more can be read than from this part; undefined if unknown. */
  findNextEnd({ header: { data_page_header_v2: second }, bytes }: PagePart): number | undefined {
    const levelBytes = second ? second.repetition_levels_byte_length + second.definition_levels_byte_length : 0;
    const end = second?.is_compressed === false ? undefined : this.unpacker.findNextEnd(bytes.subarray(levelBytes));
    return end === undefined ? undefined : levelBytes + end;
  }

  /** Frees the memory that is only needed while pages are added. */
  forgetDictionary(): void {
    this.dictionary = undefined;
  }

  private decode({ header, bytes }: PagePart, dictionary: PagePart | undefined): PageValues {
    const { data_page_header: first, data_page_header_v2: second, compressed_page_size: packedSize } = header;
    if (header.type === 'DATA_PAGE_V2' && second) return this.decodeSecond(header, second, bytes, dictionary);
    if (header.type !== 'DATA_PAGE' || !first) throw new RowError('rowsDamaged');
    const isWhole = bytes.length === packedSize;
    const { uncompressed_page_size: size } = header;
    const reader = createReader(this.unpacker.unpack(bytes, size, isWhole), size);
    const repetitions = this.readLevels(reader, this.levels.repetition, this.countRepetitions(first));
    const definitions = this.readLevels(reader, this.levels.definition, this.countDefinitions(first, repetitions));
    return this.decodeValues(reader, first, { repetitions, definitions }, dictionary);
  }

  private decodeSecond(
    { uncompressed_page_size: size, compressed_page_size: packedSize }: PageHeader,
    page: NonNullable<PageHeader['data_page_header_v2']>,
    bytes: Uint8Array,
    dictionary: PagePart | undefined,
  ): PageValues {
    const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } = page;
    const levelBytes = repetitionBytes + definitionBytes;
    if (repetitionBytes < 0 || definitionBytes < 0 || levelBytes > Math.min(packedSize, size))
      throw new RowError('rowsDamaged');
    const { definition, repetition } = this.levels;
    const count = this.countRepetitions(page);
    const levels = createReader(bytes.subarray(0, levelBytes), levelBytes);
    const repetitions = repetition > 0 ? readRuns(levels, getWidth(repetition), count) : [];
    levels.offset = repetitionBytes;
    const needed = this.countDefinitions(page, repetitions);
    const definitions = definition > 0 ? readRuns(levels, getWidth(definition), needed) : [];
    const rest = bytes.subarray(levelBytes);
    const isWhole = bytes.length === packedSize;
    const isPacked = page.is_compressed !== false && bytes.length >= levelBytes;
    const valueBytes = size - levelBytes;
    const reader = createReader(isPacked ? this.unpacker.unpack(rest, valueBytes, isWhole) : rest, valueBytes);
    return this.decodeValues(reader, page, { repetitions, definitions }, dictionary);
  }

  private readLevels(reader: PageReader, maxLevel: number, count: number): number[] {
    if (maxLevel === 0) return [];
    const end = reader.offset + 4 + reader.view.getUint32(reader.offset, true);
    if (end > reader.pageBytes) throw new RowError('rowsDamaged');
    reader.offset += 4;
    const levels = readRuns(reader, getWidth(maxLevel), count);
    reader.offset = end;
    return levels;
  }

  private countRepetitions({ num_values: count, encoding }: ValueHeader): number {
    const all = checkCount(count);
    // With one more, it is known that there are too many.
    const most = this.levels.repetition > 0 ? maxShownValues - this.valueCount + 1 : this.maxRows;
    const needed = isJoint(encoding) ? all : Math.min(all, most);
    this.work.take(needed * (isJoint(encoding) ? valueWork : levelWork));
    return needed;
  }

  private countDefinitions({ num_values: count, encoding }: ValueHeader, repetitions: readonly number[]): number {
    return isJoint(encoding) ? count : this.countWanted(count, repetitions);
  }

  private countWanted(count: number, repetitions: readonly number[]): number {
    return this.levels.repetition > 0 ? findEnd(repetitions, this.maxRows) : Math.min(count, this.maxRows);
  }

  private decodeValues(
    reader: PageReader,
    { num_values: count, encoding }: ValueHeader,
    { definitions, repetitions }: PageLevels,
    dictionary: PagePart | undefined,
  ): PageValues {
    const { definition } = this.levels;
    const isPresent = (level: number): boolean => level === definition;
    const wanted = this.countWanted(count, repetitions);
    if (this.valueCount + wanted > maxShownValues) throw new RowError('rowsTooLarge');
    const shown = definitions.slice(0, wanted);
    const needed = definition === 0 ? wanted : shown.filter(isPresent).length;
    const all = definition === 0 ? count : definitions.filter(isPresent).length;
    const raw = needed === 0 ? [] : this.readValues(reader, encoding, isJoint(encoding) ? all : needed, dictionary);
    const convert = createConverter(this.leaf.element);
    const values = Array.from({ length: needed }, (_, index) => convert(raw[index] as RawValue));
    return { definitions: shown, repetitions: repetitions.slice(0, wanted), values };
  }

  private get leaf(): SchemaTree {
    const leaf = this.path.at(-1);
    if (!leaf) throw new RowError('rowsDamaged');
    return leaf;
  }

  private readPlainValues(reader: PageReader, count: number): DecodedArray {
    const { type, type_length: length } = this.leaf.element;
    if (!type) throw new RowError('rowsDamaged');
    try {
      return readPlain(reader, type, count, length);
    } catch (error) {
      throw type === 'BYTE_ARRAY' && endsAfterPage(reader) ? new RowError('rowsDamaged') : error;
    }
  }

  private readValues(
    reader: PageReader,
    encoding: string,
    count: number,
    dictionary: PagePart | undefined,
  ): DecodedArray {
    const { type, type_length: length = 0 } = this.leaf.element;
    switch (encoding) {
      case 'PLAIN':
        return this.readPlainValues(reader, count);
      case 'RLE':
        reader.offset += 4;
        return readRuns(reader, 1, count).map((bit) => bit === 1);
      case 'PLAIN_DICTIONARY':
      case 'RLE_DICTIONARY':
        return this.readDictionaryValues(reader, count, dictionary);
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

  private readDictionaryValues(reader: DataReader, count: number, part: PagePart | undefined): DecodedArray {
    if (!part) throw new RowError('rowsDamaged');
    const width = reader.view.getUint8(reader.offset++);
    const indexes = width === 0 ? new Array<number>(count).fill(0) : readRuns(reader, width, count);
    const last = indexes.reduce((max, index) => Math.max(max, index), 0);
    const values = this.readDictionary(part, last + 1);
    return indexes.map((index): unknown => values[index]);
  }

  private readDictionary(part: PagePart, count: number): DecodedArray {
    const total = part.header.dictionary_page_header?.num_values ?? 0;
    if (count > checkCount(total)) throw new RowError('rowsDamaged');
    const { header, bytes } = part;
    const known = this.dictionary;
    const isKnown = known?.part.header === header && known.part.bytes.length === bytes.length;
    if (isKnown && known.values.length >= count) return known.values;
    const isWhole = bytes.length === header.compressed_page_size;
    const content = isKnown ? known.content : this.unpacker.unpack(bytes, header.uncompressed_page_size, isWhole);
    this.work.take(count * valueWork);
    try {
      const values = this.readPlainValues(createReader(content, header.uncompressed_page_size), count);
      this.dictionary = { part, content, values };
      return values;
    } catch (error) {
      throw error instanceof RangeError ? new ShortDictionaryError() : error;
    }
  }
}

/** Returns true if values with an encoding can only be found together, in the whole page. */
export function isJoint(encoding: string | undefined): boolean {
  return /^DELTA_(?:LENGTH_)?BYTE_ARRAY$|SPLIT$/.test(encoding ?? '');
}

function findEnd(repetitions: readonly number[], maxRows: number): number {
  let rows = 0;
  // The row after the last one shows that the last one is complete.
  const next = repetitions.findIndex((level) => level === 0 && ++rows > maxRows);
  return next < 0 ? repetitions.length : next + 1;
}

function createReader(bytes: Uint8Array, pageBytes: number): PageReader {
  // Readers of values look at the buffer, which therefore must end where the bytes do.
  const { buffer } = bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  return { view: new DataView(buffer), offset: 0, pageBytes };
}

function endsAfterPage({ view, offset, pageBytes }: PageReader): boolean {
  // The reader has just failed to read a text after its length.
  const isAfterLength = offset >= 4 && offset + 4 <= view.byteLength;
  return isAfterLength && offset + view.getUint32(offset - 4, true) > pageBytes;
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
  if (all.some((length) => length < 0)) throw new RowError('rowsDamaged');
  if (all.reduce((sum, length) => sum + length, 0) > maxPageBytes) throw new RowError('rowsTooLarge');
  reader.offset = offset;
  (hasPrefixes ? deltaByteArray : deltaLengthByteArray)(reader, count, output);
  return output;
}
