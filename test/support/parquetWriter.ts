/** A value in Thrift's compact protocol. */
interface ThriftValue {
  readonly type: number;
  readonly bytes: Buffer;
}

/** An element of a schema, with the numbers of the format for its types. */
export interface SchemaEntry {
  readonly name: string;
  readonly type?: number;
  readonly repetition?: number;
  readonly children?: number;
  readonly converted?: number;
  readonly logical?: ThriftValue;
}

/** A page with values. */
export interface WrittenPage {
  readonly content: Buffer;
  /** The number of values, by default one for each row. */
  readonly count?: number;
  readonly encoding?: number;
}

/** A column in a row group. */
export interface WrittenColumn extends WrittenPage {
  readonly type: number;
  readonly path: readonly string[];
  readonly dictionary?: Buffer;
  /** Compresses pages with Zstandard. */
  readonly packZstandard?: (content: Buffer) => Buffer;
  /** The pages after the first one. */
  readonly morePages?: readonly WrittenPage[];
}

/** Writes an integer with a variable length. */
export function writeVarint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Writes a structure from its fields by ID, in ascending order. */
export function writeStruct(fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue {
  let last = 0;
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (!value) continue;
    parts.push(Buffer.from([((Number(key) - last) << 4) | value.type]), value.bytes);
    last = Number(key);
  }
  return { type: 12, bytes: Buffer.concat([...parts, Buffer.from([0])]) };
}

/** Writes an integer, which isn't negative. */
export function writeInteger(value: number): ThriftValue {
  return { type: 5, bytes: writeVarint(2 * value) };
}

/** Writes 32-bit numbers as their page stores them. */
export function writeNumbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32LE(value, 4 * index));
  return bytes;
}

/** Writes bytes after their length. */
export function writeBytes(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([writeNumbers([bytes.length]), bytes]);
}

/** Writes levels from pairs of a number of repetitions and a level less than 256. */
export function writeLevels(...runs: readonly (readonly [number, number])[]): Buffer {
  return writeBytes(Buffer.concat(runs.flatMap(([count, level]) => [writeVarint(2 * count), Buffer.from([level])])));
}

/** Writes a Parquet file with a row group, whose columns are compressed only if they say so. */
export function writeParquet(schema: readonly SchemaEntry[], columns: readonly WrittenColumn[], rows: number): Buffer {
  const parts = [Buffer.from('PAR1')];
  const chunks: ThriftValue[] = [];
  let offset = 4;
  for (const column of columns) {
    const dictionary = column.dictionary ? writeDictionary(column.dictionary) : Buffer.alloc(0);
    const pages = [column, ...(column.morePages ?? [])].map((page) => writePage(page, rows, column.packZstandard));
    const content = Buffer.concat([dictionary, ...pages]);
    chunks.push(describeChunk(column, offset, dictionary.length, content.length, rows));
    parts.push(content);
    offset += content.length;
  }
  const footer = describeFile(schema, chunks, offset, rows).bytes;
  return Buffer.concat([...parts, footer, writeNumbers([footer.length]), Buffer.from('PAR1')]);
}

function writePage(
  { content, count, encoding = 0 }: WrittenPage,
  rows: number,
  pack: WrittenColumn['packZstandard'],
): Buffer {
  const packed = pack ? pack(content) : content;
  const [rle, size, packedSize] = [writeInteger(3), writeInteger(content.length), writeInteger(packed.length)];
  const header = writeStruct({ 1: writeInteger(count ?? rows), 2: writeInteger(encoding), 3: rle, 4: rle });
  return Buffer.concat([writeStruct({ 1: writeInteger(0), 2: size, 3: packedSize, 5: header }).bytes, packed]);
}

/** Writes the page of a dictionary with a single value. */
function writeDictionary(content: Buffer): Buffer {
  const size = writeInteger(content.length);
  const header = writeStruct({ 1: writeInteger(1), 2: writeInteger(0) });
  return Buffer.concat([writeStruct({ 1: writeInteger(2), 2: size, 3: size, 7: header }).bytes, content]);
}

function writeLong(value: number): ThriftValue {
  return { type: 6, bytes: writeVarint(2 * value) };
}

function writeText(text: string): ThriftValue {
  const bytes = Buffer.from(text);
  return { type: 8, bytes: Buffer.concat([writeVarint(bytes.length), bytes]) };
}

function writeList(values: readonly ThriftValue[]): ThriftValue {
  const head = Buffer.from([0xf0 | (values[0]?.type ?? 12)]);
  return { type: 9, bytes: Buffer.concat([head, writeVarint(values.length), ...values.map(({ bytes }) => bytes)]) };
}

function describeChunk(
  { type, path, count, morePages = [], packZstandard }: WrittenColumn,
  offset: number,
  dictionaryBytes: number,
  bytes: number,
  rows: number,
): ThriftValue {
  const metadata = writeStruct({
    1: writeInteger(type),
    2: writeList([writeInteger(0)]),
    3: writeList(path.map(writeText)),
    4: writeInteger(packZstandard ? 6 : 0),
    5: writeLong(morePages.reduce((sum, page) => sum + (page.count ?? 0), count ?? rows)),
    6: writeLong(bytes),
    7: writeLong(bytes),
    9: writeLong(offset + dictionaryBytes),
    11: dictionaryBytes > 0 ? writeLong(offset) : undefined,
  });
  return writeStruct({ 2: writeLong(offset), 3: metadata });
}

function describeFile(
  schema: readonly SchemaEntry[],
  chunks: readonly ThriftValue[],
  bytes: number,
  rows: number,
): ThriftValue {
  const group = writeStruct({ 1: writeList(chunks), 2: writeLong(bytes), 3: writeLong(rows) });
  return writeStruct({
    1: writeInteger(1),
    2: writeList(schema.map(describeElement)),
    3: writeLong(rows),
    4: writeList([group]),
  });
}

function describeElement({ name, type, repetition, children, converted, logical }: SchemaEntry): ThriftValue {
  const write = (value?: number): ThriftValue | undefined => (value === undefined ? undefined : writeInteger(value));
  return writeStruct({
    1: write(type),
    3: write(repetition),
    4: writeText(name),
    5: write(children),
    6: write(converted),
    10: logical,
  });
}
