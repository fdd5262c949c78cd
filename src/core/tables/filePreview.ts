import { parseCsv } from '../util/csv.ts';
import { unpackBeginning, type Beginning } from '../util/gzipBeginning.ts';
import { isDeeperThan, isJsonObject } from '../util/json.ts';
import {
  findPreviewKind,
  maxCellLength,
  maxPreviewColumns,
  maxPreviewRows,
  shortenCell,
  type PreviewKind,
} from './previewKinds.ts';
import { decodeTableText } from './tableFormat.ts';

/** The reason why there is nothing to show. */
export type PreviewProblem =
  'empty' | 'noRecords' | 'notText' | 'longLine' | 'longHeader' | 'tooLarge' | 'damaged' | 'notJson';

/** The beginning of a file's content: rows of cells, or a JSON value. Cells are shortened. */
export type FilePreview =
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'sequences'; readonly hasQuality: boolean; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'json'; readonly value: Record<string, unknown> | readonly unknown[] }
  | { readonly kind: 'problem'; readonly problem: PreviewProblem };

/** Number of bytes of a file to read for its preview. */
export const previewBytes = 256_000;

/** Maximum number of bytes that are unpacked, whatever a compressed file claims. */
const maxUnpackedBytes = 512 * 1024;
const maxLevels = 100;

/** The columns of GFF3 and GTF, which have no header. */
const featureColumns = ['seqid', 'source', 'type', 'start', 'end', 'score', 'strand', 'phase', 'attributes'];

/** Interprets the beginning of a file. Never throws, and never unpacks or shows more than a limit. */
export async function createPreview(fileName: string, packed: Beginning): Promise<FilePreview> {
  const isPacked = /\.b?gz$/i.test(fileName);
  const unpacked = isPacked ? await unpackBeginning(packed, maxUnpackedBytes) : packed;
  if (unpacked === undefined) return toProblem('damaged');
  const { bytes, isWhole } = unpacked;
  if (bytes.length === 0) return toProblem('empty');
  const kind = findPreviewKind(fileName);
  if (kind === 'json' && !isWhole) return toProblem('tooLarge');
  // The sequence of a long line is shown as far as it is known.
  const lines = isWhole || kind === 'fasta' ? bytes : cutAfterLine(bytes);
  return lines === undefined ? toProblem('longLine') : parseText(decodeTableText(lines), kind, isWhole);
}

function parseText(text: string, kind: PreviewKind | undefined, isWhole: boolean): FilePreview {
  if (text.includes('\0')) return toProblem('notText');
  if (kind === 'json') return parseJson(text);
  return kind === 'fasta' || kind === 'fastq' ? readSequences(text, kind, isWhole) : readTable(text, kind, isWhole);
}

function readSequences(text: string, kind: 'fasta' | 'fastq', isWhole: boolean): FilePreview {
  const rows = kind === 'fastq' ? readFastq(text) : readFasta(isWhole ? text : cutName(text));
  if (rows.length === 0) return toProblem(isWhole ? 'noRecords' : 'longLine');
  return { kind: 'sequences', hasQuality: kind === 'fastq', rows };
}

function cutName(text: string): string {
  return text.replace(/>[^\r\n]*$/, '');
}

function toProblem(problem: PreviewProblem): FilePreview {
  return { kind: 'problem', problem };
}

function cutAfterLine(bytes: Uint8Array): Uint8Array | undefined {
  const end = Math.max(bytes.lastIndexOf(0x0a), bytes.includes(0x0a) ? -1 : bytes.lastIndexOf(0x0d));
  // In little-endian UTF-16, a byte follows.
  return end < 0 ? undefined : bytes.subarray(0, end + (bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 1));
}

function parseJson(text: string): FilePreview {
  try {
    const json = text.replace(/^\uFEFF/, '');
    if (isDeeperThan(JSON.parse(json), maxLevels)) return toProblem('tooLarge');
    const value: unknown = JSON.parse(json.replace(textOrNumber, quoteIfRounded));
    return { kind: 'json', value: isJsonObject(value) || Array.isArray(value) ? value : [value] };
  } catch {
    return toProblem('notJson');
  }
}

/** Matches a text or a number in valid JSON. */
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

function quoteIfRounded(token: string): string {
  return token.startsWith('"') || getDigits(token) === getDigits(String(Number(token))) ? token : `"${token}"`;
}

function getDigits(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replace(/\D/g, '').replace(/^0+|0+$/g, '');
}

function readTable(text: string, kind: PreviewKind | undefined, isWhole: boolean): FilePreview {
  const records = readRecords(text, kind);
  // The last record may lack lines.
  if (!isWhole && records.length > 1 && records.length <= maxPreviewRows + 1) records.pop();
  const [header = [], ...rows] = kind === 'features' ? [featureColumns, ...records] : records;
  if (header.length === 0) return toProblem(isWhole ? 'noRecords' : 'longHeader');
  return { kind: 'table', header, rows: rows.slice(0, maxPreviewRows) };
}

function readRecords(text: string, kind: PreviewKind | undefined): (readonly string[])[] {
  const records: (readonly string[])[] = [];
  for (const { cells } of parseCsv(text, kind === 'table' ? undefined : '\t')) {
    if (kind === 'features' && isComment(cells)) continue;
    records.push(cells.slice(0, maxPreviewColumns).map(shortenCell));
    if (records.length > maxPreviewRows + 1) break;
  }
  return records;
}

function isComment([first = '']: readonly string[]): boolean {
  return first.startsWith('#');
}

function readFasta(text: string): readonly (readonly string[])[] {
  const records: { readonly name: string; sequence: string }[] = [];
  for (const line of splitLines(text)) {
    if (line.startsWith('>')) records.push({ name: line.slice(1), sequence: '' });
    if (records.length > maxPreviewRows) break;
    const last = records.at(-1);
    if (last && !line.startsWith('>') && last.sequence.length <= maxCellLength) last.sequence += line;
  }
  return records.slice(0, maxPreviewRows).map(({ name, sequence }) => [shortenCell(name), shortenCell(sequence)]);
}

function readFastq(text: string): readonly (readonly string[])[] {
  const lines = splitLines(text);
  const rows: string[][] = [];
  for (let start = 0; start + 3 < lines.length && rows.length < maxPreviewRows; start += 4) {
    const [name = '', sequence = '', , quality = ''] = lines.slice(start, start + 4);
    rows.push([name.replace(/^@/, ''), sequence, quality].map(shortenCell));
  }
  return rows;
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}
