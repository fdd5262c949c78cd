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
