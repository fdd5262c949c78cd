import * as l10n from '@vscode/l10n';
import { floorToPercent, formatByteProgress, formatByteSize, limitAmount } from '../../core/util/displayLimits.ts';

/**
 * Formats numbers, sizes and times in one language. Limits numbers to a displayable range (D39: server data display).
 */
export interface Format {
  number(value: number): string;
  /** Returns the translated text in the plural form for a count. `{0}` is replaced with the count. */
  plural(count: number, one: string, other: string): string;
  /** Formats a size in decimal units, as data repositories do, for example `67 kB`. */
  size(sizeBytes: number): string;
  /** Formats a part of a size and the size with one unit, such as `1.2` and `200 GB`. */
  byteProgress(done: number, total: number): [done: string, total: string];
  /** Formats a size as an exact number of bytes, such as `67,013 bytes`. */
  exactSize(sizeBytes: number): string;
  /** Formats a fraction from 0 to 1 as a percentage, such as `62%`, rounded down. */
  percent(share: number): string;
  /** Formats a time, with the date unless it is today's. `now` and `at` are in milliseconds since 1970. */
  time(at: number, now: number): string;
  date(at: number): string;
  dateTime(at: number): string;
  /** Formats a duration in at most two units, such as `3 hr 12 min`. */
  duration(durationMs: number): string;
}

/**
 * Creates the formats for a language, or for English if `language` isn't a valid language tag. Plural forms follow
 * `wordsLanguage`, which differs from `language` if there is no translation.
 */
export function createFormat(language: string, wordsLanguage = language): Format {
  const locale = toLocale(language);
  const pluralRules = new Intl.PluralRules(toLocale(wordsLanguage));
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const clockTime = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const unit = (value: number, name: string, unitDisplay: 'long' | 'short'): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay, maximumFractionDigits: 0 }).format(value);
  return {
    number: (value) => number.format(limitAmount(value)),
    plural: (count, one, other) => {
      const form = pluralRules.select(count);
      const message = form === 'one' ? one : other;
      return l10n.t({ message, args: [number.format(limitAmount(count))], comment: form === 'other' ? [] : [form] });
    },
    percent: (share) => percent.format(floorToPercent(share)),
    exactSize: (size) => unit(limitAmount(size), 'byte', 'long'),
    size: (size) => formatByteSize(size, locale),
    byteProgress: (done, total) => formatByteProgress(done, total, locale),
    time: (at, now) => (new Date(at).toDateString() === new Date(now).toDateString() ? clockTime : dateTime).format(at),
    date: (at) => date.format(at),
    dateTime: (at) => dateTime.format(at),
    duration: (durationMs) =>
      splitDuration(durationMs)
        .map(({ value, name }) => unit(value, name, 'short'))
        .join(' '),
  };
}

function toLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

const durationUnits = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** Splits a duration in milliseconds into its largest unit and the next smaller one. Omits fractions of a second. */
function splitDuration(durationMs: number): readonly { readonly value: number; readonly name: string }[] {
  let seconds = Math.max(0, Math.floor(durationMs / 1000));
  const largest = durationUnits.findIndex((unit) => seconds >= unit.seconds);
  if (largest < 0) return [{ value: 0, name: 'second' }];
  const parts = [];
  for (const unit of durationUnits.slice(largest, largest + 2)) {
    const value = Math.floor(seconds / unit.seconds);
    seconds -= value * unit.seconds;
    if (value > 0) parts.push({ value, name: unit.name });
  }
  return parts;
}
