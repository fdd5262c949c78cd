const pattern = /^(\d[\d\s.,'\u00a0\u202f]*)\s*([kmgtp]?)(i?)(?:b|o|bytes?|octets?)?$/i;
const powers = ['', 'k', 'm', 'g', 't', 'p'];

/**
 * Parses a size in the forms that people write, such as `10 MB`, `1.5 GiB` or `1,5 Go`. Returns whole bytes; undefined
 * for any other text.
 */
export function parseWrittenSize(text: string): number | undefined {
  const match = pattern.exec(text.trim());
  const amount = match && parseAmount(match[1] ?? '');
  if (amount === undefined || amount === null) return undefined;
  const base = match?.[3] ? 1024 : 1000;
  const sizeBytes = Math.round(amount * base ** powers.indexOf(match?.[2]?.toLowerCase() ?? ''));
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : undefined;
}

/** Parses a number with a decimal point or comma, with or without thousands separators. */
function parseAmount(text: string): number | undefined {
  const digits = text.replaceAll(/[\s'\u00a0\u202f]/g, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return Number(digits.replaceAll(',', ''));
  if (/^\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$|^\d{1,3}(?:\.\d{3})+,\d+$/.test(digits))
    return Number(digits.replaceAll('.', '').replace(',', '.'));
  return /^\d+(?:[.,]\d+)?$/.test(digits) ? Number(digits.replace(',', '.')) : undefined;
}

/**
 * Formats a size, such as `10 MB`, `1.5 GiB` or `1234`, so that {@link parseWrittenSize} returns exactly the same
 * number of bytes.
 */
export function writeSize(sizeBytes: number): string {
  const units = ['PB', 'TB', 'GB', 'MB', 'kB', 'PiB', 'TiB', 'GiB', 'MiB', 'KiB'];
  const written = units.flatMap((unit) => {
    const amount = sizeBytes / (parseWrittenSize(`1 ${unit}`) ?? 1);
    return amount >= 1 && Number.isInteger(amount * 100) ? [`${amount} ${unit}`] : [];
  });
  return written[0] ?? String(sizeBytes);
}
