import { formatDuration, formatIsoTime, formatNumber, toPadded, type CellText } from './numberFormat.ts';
import { CellBudget, SheetCollector } from './sheetCollector.ts';
import { TableError } from './tableError.ts';
import { decodeReferences, parseXml, type Attributes, type WorkbookFile, type XmlReader } from './workbookFile.ts';

/** Reads the sheets of an OpenDocument workbook (ODS), hidden ones last. Reads formulas as their stored values. */
export async function readOpenDocument(file: WorkbookFile): Promise<readonly SheetCollector[]> {
  const manifest = await file.read('META-INF/manifest.xml');
  if (manifest?.includes('encryption-data')) throw new TableError('encrypted');
  const xml = await file.read('content.xml');
  if (xml === undefined) throw new TableError('notWorkbook');
  const reader = new ContentReader();
  parseXml(xml, reader);
  return [...reader.visible, ...reader.hidden];
}

/** Elements whose tables aren't sheets: drawings, deleted content and copies of other files. */
const skipped = /^(?:shapes|tracked-changes|dde-links)$/;
/** Matches the name of a sheet in which LibreOffice keeps the values of another file. */
const copiedSheet = /^'\w+:.*'#\$/;
/** Maximum number of characters in a cell. */
const maxSpaces = 32_767;

/** Reads the cells of all sheets. */
class ContentReader implements XmlReader {
  readonly visible: SheetCollector[] = [];
  readonly hidden: SheetCollector[] = [];
  private readonly budget = new CellBudget();
  private readonly hiddenStyles = new Set<string | undefined>();
  private style: string | undefined;
  private sheet: SheetCollector | undefined;
  private line = 1;
  private rowRepeat = 1;
  private column = 0;
  private cell: Attributes = {};
  /** The number of elements that are open within a cell, including the cell, or within skipped content. */
  private depth = 0;
  private paragraphs: string[] = [];
  private isParagraph = false;

  open(name: string, readAttributes: () => Attributes): void {
    if (this.depth > 0) this.openPart(name, readAttributes);
    else if (skipped.test(name) || (name === 'table' && this.sheet)) this.openCell({});
    else if (name === 'style') this.style = readAttributes()['style:name'];
    else if (name === 'table-properties') this.readStyle(readAttributes());
    else if (name === 'table') this.openTable(readAttributes());
    else if (name === 'table-row') this.openRow(readAttributes());
    else if (name === 'table-cell' || name === 'covered-table-cell') this.openCell(readAttributes());
  }

  text(text: string): void {
    if (this.isParagraph) this.append(text);
  }

  close(name: string): void {
    if (this.depth > 0) this.closePart(name);
    else if (name === 'table-row') this.closeRow();
    else if (name === 'table') this.sheet = undefined;
  }

  private readStyle(attributes: Attributes): void {
    if (attributes['table:display'] === 'false') this.hiddenStyles.add(this.style);
  }

  private openTable(attributes: Attributes): void {
    const name = decodeReferences(attributes['table:name'] ?? '');
    this.sheet = new SheetCollector(name, this.budget);
    this.line = 1;
    if (copiedSheet.test(name)) return;
    (this.hiddenStyles.has(attributes['table:style-name']) ? this.hidden : this.visible).push(this.sheet);
  }

  private openRow(attributes: Attributes): void {
    this.rowRepeat = readRepeat(attributes['table:number-rows-repeated']);
    this.column = 0;
  }

  private closeRow(): void {
    this.sheet?.endRow(this.line, this.rowRepeat);
    this.line += this.rowRepeat;
  }

  private openCell(attributes: Attributes): void {
    this.cell = attributes;
    this.depth = 1;
    this.paragraphs = [];
  }

  private openPart(name: string, readAttributes: () => Attributes): void {
    this.depth += 1;
    if (name === 'p' && this.depth === 2) {
      this.isParagraph = true;
      this.paragraphs.push('');
    }
    if (!this.isParagraph) return;
    if (name === 's') this.append(' '.repeat(Math.min(readRepeat(readAttributes()['text:c']), maxSpaces)));
    if (name === 'tab') this.append('\t');
    if (name === 'line-break') this.append('\n');
  }

  private closePart(name: string): void {
    this.depth -= 1;
    if (this.depth === 1) this.isParagraph = false;
    if (this.depth > 0 || !name.endsWith('table-cell')) return;
    const repeat = readRepeat(this.cell['table:number-columns-repeated']);
    this.sheet?.addCell(this.column, this.readCell(), repeat);
    this.column += repeat;
  }

  private append(text: string): void {
    this.paragraphs.push((this.paragraphs.pop() ?? '') + text);
  }

  private readCell(): CellText {
    const shown = this.paragraphs.join('\n');
    const { 'office:value': number = '', 'office:value-type': type = '', 'office:string-value': text = '' } = this.cell;
    if (/^(?:float|currency|percentage)$/.test(type)) return readNumber(type, number, shown.trim());
    if (type === 'date') return { text: readDate(this.cell['office:date-value'] ?? '', shown) };
    if (type === 'time') return { text: readTime(this.cell['office:time-value'] ?? '', shown) };
    if (type === 'boolean') return { text: this.cell['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE' };
    if (type === '' && shown === '' && this.cell['table:formula'] !== undefined)
      return { text: '', doubt: { kind: 'noValue' } };
    return { text: this.paragraphs.length > 0 ? shown : decodeReferences(text) };
  }
}

/** Matches a number in any usual form: with groups, decimals, an exponent or a fraction. */
const plainNumber = /^[-+(]?[\d\s.,'’]*(?:E[-+]?\d+|\/\d+)?[)%-]?$/i;

/**
 * Returns the text of a number; as the cell shows it, if that has leading zeros or other text, also of digits. The name
 * of a currency can be any text, as in `SRR0012`.
 */
function readNumber(type: string, stored: string, shown: string): CellText {
  const number = formatNumber(stored);
  if (type === 'percentage' || (type === 'currency' && /[.,]\d/.test(shown))) return number;
  if (/^\p{L}+$/u.test(shown)) return { text: shown }; // TRUE
  const isGrouped = /^[1-9]\d{0,2}(?:[\s.,'’]\d{2,3})+$/.test(shown);
  const hasSameDigits = shown.replace(/\D/g, '').replace(/^0+(?=\d)/, '') === number.text;
  const hasText = /^\d+$/.test(shown) ? shown.endsWith(number.text) : !plainNumber.test(shown);
  return number.doubt || isGrouped || !(hasSameDigits || hasText) ? number : toPadded(number.text, shown);
}

/** Returns a date; with its time, if the cell shows more numbers than year, month and day. */
function readDate(stored: string, shown: string): string {
  const [day = '', time = '00:00:00'] = formatIsoTime(stored).split('T');
  return (shown.match(/\d+/g) ?? []).length > 3 ? `${day}T${time}` : day;
}

/** Returns a duration; as a time of a day, if the cell doesn't show all of its hours. */
function readTime(stored: string, shown: string): string {
  const [hours = '', ...others] = formatDuration(stored).split(':');
  const isDuration = Number(hours) < 24 || shown.includes(hours);
  return [isDuration ? hours : String(Number(hours) % 24).padStart(2, '0'), ...others].join(':');
}

function readRepeat(count: string | undefined): number {
  const number = Number(count ?? 1);
  return Number.isInteger(number) && number > 0 ? number : 1;
}
