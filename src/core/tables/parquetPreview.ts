import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import type { ColumnMetaData, DecodedArray, FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import {
  LimitedSource,
  RowError,
  SourceError,
  skipStructure,
  type RangeSource,
  type RowProblem,
} from './parquetBytes.ts';
import { formatCell } from './parquetCells.ts';
import { maxPreviewColumns, maxPreviewRows, shortenCell } from './previewKinds.ts';
import { ColumnReader, getColumnRange, getPathText, headerBytes, type ColumnRange } from './parquetColumn.ts';
import { ColumnPages } from './parquetPages.ts';
import { WorkLimit } from './parquetUnpack.ts';

/** The beginning of a Parquet file: its first rows, or its columns and their types if its rows can't be shown. */
export type ParquetPreview =
  | {
      readonly kind: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** The names of columns whose first values are too large; their cells are `…`. */
      readonly largeColumns: readonly string[];
    }
  | { readonly kind: 'schema'; readonly problem: RowProblem; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'problem'; readonly problem: 'notParquet' | 'longHeader' };

/** Maximum number of bytes that are read of a Parquet file. */
export const maxParquetBytes = 512_000;

/** Maximum number of bytes of a footer, of which those of a few hundred columns have less. */
const maxFooterBytes = 256_000;
const firstFooterBytes = 32_000;
const maxLevels = 16;
const magic = 0x31524150;

/**
 * Reads the footer and the first rows of a Parquet file in ranges, of which there are at most {@link maxParquetBytes}.
 * Rejects only if the source does.
 */
export async function createParquetPreview(source: RangeSource): Promise<ParquetPreview> {
  try {
    return await readPreview(new LimitedSource(source, maxParquetBytes));
  } catch (error) {
    throw error instanceof SourceError ? error.cause : error;
  }
}

async function readPreview(source: LimitedSource): Promise<ParquetPreview> {
  const metadata = await readFooter(source).catch(ignoreShorterFile);
  if (typeof metadata === 'string') return { kind: 'problem', problem: metadata };
  const columns = parquetSchema(metadata).children.slice(0, maxPreviewColumns);
  try {
    return await readTable(source, metadata, columns);
  } catch (error) {
    const problem = toRowProblem(error);
    return { kind: 'schema', problem, rows: columns.map((column) => [getName(column), describeType(column)]) };
  }
}

function ignoreShorterFile(error: unknown): 'notParquet' {
  if (error instanceof RowError) return 'notParquet';
  throw error;
}

function toRowProblem(error: unknown): RowProblem {
  if (error instanceof SourceError) throw error;
  return error instanceof RowError ? error.problem : 'rowsDamaged';
}

async function readFooter(source: LimitedSource): Promise<FileMetaData | 'notParquet' | 'longHeader'> {
  const { totalBytes } = source;
  if (totalBytes < 12) return 'notParquet';
  const first = Math.min(totalBytes, firstFooterBytes);
  const end = await source.read(totalBytes - first, first);
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength);
  const footerBytes = view.getUint32(first - 8, true) + 8;
  if (view.getUint32(first - 4, true) !== magic || footerBytes > totalBytes - 4) return 'notParquet';
  if (footerBytes > maxFooterBytes) return 'longHeader';
  const footer = footerBytes <= first ? end : await source.read(totalBytes - footerBytes, footerBytes);
  return parseFooter(footer.subarray(footer.length - footerBytes));
}

function parseFooter(footer: Uint8Array): FileMetaData | 'notParquet' {
  try {
    skipStructure(new DataView(footer.buffer, footer.byteOffset, footer.byteLength - 8), 0);
    const metadata = parquetMetadata(footer, { geoparquet: false });
    if (!hasPlainShape(metadata.schema)) return 'notParquet';
    metadata.schema.forEach((element, index) => adaptGroup(element, metadata.schema.slice(index + 2, index + 4)));
    return metadata;
  } catch {
    return 'notParquet';
  }
}

function hasPlainShape(schema: readonly SchemaElement[]): boolean {
  const open: number[] = [];
  for (const { name, num_children: children = 0 } of schema) {
    // The type promises a name, which a damaged footer may lack.
    if (open.length > maxLevels || (name as string | undefined) === undefined) return false;
    if (open.length > 0) open.push((open.pop() ?? 0) - 1);
    if (children > 0) open.push(children);
    while (open.at(-1) === 0) open.pop();
  }
  return open.length === 0 && schema.length > 1;
}

function adaptGroup(element: SchemaElement, entry: readonly SchemaElement[]): void {
  if ((element.num_children ?? 0) === 0) return;
  // Lists and maps may have only this newer annotation.
  const type = element.logical_type?.type;
  if (type === 'LIST' || type === 'MAP') element.converted_type = type;
  delete element.logical_type;
  // The other maps are shown as lists of their entries.
  const hasKeys = entry[0]?.name === 'key' && entry[1]?.name === 'value';
  if (element.converted_type === 'MAP' && !hasKeys) element.converted_type = 'MAP_KEY_VALUE';
}

