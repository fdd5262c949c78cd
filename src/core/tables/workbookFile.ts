import { Parser } from 'saxen';
import { listZipEntries, unpackZipEntry, type ZipEntry } from '../util/zipArchive.ts';
import { maxUnpackedBytes, TableError } from './tableError.ts';

/** Other formats of documents in ZIP archives, by a path in the archive. */
const otherFormats: readonly (readonly [RegExp, string])[] = [
  [/^xl\/workbook\.bin$/, 'XLSB'],
  [/^index(?:\.zip$|\/.*\.iwa$)/, 'Numbers'],
  [/^word\/document\.xml$/, 'DOCX'],
];

/** The files in a workbook's ZIP archive. */
export class WorkbookFile {
  private readonly entries: ReadonlyMap<string, ZipEntry>;
  private unpackedBytes = 0;

  /** Throws a {@link TableError} if the file isn't a ZIP archive, or contains a document in another format. */
  constructor(bytes: Uint8Array) {
    try {
      this.entries = new Map(listZipEntries(bytes).map((entry) => [toKey(entry.path), entry]));
    } catch {
      throw new TableError('notWorkbook');
    }
    const format = otherFormats.find(([path]) => [...this.entries.keys()].some((key) => path.test(key)))?.[1];
    if (format !== undefined) throw new TableError('unsupported', format);
  }

  /** True for an OpenDocument file. */
  get isOpenDocument(): boolean {
    return this.entries.has('content.xml');
  }

  /**
   * Unpacks a file; resolves to undefined if it doesn't exist. Rejects with a {@link TableError} if the file is
   * damaged, or if the files that were read are too large, according to the directory or in fact.
   */
  async read(path: string): Promise<string | undefined> {
    const entry = this.entries.get(toKey(path));
    if (!entry) return undefined;
    this.unpackedBytes += entry.unpackedBytes;
    if (this.unpackedBytes > maxUnpackedBytes) throw new TableError('unpacksTooLarge');
    const unpacked = await unpackZipEntry(entry).catch(() => {
      throw new TableError('notWorkbook');
    });
    if (!unpacked) throw new TableError('unpacksTooLarge');
    return Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength).toString();
  }
}

/** Returns a path in the form in which paths are compared: some programs use backslashes, or other letter case. */
function toKey(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Receives the elements of an XML document. The names of elements have no namespace prefix. */
export interface XmlReader {
  open(name: string, readAttributes: () => Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Parses an XML document. Throws a {@link TableError} if it isn't well-formed. */
export function parseXml(xml: string, reader: XmlReader): void {
  const parser = new Parser();
  parser.on('openTag', (name, getAttributes) => reader.open(removePrefix(name), () => getAttributes() || {}));
  parser.on('text', (text) => reader.text(decodeReferences(text)));
  parser.on('cdata', (text) => reader.text(text));
  parser.on('closeTag', (name) => reader.close(removePrefix(name)));
  parser.on('error', () => {
    throw new TableError('notWorkbook');
  });
  parser.parse(xml);
}

function removePrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const names: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Returns text of an XML document, or the value of an attribute, with its character references resolved. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:(amp|apos|gt|lt|quot)|#(\d+)|#x([\da-f]+));/gi, resolveReference);
}

function resolveReference(whole: string, name = '', decimal?: string, hex = ''): string {
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return names[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : whole);
}
