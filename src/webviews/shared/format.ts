import * as l10n from '@vscode/l10n';
import { limitAmount } from '../../core/util/displayLimits.ts';

/** Numbers, sizes and times as a person of one language reads them; a number is limited to what can be drawn (D39). */
export interface Format {
  number(value: number): string;
  /** A text that goes by a count, in the plural form that the language wants; `{0}` is the count. */
  plural(count: number, one: string, other: string): string;
  /** In the decimal units that data repositories use: `67 kB`. */
  size(sizeBytes: number): string;
  /** To the byte: `67,013 bytes`. */
  exactSize(sizeBytes: number): string;
  percent(share: number): string;
  /** Time of day where it is today, else with the date. `now` and `at` in milliseconds since 1970. */
  time(at: number, now: number): string;
  date(at: number): string;
  dateTime(at: number): string;
  /** The two largest units: `3 hr 12 min`. */
  duration(durationMs: number): string;
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];

/**
 * Formats for a language of the editor; one that is not known to the machine is read as English. The words may be in
 * another language, where there are none in that one.
 */
export function formatFor(language: string, wordsLanguage = language): Format {
  const locale = knownLocale(language);
  const pluralRules = new Intl.PluralRules(knownLocale(wordsLanguage));
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const clockTime = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const unit = (value: number, name: string, unitDisplay: 'long' | 'short', maximumFractionDigits = 0): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay, maximumFractionDigits }).format(value);
  return {
    number: (value) => number.format(limitAmount(value)),
    plural: (count, one, other) => {
      const form = pluralRules.select(count);
      const message = form === 'one' ? one : other;
      return l10n.t({ message, args: [number.format(limitAmount(count))], comment: form === 'other' ? [] : [form] });
    },
    percent: (share) => percent.format(share),
    exactSize: (size) => unit(limitAmount(size), 'byte', 'long'),
    size: (size) => {
      const sizeBytes = limitAmount(size);
      const power = sizeBytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(sizeBytes) / 3), sizeUnits.length - 1);
      const value = sizeBytes / 1000 ** power;
      return unit(value, sizeUnits[power] ?? 'byte', power === 0 ? 'long' : 'short', value < 10 && power > 0 ? 1 : 0);
    },
    time: (at, now) => (isSameDay(at, now) ? clockTime : dateTime).format(at),
    date: (at) => date.format(at),
    dateTime: (at) => dateTime.format(at),
    duration: (durationMs) =>
      durationParts(durationMs)
        .map(({ value, name }) => unit(value, name, 'short'))
        .join(' '),
  };
}

function knownLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

const durationUnits = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** The two largest units that a duration (in milliseconds) fills, never less than seconds. */
function durationParts(durationMs: number): readonly { readonly value: number; readonly name: string }[] {
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
