import { TableError } from './tableError.ts';

/** Other formats of files with tables, by the first bytes of the file as hexadecimal digits. */
const binaryFormats: readonly (readonly [RegExp, string])[] = [
  [/^d0cf11e0|^09(?:00|02|04)0[46]00/, 'XLS'],
  [/^(?:68|69|6[a-f]|7[0-3])0[12]0100/, 'Stata'],
  [/^0{24}c2ea8160/, 'SAS'],
  [/^89484446/, 'HDF5'],
  [/^4344460[125]/, 'NetCDF'],
  [/^50415231(?:..)*?(?:0[0-8bcef]|1)/, 'Parquet'],
  [/^(?:4152524f5731|46454131)00/, 'Arrow'],
  [/^1f8b/, 'gzip'],
  [/^425a683[1-9](?:314159265359|177245385090)/, 'bzip2'],
  [/^fd377a58/, 'xz'],
  [/^28b52ffd/, 'zstd'],
];

/** Other formats, by the first characters of the file. */
const textFormats: readonly (readonly [RegExp, string])[] = [
  [/^\$FL[23]/, 'SPSS'],
  [/^<stata_dta>/, 'Stata'],
  [/^RD[ABX][23]\n[ABX]\n/, 'R data'],
  [/^SQLite format 3/, 'SQLite'],
  [/^%PDF-/, 'PDF'],
  [/^(?:ï»¿)?\s*<(?:!doctype html|html|head|meta|style|table)\b/i, 'HTML'],
  [/^(?:ï»¿)?\s*<\?xml\b/, 'XML'],
  [/^\s*(?:\{\s*"|\[\s*\{)/, 'JSON'],
];

/** Matches the names of files that R packs with programs for any content. */
const packedByR = /\.(?:rds|rda|rdata)$/i;

/** The name of the stream that contains the encrypted workbook in a file of the XLS family. */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le');

/** Determines whether a file is a workbook or text. Throws a {@link TableError} if it has another format. */
export function detectFormat(fileName: string, bytes: Uint8Array): 'workbook' | 'text' {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [digits, start] = [file.toString('hex', 0, 16), file.toString('latin1', 0, 64)];
  const format = packedByR.test(fileName) ? 'R data' : (find(binaryFormats, digits) ?? find(textFormats, start));
  if (format === 'XLS' && file.includes(encryptedStream)) throw new TableError('encrypted');
  if (format !== undefined) throw new TableError('unsupported', format);
  return /^504b0[35]/.test(digits) || /\.(?:xls[xmb]|ods|numbers)$/i.test(fileName) ? 'workbook' : 'text';
}

function find(formats: typeof textFormats, start: string): string | undefined {
  return formats.find(([signature]) => signature.test(start))?.[1];
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
