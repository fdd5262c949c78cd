/** The digest of a file, as declared in the file's metadata. */
export interface DeclaredHash {
  /** The Node.js name of the algorithm: `md5`, `sha1`, `sha256`, `sha512`. */
  readonly algorithm: string;
  /** The digest as lowercase hexadecimal digits. */
  readonly hex: string;
}

const digits: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/**
 * Parses a hash such as `sha256:…`. Without a prefix, detects the algorithm by the number of hexadecimal digits.
 * Returns undefined for any other text.
 */
export function parseDeclaredHash(text: string | null | undefined): DeclaredHash | undefined {
  const stated = (text ?? '').trim().toLowerCase();
  const end = stated.indexOf(':');
  const rest = stated.slice(end + 1);
  const algorithm = end === -1 ? detectAlgorithm(rest) : stated.slice(0, end).replace('-', '');
  if (algorithm === undefined || !Object.hasOwn(digits, algorithm)) return undefined;
  return rest.length === digits[algorithm] && /^[0-9a-f]+$/.test(rest) ? { algorithm, hex: rest } : undefined;
}

function detectAlgorithm(hex: string): string | undefined {
  return Object.keys(digits).find((name) => digits[name] === hex.length);
}
