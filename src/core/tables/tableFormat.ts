import { TableError } from './tableError.ts';

/** Other formats of files with tables, by the first bytes of the file as Latin-1 text. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\xd0\xcf\x11\xe0|^\t[\0\x02\x04][\x04\x06]\0/, 'XLS'],
  [/^PAR1/, 'Parquet'],
  [/^(?:ARROW1|FEA1)/, 'Arrow'],
  [/^\$FL[23]/, 'SPSS'],
  [/^(?:<stata_dta>|[\x68-\x73][\x01\x02]\x01\0)/, 'Stata'],
  [/^\0{12}\xc2\xea\x81\x60/, 'SAS'],
  [/^RD[AX][23]\n/, 'R data'],
  [/^\x89HDF/, 'HDF5'],
  [/^CDF[\x01\x02\x05]/, 'NetCDF'],
  [/^SQLite format 3\0/, 'SQLite'],
  [/^%PDF-/, 'PDF'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|meta|style|table)\b/i, 'HTML'],
  [/^(?:\xef\xbb\xbf)?\s*<\?xml\b/, 'XML'],
  [/^\s*(?:\{\s*"|\[\s*\{)/, 'JSON'],
  [/^\x1f\x8b/, 'gzip'],
  [/^BZh\d/, 'bzip2'],
  [/^\xfd7zXZ/, 'xz'],
  [/^\x28\xb5\x2f\xfd/, 'zstd'],
];

/** Matches the names of files that R packs with programs for any content. */
const packedByR = /\.(?:rds|rda|rdata)$/i;

/** The name of the stream that contains the encrypted workbook in a file of the XLS family. */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le');

/** Determines whether a file is a workbook or text. Throws a {@link TableError} if it has another format. */
export function detectFormat(fileName: string, bytes: Uint8Array): 'workbook' | 'text' {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.toString('latin1', 0, 64);
  const format = packedByR.test(fileName) ? 'R data' : signatures.find(([signature]) => signature.test(start))?.[1];
  if (format === 'XLS' && file.includes(encryptedStream)) throw new TableError('encrypted');
  if (format !== undefined) throw new TableError('unsupported', format);
  return /^PK[\x03\x05]/.test(start) || /\.(?:xls[xmb]|ods|numbers)$/i.test(fileName) ? 'workbook' : 'text';
}

/**
 * Decodes the text of a table from UTF-8 or UTF-16, with or without a byte order mark. Decodes any other bytes as
 * Windows-1252. Spreadsheet programs save "Unicode Text" as UTF-16.
 */
export function decodeTableText(bytes: Uint8Array): string {
  const encoding = detectUtf16(bytes);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Number of bytes to inspect at the start of a file. */
const sampleSize = 1024;
/** Number of zero bytes that a small table in another encoding may have. */
const maxNulCharacters = 3;

/**
 * Detects UTF-16 by its byte order mark, or by the zero bytes in ASCII characters such as digits and separators. More
 * than a sixteenth of the characters must contain a zero byte, almost always at an odd position or almost always at an
 * even one, because other encodings may contain a few NUL characters.
 */
function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, sampleSize);
  const zeros = [...sample].flatMap((byte, index) => (byte === 0 ? [index % 2] : []));
  const odd = zeros.filter((position) => position === 1).length;
  const even = zeros.length - odd;
  const isFew = zeros.length <= Math.max(maxNulCharacters, sample.length / 32);
  if (isFew || Math.min(odd, even) > zeros.length / 8) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}
