/** The units of time: a pattern for the English and French names, and a function that subtracts one. */
const units: readonly (readonly [pattern: RegExp, subtract: (date: Date, count: number) => void])[] = [
  [/^(?:hours?|heures?)$/, (date, count) => date.setTime(date.getTime() - count * 3_600_000)],
  [/^(?:days?|jours?)$/, (date, count) => date.setDate(date.getDate() - count)],
  [/^(?:weeks?|semaines?)$/, (date, count) => date.setDate(date.getDate() - 7 * count)],
  [/^(?:months?|mois)$/, (date, count) => subtractMonths(date, count)],
  [/^(?:years?|ans?|annees?)$/, (date, count) => subtractMonths(date, 12 * count)],
];

const counts: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, un: 1, une: 1 };

/**
 * Parses a date in a form that people write, in English or French. Examples: `2026-05-01`, `2026-05-01 14:30`,
 * `2026-05`, `yesterday`, `last week`, `3 days ago`. Dates without a time zone are in local time. Returns milliseconds
 * since 1970; undefined for any other text.
 */
export function parseWrittenDate(text: string, now: number): number | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ');
  return parseNamedDay(words, now) ?? parseDistance(words, now) ?? parseNumbers(text.trim());
}

function parseNamedDay(words: string, now: number): number | undefined {
  if (/^(?:today|aujourd'hui)$/.test(words)) return getMidnight(now, 0);
  if (/^(?:yesterday|hier)$/.test(words)) return getMidnight(now, 1);
  return undefined;
}

/**
 * Parses a relative date such as `last week`, `3 days ago`, `la semaine dernière` or `il y a 3 jours`. For days and
 * longer units, returns midnight at the start of the day; for hours, the start of the minute.
 */
function parseDistance(words: string, now: number): number | undefined {
  const match =
    /^(?:the )?(?:last|past) (?:(\d{1,4}) )?(\w+)$/.exec(words) ??
    /^(\d{1,4}|an?|one) (\w+) ago$/.exec(words) ??
    /^il y a (\d{1,4}|une?) (\w+)$/.exec(words) ??
    /^(?:les? |la |l')?(?:(\d{1,4}) )?derni(?:ers?|eres?) (\w+)$/.exec(words) ??
    /^(?:le |la |l')()(\w+) (?:derniere?|passee?)$/.exec(words);
  const unit = units.find(([pattern]) => pattern.test(match?.[2] ?? ''));
  if (!match || !unit) return undefined;
  const date = new Date(now);
  const written = match[1] ?? '';
  unit[1](date, written === '' ? 1 : (counts[written] ?? Number(written)));
  return unit === units[0] ? date.setSeconds(0, 0) : getMidnight(date.getTime(), 0);
}

const numbers = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?$/;

/** Parses a numeric date in local time, or an instant with a time zone. */
function parseNumbers(text: string): number | undefined {
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/i.test(text)) {
    const instant = Date.parse(text);
    return Number.isNaN(instant) ? undefined : instant;
  }
  const match = numbers.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, ...time] = match.slice(1).map((part) => (part ? Number(part) : undefined));
  const [hours = 0, minutes = 0, seconds = 0] = time;
  const date = new Date(year, month - 1, day, hours, minutes, seconds);
  // `Date` moves a nonexistent day, such as February 30, to the next month.
  const isReal = date.getMonth() === month - 1 && date.getDate() === day && hours < 24 && minutes < 60 && seconds < 60;
  return isReal ? date.getTime() : undefined;
}

/** Formats a time to the second in a short form that {@link parseWrittenDate} accepts. */
export function writeDate(at: number): string {
  const date = new Date(at);
  const seconds = date.getSeconds() === 0 ? '' : `:${padNumber(date.getSeconds())}`;
  const time = `${padNumber(date.getHours())}:${padNumber(date.getMinutes())}${seconds}`;
  return time === '00:00' ? formatDay(at) : `${formatDay(at)} ${time}`;
}

/** Formats a time as a local date, such as `2026-11-26`. */
export function formatDay(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${padNumber(date.getMonth() + 1)}-${padNumber(date.getDate())}`;
}

function padNumber(value: number): string {
  return String(value).padStart(2, '0');
}

function getMidnight(at: number, daysBefore: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBefore).getTime();
}

/** Subtracts months from `date` in place. Uses the last day of the resulting month if that month is too short. */
function subtractMonths(date: Date, count: number): void {
  const day = date.getDate();
  date.setDate(1);
  date.setMonth(date.getMonth() - count);
  const lastDay = new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate();
  date.setDate(Math.min(day, lastDay));
}

const pattern = /^(\d[\d\s.,'\u00a0\u202f]*)\s*([kmgtp]?)(i?)(?:b|o|bytes?|octets?)?$/i;
const powers = ['', 'k', 'm', 'g', 't', 'p'];

/** Parses a written size, such as `10 MB`, `1.5 GiB` or `1,5 Go`, to whole bytes; undefined if invalid. */
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

/** Formats a size, such as `10 MB` or `1234`, that {@link parseWrittenSize} reads as exactly the same. */
export function writeSize(sizeBytes: number): string {
  const units = ['PB', 'TB', 'GB', 'MB', 'kB', 'PiB', 'TiB', 'GiB', 'MiB', 'KiB'];
  const written = units.flatMap((unit) => {
    const amount = sizeBytes / (parseWrittenSize(`1 ${unit}`) ?? 1);
    return amount >= 1 && Number.isInteger(amount * 100) ? [`${amount} ${unit}`] : [];
  });
  return written[0] ?? String(sizeBytes);
}

const unitBytes: Readonly<Record<string, number>> = { B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Parses a bandwidth limit such as `10M` (rclone's units) to bytes per second; undefined if invalid. */
export function parseBandwidth(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([BKMG])$/.exec(text.trim()) ?? [];
  const bytesPerSecond = Number(amount) * (unitBytes[unit] ?? 0);
  return Number.isFinite(bytesPerSecond) && bytesPerSecond >= 1 ? bytesPerSecond : undefined;
}
