/** A record of a CSV file, with the 1-based number of the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  readonly separator: string;
  /** The number of quoted cells at the start. */
  readonly quotedCount: number;
  /** The number of cells in each of several lines, if they are read without quoting and have the same number. */
  readonly lineWidth?: number | undefined;
}

const separators = ['\t', ',', ';', '|'];

/**
 * Parses CSV (RFC 4180) separated by commas, semicolons, tabs or vertical bars: as the line `sep=` states, or whichever
 * is most frequent in the first line after the comments. Also reads the forms of some programs: names between spaces
 * (R), the section `[Data]` (Illumina), types in the second line (QIIME 2) and checksums (`sha256sum`). Accepts any
 * line endings. Skips empty lines and leading comments that begin with `#`, but not a header such as `#id,name`.
 * `separator` is that of a format with only one.
 */
export function* parseCsv(text: string, separator?: string): Generator<CsvRecord> {
  const source = text.replace(/^\uFEFF/, '');
  yield* checksumLine.test(source) ? parseChecksums(source) : parseRecords(source, separator);
}

/** Matches a line of the list that programs such as `sha256sum` write. */
const checksumLine = /^\\?([\da-f]{32,128}) [ *]([^\r\n]+)/i;

function* parseChecksums(text: string): Generator<CsvRecord> {
  for (const [index, row] of text.split(/\r\n|\n|\r/).entries()) {
    const [, ...cells] = checksumLine.exec(row) ?? ['', row];
    if (row !== '') yield { line: index + 1, cells, separator: ' ', quotedCount: 0 };
  }
}

function* parseRecords(source: string, known?: string): Generator<CsvRecord> {
  const {
    start,
    line,
    separator,
    isSection = false,
  } = known === undefined ? findStart(source) : skipComments(source, known);
  const reader = new CsvReader(source, separator, start, line);
  for (let record = reader.readRecord(); record; record = reader.readRecord()) {
    if (isSection && isSectionName(record)) return;
    if (!isIgnored(record)) yield record;
  }
}

function isSectionName({ cells: [first = '', ...others] }: CsvRecord): boolean {
  return /^\[\w+\]$/.test(first) && others.every((cell) => cell === '');
}

function isIgnored({ cells }: CsvRecord): boolean {
  const first = cells[0] ?? '';
  return first === '' ? cells.length === 1 : first.startsWith('#q2:');
}

class CsvReader {
  private readonly plain: RegExp;
  private readonly closing: RegExp;
  private readonly text: string;
  private readonly separator: string;
  private position: number;
  private line: number;

  constructor(text: string, separator: string, position: number, line: number) {
    this.text = text;
    this.separator = separator;
    this.position = position;
    this.line = line;
    this.plain = new RegExp(`[^\\${separator}\\r\\n]*`, 'y');
    this.closing = new RegExp(`"${/\s/.test(separator) ? '' : ' *'}(?:[\\${separator}\\r\\n]|$)`, 'y');
  }

  /** Returns the next record, which may be an empty line; undefined at the end of the text. */
  readRecord(): CsvRecord | undefined {
    if (this.position >= this.text.length) return undefined;
    const { line, position, separator } = this;
    const cells: string[] = [];
    let quotedCount = 0;
    do {
      const start = this.position;
      const quoted = this.readQuoted();
      if (this.position > start && quotedCount === cells.length) quotedCount += 1;
      cells.push(quoted + this.readPlain());
    } while (this.readEnd());
    const lineWidth = this.line > line + 1 ? this.countLineCells(position) : undefined;
    return { line, cells, separator, quotedCount, lineWidth };
  }

  private countLineCells(from: number): number | undefined {
    const lines = this.text.slice(from, this.position).split(/[\r\n]+/);
    const [width, ...others] = new Set(lines.filter(Boolean).map((line) => countCells(line, this.separator)));
    return others.length === 0 ? width : undefined;
  }

  private readQuoted(): string {
    const start = this.position + 1;
    const end = this.text[this.position] === '"' ? this.findClosingQuote(start) : -1;
    if (end < 0) return '';
    const quoted = this.text.slice(start, end);
    const lineEnds = countLineEnds(quoted);
    // Quotes that would join lines with tabs are ordinary characters, as in files that are written without quoting.
    if (lineEnds > 0 && this.separator === '\t' && quoted.includes('\t')) return '';
    this.position = end + 1;
    this.line += lineEnds;
    return quoted.replaceAll('""', '"');
  }

  /**
   * Returns the position of the quote that ends a cell; -1 if the next single quote isn't at the end of a cell. Then
   * the quote that begins the cell is an ordinary character, as in the many files that are written without quoting.
   */
  private findClosingQuote(from: number): number {
    let quote = this.text.indexOf('"', from);
    while (quote >= 0 && this.text[quote + 1] === '"') quote = this.text.indexOf('"', quote + 2);
    this.closing.lastIndex = quote;
    return quote >= 0 && this.closing.test(this.text) ? quote : -1;
  }

  private readPlain(): string {
    this.plain.lastIndex = this.position;
    const [cell = ''] = this.plain.exec(this.text) ?? [];
    this.position += cell.length;
    return cell;
  }

  /** Skips a separator or the end of a line. Returns true if the record continues. */
  private readEnd(): boolean {
    const isSeparator = this.text[this.position] === this.separator;
    if (!isSeparator) this.line += 1;
    this.position += this.text.startsWith('\r\n', this.position) ? 2 : 1;
    return isSeparator;
  }
}

