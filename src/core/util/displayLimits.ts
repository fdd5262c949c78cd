/**
 * Maximum number of combining marks on a character. Few texts have more: Burmese words have five. Longer stacks overlap
 * other lines.
 */
const maxMarks = 6;
const excessMarks = new RegExp(`(\\p{M}{${String(maxMarks)}})\\p{M}+`, 'gu');

/** Maximum total that is shown. */
const largestAmount = 1e21;

/** Limits combining marks to six in a row. */
export function limitMarks(text: string): string {
  return text.replace(excessMarks, '$1');
}

/** Truncates text to `longest` UTF-16 code units, including a final "…". Never splits a surrogate pair. */
export function shortenText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Shortens a path to a leading "…" and its last segments, at most `longest` UTF-16 code units in total. The last
 * segment is always complete, even if it is longer.
 */
export function shortenPath(path: string, longest: number): string {
  if (path.length <= longest) return path;
  const [last = '', ...others] = path.split(/(?=[\\/])/).reverse();
  let end = last;
  for (const name of others) {
    if (1 + name.length + end.length > longest) break;
    end = name + end;
  }
  return `…${end}`;
}

/** Clamps a number to the range that can be displayed: 0 to 10^21. */
export function limitAmount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(0, value), largestAmount);
}

/**
 * Rounds a fraction from 0 to 1 down to a multiple of 0.01, so that only complete work is shown as 100%. Tolerates the
 * rounding error of fractions such as 0.29.
 */
export function floorToPercent(share: number): number {
  return Math.floor(100 * share + 1e-9) / 100;
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

function getUnitPower(sizeBytes: number): number {
  return sizeBytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(sizeBytes) / 3), sizeUnits.length - 1);
}

/**
 * Formats a number of bytes as a part of a total: `1.2` and `200 GB`. The part has the unit of the total, is rounded
 * down, and has enough digits for steps of about a percent.
 */
export function formatByteProgress(done: number, total: number, locale: string): [done: string, total: string] {
  const power = getUnitPower(limitAmount(total));
  const [part, whole] = [limitAmount(done) / 1000 ** power, limitAmount(total) / 1000 ** power];
  const digits = power === 0 ? 0 : Number(part < 10) + Number(whole < 10);
  const rounded = Math.floor(part * 10 ** digits + 1e-9) / 10 ** digits;
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: digits });
  return [format.format(done >= total ? whole : rounded), formatByteSize(total, locale)];
}

/** Formatters by locale, unit and number of digits. Creating one takes longer than the rest of a row. */
const sizeFormats = new Map<string, Intl.NumberFormat>();

/** Formats a number of bytes in decimal units, as is common in data repositories: `67 kB`. */
export function formatByteSize(size: number, locale: string): string {
  const sizeBytes = limitAmount(size);
  const power = getUnitPower(sizeBytes);
  const value = sizeBytes / 1000 ** power;
  const maximumFractionDigits = value < 10 && power > 0 ? 1 : 0;
  const key = `${locale} ${power} ${maximumFractionDigits}`;
  const unitDisplay = power === 0 ? 'long' : 'short';
  const unit = { style: 'unit', unit: sizeUnits[power] ?? 'byte', unitDisplay } as const;
  const format = sizeFormats.get(key) ?? new Intl.NumberFormat(locale, { ...unit, maximumFractionDigits });
  sizeFormats.set(key, format);
  return format.format(value);
}
