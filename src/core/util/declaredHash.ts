/** A digest that metadata states of a file. */
export interface DeclaredHash {
  /** As Node names it: `md5`, `sha1`, `sha256`, `sha512`. */
  readonly algorithm: string;
  /** In lower case. */
  readonly hex: string;
}

const digits: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/**
 * Understands `sha256:…`, and hex alone by its length: the standard's MD5, or another. What is no digest of a known kind,
 * like the tag of an upload in parts, cannot be checked and is passed over.
 */
export function declaredHashOf(text: string | null | undefined): DeclaredHash | undefined {
  const stated = (text ?? '').trim().toLowerCase();
  const [prefix = '', rest = ''] = stated.includes(':') ? stated.split(':', 2) : ['', stated];
  const name = prefix.replace('-', '');
  const algorithm = name === '' ? algorithmOf(rest) : name;
  if (algorithm === undefined || !Object.hasOwn(digits, algorithm)) return undefined;
  return rest.length === digits[algorithm] && /^[0-9a-f]+$/.test(rest) ? { algorithm, hex: rest } : undefined;
}

function algorithmOf(hex: string): string | undefined {
  return Object.keys(digits).find((name) => digits[name] === hex.length);
}