function countLineEnds(text: string): number {
  return text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\n|\r/).length - 1 : 0;
}

/** The place where the first record begins, and what separates its cells. */
interface CsvStart {
  readonly start: number;
  readonly line: number;
  readonly separator: string;
  /** True if a line with the name of a section ends the table. */
  readonly isSection?: boolean;
}

/** The first line of a file that declares its separator, which Excel obeys. */
const declaration = /^"?sep=([^\w\r\n])"?(?:\r\n|\n|\r)/i;

/**
 * The lines of an Illumina sample sheet before its table. Tried only at the start of a text, so that it is read once.
 */
const sectionsBeforeData = /(?<![^])\[\w+\][,;\t]*[\r\n][^]*?^\[(?:BCLConvert_)?Data\][,;\t]*(?:\r\n|\n|\r)/im;

function findStart(text: string): CsvStart {
  const [declared, declaredSeparator] = declaration.exec(text) ?? [];
  if (declared && declaredSeparator) return { start: declared.length, line: 2, separator: declaredSeparator };
  const [sections] = text.startsWith('[') ? (sectionsBeforeData.exec(text) ?? []) : [];
  if (sections === undefined) return skipComments(text);
  const start = sections.length;
  const separator = detectSeparator(text, start);
  return { start, line: 1 + countLineEnds(sections), separator, isSection: true };
}

/**
 * Finds the first record after the comments. Treats the last comment as a header if it has as many columns as that
 * record.
 */
function skipComments(text: string, known?: string): CsvStart {
  let last = { start: 0, line: 1 };
  let next = last;
  while (/[#\r\n]/.test(text[next.start] ?? '')) {
    if (text[next.start] === '#') last = next;
    next = { start: findNextLine(text, next.start), line: next.line + 1 };
  }
  const separator = known ?? detectSeparator(text, next.start);
  const columns = countCells(readLine(text, next.start), separator);
  const hasHeader = last !== next && columns > 1 && countCells(readLine(text, last.start), separator) === columns;
  return { ...(hasHeader ? last : next), separator };
}

function findNextLine(text: string, from: number): number {
  const lineEnd = /\r\n|\n|\r|$/g;
  lineEnd.lastIndex = from;
  const { index = text.length, 0: end = '' } = lineEnd.exec(text) ?? {};
  return index + end.length;
}

/** The maximum number of characters to inspect when detecting the separator of a line. */
const sampleLength = 65_536;

/** Returns a line without its quoted cells, up to a maximum length. */
function readLine(text: string, from: number): string {
  const unquoted = text.slice(from, from + sampleLength).replace(/"[^"]*"/g, '');
  return unquoted.slice(0, findNextLine(unquoted, 0));
}

function countCells(line: string, separator: string): number {
  return line.split(separator).length;
}

/**
 * Returns the separator of the line at a position or, if it is one quoted name, of the next quoted line, because R
 * doesn't name the first column.
 */
function detectSeparator(text: string, from: number): string {
  const next = findNextLine(text, from);
  const canBeNext = text[from] === '"' && text[next] === '"';
  return findSeparator(text, from) ?? (canBeNext ? findSeparator(text, next) : undefined) ?? ',';
}

/**
 * Returns the most frequent separator in a line; undefined if there is none. A space separates only quoted cells, as R
 * writes them by default.
 */
function findSeparator(text: string, from: number): string | undefined {
  const line = readLine(text, from);
  const counts = separators.map((separator) => countCells(line, separator));
  const most = Math.max(...counts);
  if (most > 1) return separators[counts.indexOf(most)];
  return text[from] === '"' && line.startsWith(' ') ? ' ' : undefined;
}

/** The value of a cell; undefined for an empty cell. */
export type Cell = string | number | undefined;

/** A character that separates the cells of a row. */
export type Separator = ',' | '\t';

/**
 * Matches text that a spreadsheet may read as a formula: a sign that starts one (also in its full-width or small form),
 * after any invisible characters, or a leading tab or line break.
 */
const formulaStart = /^(?:[\s\p{C}\ufffd]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** Matches a number, which a spreadsheet reads as a value even if it begins with a sign. */
const plainNumber = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?$/i;

/**
 * Matches the position after a semicolon or a line break where a formula would start. In locales that separate cells
 * with semicolons, quotes protect only the cell at the start of a row.
 */
const innerFormulaStart =
  /(?<=[;\r\n])(?=(?:(?![\r\n])["\s\p{C}\ufffd])*[=+\-@＝＋－＠﹦﹢﹣﹫])(?![ \t]*[+-](?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?[ \t]*(?:[;\r\n]|$))/giu;
const unsafeControl = /[^\P{Cc}\t\r\n]/gu;

/**
 * Formats a row as CSV (RFC 4180), or with tabs instead of commas. Puts an apostrophe before text that a spreadsheet
 * could interpret as a formula, but not before numbers. Does the same after a semicolon or a line break within a cell.
 * Replaces control characters.
 */
export function formatRow(cells: readonly Cell[], separator: Separator = ','): string {
  return `${cells.map(formatCell).join(separator)}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell === 'number' || cell === undefined) return String(cell ?? '');
  const text = cell.replace(unsafeControl, '\ufffd').replace(innerFormulaStart, "'");
  const safeText = formulaStart.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  // In locales that use semicolons or tabs as separators, spreadsheets split unquoted cells at them.
  return /[",;\t\r\n]/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}
