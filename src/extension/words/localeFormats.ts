import { env, l10n } from 'vscode';
import { formatByteSize, limitAmount } from '../../core/util/displayLimits.ts';

const numberFormat = new Intl.NumberFormat(env.language);

/** Formats a number by the locale. */
export function formatNumber(value: number): string {
  return numberFormat.format(limitAmount(value));
}

/** The language of the texts: the editor's, or English if there are no translations for it. */
export const wordsLanguage = l10n.bundle === undefined ? 'en' : env.language;

const pluralRules = new Intl.PluralRules(wordsLanguage);

/**
 * Returns a text in the plural form that the language requires for a count. `{0}` is the count; the other values
 * follow. In a bundle, the English text with the name of a form, `{0} files/many`, is the key of that form. The form
 * `other` has no name.
 */
export function plural(count: number, one: string, other: string, ...others: readonly string[]): string {
  const form = pluralRules.select(count);
  const message = form === 'one' ? one : other;
  return l10n.t({ message, args: [formatNumber(count), ...others], comment: form === 'other' ? [] : [form] });
}

/** Formats a number of files: "1 file", "1,200 files". */
export function formatFileCount(count: number): string {
  return plural(count, '{0} file', '{0} files');
}

const percentFormat = new Intl.NumberFormat(env.language, { style: 'percent', maximumFractionDigits: 0 });

/** Formats a share from 0 to 1 as "62%", rounded down: only the whole is 100%. */
export function formatPercent(share: number): string {
  return percentFormat.format(Math.floor(100 * share) / 100);
}

const listFormat = new Intl.ListFormat(env.language, { type: 'unit', style: 'short' });

/** Formats texts as a list: "a, b, c". Empty and undefined ones are left out. */
export function formatList(parts: readonly (string | undefined)[]): string {
  return listFormat.format(parts.filter((part) => part !== undefined).filter(Boolean));
}

/** Formats a time of today as a time, any other with its date. Both values are milliseconds since 1970. */
export function formatTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const form: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(env.language, form).format(at);
}

/** Formats a number of bytes: `67 kB`. */
export function formatSize(sizeBytes: number): string {
  return formatByteSize(sizeBytes, env.language);
}
