import { formatIsoTime, formatNumber, parseNumberFormat, type CellText, type NumberFormat } from './numberFormat.ts';
import { CellBudget, SheetCollector } from './sheetCollector.ts';
import { TableError } from './tableError.ts';
import { decodeReferences, parseXml, type Attributes, type WorkbookFile, type XmlReader } from './workbookFile.ts';

/** A sheet as listed in a workbook. */
interface ListedSheet {
  readonly name: string;
  readonly relation: string;
  readonly isHidden: boolean;
}

/** The content to which the cells of all sheets refer. */
interface SharedContent {
  readonly texts: readonly string[];
  /** The number formats by the number of a cell's style. */
  readonly formats: readonly (NumberFormat | undefined)[];
  /** True if dates are counted from 1904, as Excel for Mac did. */
  readonly is1904: boolean;
}

/**
 * Reads the sheets of a workbook in Excel's format (XLSX or XLSM), hidden ones last. Skips those without cells, such as
 * charts. Reads formulas as their stored values.
 */
export async function readExcelWorkbook(file: WorkbookFile): Promise<readonly SheetCollector[]> {
  const root = await readRelations(file, '_rels/.rels');
  const path = [...root.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml';
  const xml = await file.read(path);
  if (xml === undefined) throw new TableError('notWorkbook');
  const { sheets, is1904 } = parseWorkbook(xml);
  const relations = await readRelations(file, path.replace(/[^/]*$/, '_rels/$&.rels'), path);
  const content = await readSharedContent(file, relations, is1904);
  const budget = new CellBudget();
  const collected: SheetCollector[] = [];
  for (const [sheetPath, sheet] of listSheetPaths(sheets, relations)) {
    const sheetXml = await file.read(sheetPath);
    if (sheetXml === undefined) throw new TableError('notWorkbook');
    const reader = new SheetReader(new SheetCollector(sheet.name, budget), content);
    parseXml(sheetXml, reader);
    collected.push(reader.sheet);
  }
  return collected;
}

/** Returns the visible and then the hidden sheets with cells, by path. Each path belongs to its first sheet. */
function listSheetPaths(sheets: readonly ListedSheet[], relations: Relations): ReadonlyMap<string, ListedSheet> {
  const ordered = [...sheets.filter(({ isHidden }) => !isHidden), ...sheets.filter(({ isHidden }) => isHidden)];
  const paths = new Map<string, ListedSheet>();
  for (const sheet of ordered) {
    const relation = relations.get(sheet.relation);
    if (relation?.type === 'worksheet' && !paths.has(relation.path)) paths.set(relation.path, sheet);
  }
  return paths;
}

/** The files that belong to a file, by the IDs with which it refers to them. */
type Relations = ReadonlyMap<string, { readonly type: string; readonly path: string }>;

async function readRelations(file: WorkbookFile, path: string, base = ''): Promise<Relations> {
  const relations = new Map<string, { type: string; path: string }>();
  parseElements(await file.read(path), (name, { Id = '', Type = '', Target = '' }) => {
    if (name === 'Relationship')
      relations.set(Id, { type: Type.replace(/^.*\//, ''), path: resolvePath(base, Target) });
  });
  return relations;
}

function resolvePath(base: string, target: string): string {
  const parts: string[] = [];
  const whole = target.startsWith('/') ? target : base.replace(/[^/]*$/, decodeReferences(target));
  for (const part of whole.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
}

function parseElements(xml: string | undefined, visit: (name: string, attributes: Attributes) => void): void {
  if (xml === undefined) return;
  const ignore = (): void => undefined;
  parseXml(xml, { open: (name, readAttributes) => visit(name, readAttributes()), text: ignore, close: ignore });
}

function parseWorkbook(xml: string): { readonly sheets: readonly ListedSheet[]; readonly is1904: boolean } {
  const sheets: ListedSheet[] = [];
  let is1904 = false;
  parseElements(xml, (element, attributes) => {
    if (element === 'workbookPr') is1904 = isTrue(attributes.date1904);
    if (element !== 'sheet') return;
    const { name = '', state } = attributes;
    const id = Object.keys(attributes).find((key) => key.endsWith(':id')) ?? '';
    sheets.push({
      name: decodeReferences(name),
      relation: attributes[id] ?? '',
      isHidden: /hidden/i.test(state ?? ''),
    });
  });
  return { sheets, is1904 };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

async function readSharedContent(file: WorkbookFile, relations: Relations, is1904: boolean): Promise<SharedContent> {
  const find = (wanted: string): string => [...relations.values()].find(({ type }) => type === wanted)?.path ?? '';
  const texts = new TextReader();
  const xml = await file.read(find('sharedStrings'));
  if (xml !== undefined) parseXml(xml, texts);
  return { texts: texts.texts, formats: parseFormats(await file.read(find('styles'))), is1904 };
}

/** The built-in formats that show dates, times or leading zeros, by number. */
const builtInFormats: readonly (readonly [first: number, last: number, code: string])[] = [
  [1, 1, '0'],
  [14, 17, 'yyyy-mm-dd'],
  [18, 21, 'hh:mm:ss'],
  [22, 22, 'yyyy-mm-dd hh:mm:ss'],
  [27, 31, 'yyyy-mm-dd'],
  [32, 33, 'hh:mm:ss'],
  [34, 36, 'yyyy-mm-dd'],
  [45, 45, 'mm:ss'],
  [46, 46, '[h]:mm:ss'],
  [47, 47, 'mm:ss.0'],
  [50, 58, 'yyyy-mm-dd'],
];

function findBuiltInFormat(id: number): string | undefined {
  return builtInFormats.find(([first, last]) => id >= first && id <= last)?.[2];
}

function parseFormats(xml: string | undefined): readonly (NumberFormat | undefined)[] {
  const codes = new Map<number, string>();
  const parsed = new Map<string, NumberFormat>();
  const formats: (NumberFormat | undefined)[] = [];
  let isCellStyle = false;
  parseElements(xml, (name, { numFmtId, formatCode = '' }) => {
    const id = Number(numFmtId);
    if (name === 'numFmt') codes.set(id, decodeReferences(formatCode));
    if (name === 'cellXfs' || name === 'cellStyleXfs') isCellStyle = name === 'cellXfs';
    if (name !== 'xf' || !isCellStyle) return;
    const code = codes.get(id) ?? findBuiltInFormat(id);
    if (code !== undefined && !parsed.has(code)) parsed.set(code, parseNumberFormat(code));
    formats.push(code === undefined ? undefined : parsed.get(code));
  });
  return formats;
}

/** Reads the texts to which cells refer. */
class TextReader implements XmlReader {
  readonly texts: string[] = [];
  private current = '';
  private isText = false;
  private isPhonetic = false;

  open(name: string): void {
    this.isText = name === 't';
    if (name === 'rPh') this.isPhonetic = true;
    if (name === 'si') this.current = '';
  }

  text(text: string): void {
    if (this.isText && !this.isPhonetic) this.current += text;
  }

  close(name: string): void {
    this.isText = false;
    if (name === 'rPh') this.isPhonetic = false;
    if (name === 'si') this.texts.push(decodeEscapes(this.current));
  }
}

/** Resolves Excel's form of characters that XML can't contain, such as `_x000D_`. */
function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\dA-F]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Reads the cells of a sheet. */
class SheetReader implements XmlReader {
  readonly sheet: SheetCollector;
  private readonly content: SharedContent;
  private line = 0;
  private column = 0;
  private cell: Attributes | undefined;
  private value = '';
  private hasFormula = false;
  private hasValue = false;
  private isValue = false;
  private isPhonetic = false;

  constructor(sheet: SheetCollector, content: SharedContent) {
    this.sheet = sheet;
    this.content = content;
  }

  open(name: string, readAttributes: () => Attributes): void {
    if (name === 'c') this.openCell(readAttributes());
    else if (name === 'row') this.openRow(readAttributes());
    else if (this.cell) this.openPart(name);
  }

  text(text: string): void {
    if (this.isValue && !this.isPhonetic) this.value += text;
  }

  close(name: string): void {
    if (name === 'c') this.closeCell();
    else if (name === 'row') this.sheet.endRow(this.line);
    else this.closePart(name);
  }

  private openRow({ r }: Attributes): void {
    this.line = r === undefined ? this.line + 1 : Number(r);
    this.column = 0;
  }

  private openCell(attributes: Attributes): void {
    this.cell = attributes;
    this.value = '';
    this.hasFormula = false;
    this.hasValue = false;
    if (attributes.r !== undefined) this.place(attributes.r);
  }

  private place(position: string): void {
    const [, letters = '', digits] = /^([A-Z]{1,3})(\d{1,7})$/i.exec(position) ?? [];
    if (digits === undefined) throw new TableError('tooManyCells');
    this.line = Number(digits);
    this.column = 0;
    for (const letter of letters.toUpperCase()) this.column = this.column * 26 + letter.charCodeAt(0) - 64;
    this.column -= 1;
  }

  private openPart(name: string): void {
    if (name === 'f') this.hasFormula = true;
    if (name === 'v') this.hasValue = true;
    if (name === 'rPh') this.isPhonetic = true;
    this.isValue = name === 'v' || name === 't';
  }

  private closePart(name: string): void {
    this.isValue = false;
    if (name === 'rPh') this.isPhonetic = false;
  }

  private closeCell(): void {
    this.sheet.addCell(this.column, this.readCell(this.cell ?? {}));
    this.cell = undefined;
    this.column += 1;
  }

  private readCell({ t: type = 'n', s: style }: Attributes): CellText {
    const { value } = this;
    const isEmptyText = type === 'str' && this.hasValue;
    if (value === '' && !isEmptyText && this.hasFormula) return { text: '', doubt: { kind: 'noValue' } };
    if (type === 'str' || type === 'inlineStr') return { text: decodeEscapes(value) };
    if (value === '' || type === 'e') return { text: value };
    if (type === 's') return { text: this.getSharedText(Number(value)) };
    if (type === 'b') return { text: isTrue(value) ? 'TRUE' : 'FALSE' };
    const format = this.content.formats[Number(style ?? 0)];
    return type === 'd' ? { text: formatIsoTime(value) } : formatNumber(value, format, this.content.is1904);
  }

  private getSharedText(index: number): string {
    const text = this.content.texts[index];
    if (text === undefined) throw new TableError('notWorkbook');
    return text;
  }
}
