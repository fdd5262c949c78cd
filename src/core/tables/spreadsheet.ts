import readExcelFile from 'read-excel-file/universal';
import { listZipEntries, unpackZipEntry, type ZipEntry } from '../util/zipArchive.ts';
import { getCellKey, type CellDoubt } from './cellDoubt.ts';
import type { DataTable, TableRow } from './dataTable.ts';
import { SheetNumber } from './sheetNumber.ts';
import { maxCells, maxUnpackedBytes, TableError } from './tableError.ts';

/**
 * Reads the nonempty sheets of an XLSX file. Reads formulas as their stored values. Rejects with a `TableError` if the
 * file isn't an intact ZIP archive or needs too much memory or time, and with another error if its content is invalid.
 */
export async function readSpreadsheet(bytes: Uint8Array): Promise<readonly DataTable[]> {
  await checkWorkbook(bytes);
  const parseNumber = (text: string): SheetNumber => new SheetNumber(text);
  const sheets = await readExcelFile<SheetNumber>(new Uint8Array(bytes).buffer, { parseNumber });
  return dropRepeated(sheets)
    .map(({ sheet, data }) => toTable(sheet, data))
    .filter(({ rows }) => rows.length > 0);
}

/** Returns the sheets, except those stored in the same file of the archive as an earlier sheet. */
function dropRepeated<T extends { readonly data: object }>(sheets: readonly T[]): readonly T[] {
  const seen = new Set<object>();
  return sheets.filter(({ data }) => {
    const isNew = !seen.has(data);
    seen.add(data);
    return isNew;
  });
}

function toTable(sheet: string, data: readonly (readonly unknown[])[]): DataTable {
  const rows = data.map((cells, index): TableRow => ({ line: index + 1, cells: cells.map(formatValue) }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { sheet, rows: filled, doubts: new Map(data.flatMap(listRoundedCells)), longRows: [] };
}

function listRoundedCells(cells: readonly unknown[], index: number): readonly (readonly [string, CellDoubt])[] {
  return cells.flatMap((cell, column) =>
    cell instanceof SheetNumber && cell.isRounded ? [[getCellKey(index + 1, column), { kind: 'rounded' }]] : [],
  );
}

function formatValue(value: unknown): string {
  if (value instanceof SheetNumber) return value.text;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}

/**
 * Checks that a workbook can be read in limited memory and time. Rejects with a {@link TableError} if it isn't an
 * intact ZIP archive, if it unpacks to too many bytes (according to its directory, or when actually unpacked), if its
 * sheets have too many cells in total, or if it has too many sheets or other elements, such as formats.
 */
async function checkWorkbook(bytes: Uint8Array): Promise<void> {
  const entries = listEntries(bytes);
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  if (unpackedBytes > maxUnpackedBytes) throw new TableError('unpacksTooLarge');
  let [cellCount, otherCount] = [0, 0];
  for (const entry of entries) {
    const unpacked = await unpack(entry);
    if (!/\.xml(?:\.rels)?$/i.test(entry.path)) continue;
    const xml = Buffer.from(unpacked).toString('latin1');
    if (isSlow(entry.path, xml)) throw new TableError('tooManyElements');
    otherCount += countOtherTags(xml, maxOtherTags - otherCount);
    if (otherCount > maxOtherTags) throw new TableError('tooManyElements');
    cellCount += countCells(xml);
    if (cellCount > maxCells) throw new TableError('tooManyCells');
  }
}

function listEntries(bytes: Uint8Array): readonly ZipEntry[] {
  try {
    return listZipEntries(bytes);
  } catch {
    throw new TableError('notWorkbook');
  }
}

async function unpack(entry: ZipEntry): Promise<Uint8Array> {
  const unpacked = await unpackZipEntry(entry).catch(() => {
    throw new TableError('notWorkbook');
  });
  if (!unpacked) throw new TableError('unpacksTooLarge');
  return unpacked;
}

/**
 * Matches a number format that is longer than those of spreadsheet programs, which have at most 255 characters. The
 * parser's decision whether it formats dates takes time that grows with the square of its length.
 */
const longFormat = /formatCode\s*=\s*(?:"[^"]{1001}|'[^']{1001})/;

const numberFormat = /<(?:[\w.-]*:)?numFmt[\s/>]/g;
const maxFormats = 5_000;

/** The path of the file that lists the sheets, and of the one that has their paths. */
const workbookPath = /(?:^|\/)workbook\.xml(?:\.rels)?$/i;
const sheetTag = /<(?:[\w.-]*:)?(?:sheet|Relationship)[\s/>]/g;
/** The parser's time grows with the square of the number of sheets. */
const maxSheets = 2_000;

/** Returns true if a file has so many formats or sheets, or such a long format, that the parser could take minutes. */
function isSlow(path: string, xml: string): boolean {
  if (longFormat.test(xml) || countMatches(xml, numberFormat) > maxFormats) return true;
  return workbookPath.test(path) && countMatches(xml, sheetTag) > maxSheets;
}

function countMatches(xml: string, pattern: RegExp): number {
  return xml.match(pattern)?.length ?? 0;
}

/** Maximum number of tags that belong neither to cells nor to texts. The parser needs about 90 bytes for each. */
const maxOtherTags = 10_000_000;

/** Matches the start of a tag that belongs neither to a cell nor to a text. */
const otherTag = /<(?!\/?(?:[\w.-]*:)?(?:row|c|v|f|is|si|t)[\s/>])/g;

/** Returns the number of tags that belong neither to cells nor to texts. Stops counting after `limit`. */
function countOtherTags(xml: string, limit: number): number {
  let count = 0;
  otherTag.lastIndex = 0;
  while (count <= limit && otherTag.test(xml)) count++;
  return count;
}

/**
 * Matches the tag of a row or a cell as the parser reads it, without the final `>`. Quoted text can contain `<` and
 * `>`. An unclosed quote is an ordinary character.
 */
const rowOrCell = /<(?:[\w.-]*:)?(row(?=[\s/>])|c(?=\s))(?:"(?:[^"]*")?|'(?:[^']*')?|[^>"']+)*/g;

/**
 * Matches every attribute that the parser could read as the position of a cell, with any prefix, and even inside other
 * attributes.
 */
const place = /(?<![\w.-])r\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Matches a cell without content, such as one that only has a format. */
const emptyCell = /^<[\w.:-]+(?:\s+[\w.:-]+="[^"'<>]*")*\s*\/$/;

/**
 * Returns the number of cells in a sheet, including those in gaps, which the parser fills with empty cells. Throws a
 * {@link TableError} if the sheet has too many rows, or if a cell's position isn't valid.
 */
function countCells(xml: string): number {
  let [rows, columns, rowTags] = [1, 1, 0];
  for (const [tag, name] of xml.matchAll(rowOrCell)) {
    if (name === 'row' && ++rowTags > maxRows) throw new TableError('tooManyCells');
    const isEmpty = emptyCell.test(tag);
    for (const [, double, single = ''] of tag.matchAll(place)) {
      const { row, column } = parsePlace(double ?? single);
      rows = Math.max(rows, row);
      if (!isEmpty) columns = Math.max(columns, column);
    }
  }
  if (rows > maxRows) throw new TableError('tooManyCells');
  return rows * columns;
}

/** The number of rows that the file format allows. */
const maxRows = 1_048_576;

function parsePlace(text: string): { readonly row: number; readonly column: number } {
  const [, letters, digits] = /^([A-Z]{0,3})(\d{1,10})$/.exec(text) ?? [];
  if (letters === undefined) throw new TableError('tooManyCells');
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return { row: Number(digits), column };
}
