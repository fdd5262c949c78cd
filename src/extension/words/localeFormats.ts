import { env, l10n } from 'vscode';
import { floorToPercent, formatByteSize, limitAmount } from '../../core/util/displayLimits.ts';
import { toShortLine } from '../../core/util/visibleText.ts';

const numberFormat = new Intl.NumberFormat(env.language);

/** Formats a number for the user's locale. */
export function formatNumber(value: number): string {
  return numberFormat.format(limitAmount(value));
}

/** Language of the user interface: the editor's language, or English if there is no translation for it. */
export const wordsLanguage = l10n.bundle === undefined ? 'en' : env.language;

const pluralRules = new Intl.PluralRules(wordsLanguage);

/**
 * Translates a message, using the plural form that the language requires for a count. `{0}` is the count, and `others`
 * are the values of the other placeholders. In a translation bundle, the key of a plural form is the English text
 * followed by the form's name, such as `{0} files/many`. The key of the form `other` has no suffix.
 */
export function plural(count: number, one: string, other: string, ...others: readonly string[]): string {
  const form = pluralRules.select(count);
  const message = form === 'one' ? one : other;
  return l10n.t({ message, args: [formatNumber(count), ...others], comment: form === 'other' ? [] : [form] });
}

/** Formats a number of files, such as "1 file" or "1,200 files". */
export function formatFileCount(count: number): string {
  return plural(count, '{0} file', '{0} files');
}

const percentFormat = new Intl.NumberFormat(env.language, { style: 'percent', maximumFractionDigits: 0 });

/** Formats a fraction from 0 to 1 as a percentage, rounded down: only complete is "100%". */
export function formatPercent(share: number): string {
  return percentFormat.format(floorToPercent(share));
}

const listFormat = new Intl.ListFormat(env.language, { type: 'unit', style: 'short' });

/** Joins strings into a list, such as "a, b, c". Skips empty and undefined strings. */
export function formatList(parts: readonly (string | undefined)[]): string {
  return listFormat.format(parts.filter((part) => part !== undefined).filter(Boolean));
}

/** Formats a time. Includes the date unless it is today's. Both values are in milliseconds since 1970. */
export function formatTime(at: number, now: number): string {
  return new Intl.DateTimeFormat(env.language, getTimeForm(new Date(at), new Date(now))).format(at);
}

/** Returns the format for a time. Omits today's date and the current year, because rows are narrow. */
function getTimeForm(at: Date, now: Date): Intl.DateTimeFormatOptions {
  if (at.toDateString() === now.toDateString()) return { timeStyle: 'short' };
  const isThisYear = at.getFullYear() === now.getFullYear();
  return isThisYear
    ? { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }
    : { dateStyle: 'medium', timeStyle: 'short' };
}

/** Formats a number of bytes, such as "67 kB". */
export function formatSize(sizeBytes: number): string {
  return formatByteSize(sizeBytes, env.language);
}

const maxNames = 5;

const maxNameLength = 60;

/** Lists the first few names on one line, and counts the rest, such as "a.txt, b.txt, 3 more". */
export function formatNames(names: readonly string[], format: (name: string) => string = (name) => name): string {
  const rest = names.length - maxNames;
  const listed = names.slice(0, maxNames).map((name) => format(toShortLine(name, maxNameLength)));
  return formatList([...listed, rest > 0 ? plural(rest, '{0} more', '{0} more') : undefined]);
}
