import { crc32, deflateRawSync } from 'node:zlib';

/** A cell of a sheet: text, a number as written to the file, or undefined for an empty cell. */
type XlsxCell = string | { readonly number: string } | undefined;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

interface ZipOptions {
  readonly isDeflated?: boolean;
  /** The uncompressed size that the archive declares for each file, instead of the actual one. */
  readonly declaredBytes?: number;
}

interface XlsxOptions extends ZipOptions {
  /** Additional files by path; they replace generated files with the same path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Returns an XLSX file with the given sheets (name to rows), whose cells contain inline text or numbers. */
export function createXlsx(
  sheets: Readonly<Record<string, readonly (readonly XlsxCell[])[]>>,
  { files, ...options }: XlsxOptions = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const listed = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  const targets = names.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const packaged = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const contents = {
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}">${targets.join('')}</Relationships>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        createSheetXml(rows.map(formatXlsxRow).join('')),
      ]),
    ),
    ...files,
  };
  return zip(contents, options);
}

/** Returns the XML of a sheet with the given rows, which must also be XML. */
export function createSheetXml(rows: string): string {
  return `<worksheet xmlns="${main}" xmlns:x="${main}"><sheetData>${rows}</sheetData></worksheet>`;
}

function formatXlsxRow(cells: readonly XlsxCell[], index: number): string {
  const row = index + 1;
  const written = cells.map((cell, column) => {
    const place = `${String.fromCharCode(65 + column)}${row}`;
    if (cell === undefined) return '';
    if (typeof cell === 'string') return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
    return `<c r="${place}"><v>${cell.number}</v></c>`;
  });
  return written.some(Boolean) ? `<row r="${row}">${written.join('')}</row>` : '';
}

/** Returns a ZIP archive with the given files (path to content), uncompressed unless `isDeflated` is set. */
export function zip(
  files: Readonly<Record<string, string>>,
  { isDeflated = false, declaredBytes }: ZipOptions = {},
): Uint8Array {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, plain] = [Buffer.from(name), Buffer.from(text)];
    const data = isDeflated ? deflateRawSync(plain) : plain;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(isDeflated ? 8 : 0, 4);
    head.writeUInt32LE(crc32(plain), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(declaredBytes ?? plain.length, 18);
    head.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, path, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, place, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
