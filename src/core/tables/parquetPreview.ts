import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import type { ColumnMetaData, DecodedArray, FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet';
import { LimitedSource, RowError, skipStructure, type RangeSource, type RowProblem } from './parquetBytes.ts';
import { formatCell } from './parquetCells.ts';
import { maxPreviewColumns, maxPreviewRows, shortenCell } from './previewKinds.ts';
import { ColumnPages, readPageHeader } from './parquetPages.ts';

/** The beginning of a Parquet file: its first rows, or its columns and their types if its rows can't be shown. */
export type ParquetPreview =
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
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
  const limited = new LimitedSource(source, maxParquetBytes);
  const metadata = await readFooter(limited).catch(ignoreShorterFile);
  if (typeof metadata === 'string') return { kind: 'problem', problem: metadata };
  const columns = parquetSchema(metadata).children.slice(0, maxPreviewColumns);
  try {
    const rows = await readRows(limited, metadata, columns);
    return { kind: 'table', header: columns.map(getName), rows };
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
  if (error instanceof RowError) return error.problem;
  if (error instanceof SourceError) throw error.cause;
  return 'rowsDamaged';
}

/** Wraps an error of a source, which isn't one of the file's content. */
class SourceError extends Error {}

async function readRange(source: LimitedSource, offset: number, length: number): Promise<Uint8Array> {
  try {
    return await source.read(offset, length);
  } catch (error) {
    throw error instanceof RowError ? error : new SourceError('', { cause: error });
  }
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

async function readRows(
  source: LimitedSource,
  metadata: FileMetaData,
  columns: readonly SchemaTree[],
): Promise<readonly (readonly string[])[]> {
  const group = metadata.row_groups.find(({ num_rows: rows }) => rows > 0n);
  if (!group) return [];
  const wanted = Math.min(maxPreviewRows, Number(group.num_rows));
  const chunks = listChunks(group, columns);
  await keepTogether(source, chunks);
  if (hasSameNames(chunks)) throw new RowError('rowsNamed');
  const root = parquetSchema(metadata);
  const leaves = new Map<string, DecodedArray>();
  for (const [index, chunk] of chunks.entries()) {
    const path = getTreePath(root, chunk.path_in_schema);
    const share = Math.floor(source.rest / (chunks.length - index));
    const pages = await readChunk(source, chunk, new ColumnPages(path, chunk.codec, wanted), wanted, share);
    if (pages.rows.length < wanted) throw new RowError('rowsDamaged');
    const values = pages.rows.slice(0, wanted);
    keepEntries(path, values);
    leaves.set(getPathText(chunk), values);
  }
  const cells = columns.map((column) => assembleColumn(column, leaves));
  return Array.from({ length: wanted }, (_, row) => cells.map((column) => shortenCell(formatCell(column[row]))));
}

function getPathText({ path_in_schema: path }: ColumnMetaData): string {
  return path.join('.');
}

function hasSameNames(chunks: readonly ColumnMetaData[]): boolean {
  return new Set(chunks.map(getPathText)).size < chunks.length;
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

function getRange({ totalBytes }: LimitedSource, chunk: ColumnMetaData): ByteRange {
  const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } = chunk;
  // Some writers state 0 for a dictionary that doesn't exist.
  const start = Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);
  const end = start + Number(size);
  if (!(start >= 4 && end > start && end <= totalBytes)) throw new RowError('rowsDamaged');
  return { start, end };
}

async function keepTogether(source: LimitedSource, chunks: readonly ColumnMetaData[]): Promise<void> {
  const ranges = chunks.map((chunk) => getRange(source, chunk));
  const start = Math.min(...ranges.map((range) => range.start));
  const length = Math.max(...ranges.map((range) => range.end)) - start;
  // Each range of a store takes long.
  if (length <= source.rest) await readRange(source, start, length);
}

/** Bytes that hold most headers of pages. */
const headerBytes = 512;

async function readChunk(
  source: LimitedSource,
  chunk: ColumnMetaData,
  pages: ColumnPages,
  wanted: number,
  share: number,
): Promise<ColumnPages> {
  const { start, end } = getRange(source, chunk);
  const window = new Window(source, start, end);
  await window.extend(Math.max(headerBytes, Math.min(share, 16_384)));
  for (let offset = 0; pages.completeRows < wanted && offset < end - start;) {
    const { header, start: content } = await window.readHeader(offset);
    offset = content + header.compressed_page_size;
    if (offset > end - start) throw new RowError('rowsDamaged');
    await window.extend(offset);
    pages.add(header, window.bytes.subarray(content, offset));
  }
  return pages;
}

/** The beginning of a column in a row group, as far as it was read. */
class Window {
  private readonly source: LimitedSource;
  private readonly start: number;
  private readonly maxLength: number;
  bytes = new Uint8Array();

  constructor(source: LimitedSource, start: number, end: number) {
    this.source = source;
    this.start = start;
    this.maxLength = end - start;
  }

  async extend(length: number): Promise<void> {
    const had = this.bytes.length;
    const more = Math.min(length, this.maxLength) - had;
    if (more <= 0) return;
    const added = await readRange(this.source, this.start + had, more);
    const bytes = new Uint8Array(had + more);
    bytes.set(this.bytes);
    bytes.set(added, had);
    this.bytes = bytes;
  }

  async readHeader(offset: number): Promise<ReturnType<typeof readPageHeader>> {
    for (let length = offset + headerBytes; ; length += length - offset) {
      await this.extend(length);
      try {
        return readPageHeader(new DataView(this.bytes.buffer), offset);
      } catch (error) {
        // The header may have long statistics.
        if (!(error instanceof RangeError) || this.bytes.length === this.maxLength) throw error;
      }
    }
  }
}

function getName({ element }: SchemaTree): string {
  return shortenCell(element.name);
}

function describeType({ element, children }: SchemaTree): string {
  const { type, converted_type: old, logical_type: logical } = element;
  return children.length > 0 ? (old ?? 'STRUCT') : (logical?.type ?? old ?? type ?? '');
}