async function readTable(
  source: LimitedSource,
  metadata: FileMetaData,
  columns: readonly SchemaTree[],
): Promise<ParquetPreview> {
  const header = columns.map(getName);
  const group = metadata.row_groups.find(({ num_rows: rows }) => rows > 0n);
  if (!group) return { kind: 'table', header, rows: [], largeColumns: [] };
  const wanted = Math.min(maxPreviewRows, Number(group.num_rows));
  const chunks = listChunks(group, columns);
  if (hasSameNames(chunks)) throw new RowError('rowsNamed');
  const readers = createReaders(source, metadata, chunks, wanted);
  await readBeginnings(source, chunks);
  const leaves = await readColumns(source, readers);
  const large = new Set(readers.filter(({ name }) => !leaves.has(name)).map(({ path }) => path[1]?.element.name));
  if (large.size === columns.length) throw new RowError('rowsTooLarge');
  const isLarge = ({ element }: SchemaTree): boolean => large.has(element.name);
  const cells = columns.map((column) => (isLarge(column) ? undefined : assembleColumn(column, leaves)));
  const formatRow = (row: number): readonly string[] =>
    cells.map((column) => (column ? shortenCell(formatCell(column[row])) : '…'));
  const rows = Array.from({ length: wanted }, (_, row) => formatRow(row));
  return { kind: 'table', header, rows, largeColumns: columns.filter(isLarge).map(getName) };
}

function hasSameNames(chunks: readonly ColumnMetaData[]): boolean {
  return new Set(chunks.map(getPathText)).size < chunks.length;
}

function createReaders(
  source: LimitedSource,
  metadata: FileMetaData,
  chunks: readonly ColumnMetaData[],
  wanted: number,
): readonly ColumnReader[] {
  const root = parquetSchema(metadata);
  const work = new WorkLimit();
  return chunks.map((chunk) => {
    const path = getTreePath(root, chunk.path_in_schema);
    return new ColumnReader(source, chunk, new ColumnPages(path, chunk.codec, wanted, work), wanted);
  });
}

async function readColumns(
  source: LimitedSource,
  readers: readonly ColumnReader[],
): Promise<Map<string, DecodedArray>> {
  const leaves = new Map<string, DecodedArray>();
  // First with equal shares, then with what is left, beginning with the columns that need least.
  for (const isShared of [true, false]) {
    const rest = readers.filter(({ name }) => !leaves.has(name));
    const pending = rest.toSorted((one, other) => one.missingBytes - other.missingBytes);
    for (const [index, reader] of pending.entries()) {
      const share = Math.floor(source.rest / (pending.length - index));
      source.reservedBytes = isShared ? source.rest - share : 0;
      const values = await reader.read().catch(ignoreLarge);
      if (!values) continue;
      keepEntries(reader.path, values);
      leaves.set(reader.name, [...values]);
    }
  }
  return leaves;
}

function ignoreLarge(error: unknown): undefined {
  if (!(error instanceof RowError) || error.problem !== 'rowsTooLarge') throw error;
}

function keepEntries(path: readonly SchemaTree[], values: readonly unknown[]): void {
  const [map, , leaf] = path.slice(-3);
  // An object would lose entries with such keys.
  if (map?.element.converted_type === 'MAP' && leaf?.element.name === 'key' && hasLostKeys(values))
    map.element.converted_type = 'MAP_KEY_VALUE';
}

function hasLostKeys(values: readonly unknown[]): boolean {
  const lists = values.filter((value) => Array.isArray(value));
  if (lists.length > 0) return lists.some(hasLostKeys);
  return new Set(values.map(String)).size < values.length || values.includes('__proto__');
}

function assembleColumn(column: SchemaTree, leaves: Map<string, DecodedArray>): DecodedArray {
  if (column.children.length > 0) assembleNested(leaves, column, DEFAULT_PARSERS);
  const values = leaves.get(column.element.name);
  if (!values) throw new RowError('rowsDamaged');
  return values;
}

function listChunks({ columns }: RowGroup, shown: readonly SchemaTree[]): readonly ColumnMetaData[] {
  const names = new Set(shown.map(({ element }) => element.name));
  return columns.flatMap(({ meta_data: chunk, file_path: path }) => {
    if (!chunk || path !== undefined) throw new RowError('rowsDamaged');
    return names.has(chunk.path_in_schema[0] ?? '') ? [chunk] : [];
  });
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Maximum number of bytes of a page that are read before it is known whether more are needed. */
const beginningBytes = 8192;
const parallelReads = 4;

async function readBeginnings(source: LimitedSource, chunks: readonly ColumnMetaData[]): Promise<void> {
  const ranges = chunks.map((chunk) => getColumnRange(source, chunk));
  const start = Math.min(...ranges.map((range) => range.start));
  const length = Math.max(...ranges.map((range) => range.end)) - start;
  await (length <= source.rest ? source.read(start, length) : readParts(source, ranges));
}

async function readParts(source: LimitedSource, ranges: readonly ColumnRange[]): Promise<void> {
  // Half of the bytes are left for the columns that need more: for each, there may be a dictionary and values.
  const fair = Math.min(beginningBytes, Math.floor(source.rest / (ranges.length * 4)));
  // Each range of a store takes long.
  const size = Math.max(fair, headerBytes);
  const starts = ranges.flatMap(({ start, data, end }) => [start, data].map((from) => ({ start: from, end })));
  const parts = starts.map(({ start, end }) => ({ start, end: Math.min(start + size, end) }));
  const joined = joinRanges(parts.slice(0, Math.floor(source.rest / (size * 2))));
  await mapConcurrently(joined, parallelReads, ({ start, end }) => source.read(start, end - start));
  source.minRangeBytes = size;
}

function joinRanges(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last && range.start <= last.end)
      joined.splice(-1, 1, { start: last.start, end: Math.max(last.end, range.end) });
    else joined.push(range);
  }
  return joined;
}

function getName({ element }: SchemaTree): string {
  return shortenCell(element.name);
}

function describeType({ element, children }: SchemaTree): string {
  const { type, converted_type: old, logical_type: logical } = element;
  return children.length > 0 ? (old ?? 'STRUCT') : (logical?.type ?? old ?? type ?? '');
}
