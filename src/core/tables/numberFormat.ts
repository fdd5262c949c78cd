import type { CellDoubt } from './cellDoubt.ts';

/** The text of a cell, and what is doubtful about it. */
export interface CellText {
  readonly text: string;
  readonly doubt?: CellDoubt;
}

/** The parts that a number format of a spreadsheet shows. */
export interface NumberFormat {
  /** True for each part of a date and time that the format shows. */
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  readonly hasFraction: boolean;
  /** True if the hours can exceed 24. */
  readonly isDuration: boolean;
  /** True if the format shows quoted text, or no number at all. */
  readonly hasText: boolean;
  /** True if a condition determines the section of the format that applies. */
  readonly hasCondition: boolean;
  /**
   * For a format of integers that is fully understood: its text, with {@link digit} and {@link optionalDigit} in place
   * of digits.
   */
  readonly pattern?: string;
  /** The formats of negative numbers, which then show no sign of their own, and of zero, if they have their own. */
  readonly negative?: NumberFormat | undefined;
  readonly zero?: NumberFormat | undefined;
}

const digit = '\0';
const optionalDigit = '\x01';

/** Maximum length of a format in spreadsheet programs. */
const maxFormatLength = 255;

/**
 * Matches a part of a format: quoted or escaped text, space for a character, a condition or currency, a place for the
 * whole number, or a symbol.
 */
const formatPart =
  /"(?<quoted>[^"]*)"|\\(?<escaped>.)|[_*].|\[(?<bracketed>[^\]]*)\]|(?<whole>general|@|\?(?!\?))|(?<symbol>[^])/gi;

type FormatPart = Readonly<Partial<Record<'quoted' | 'escaped' | 'bracketed' | 'whole' | 'symbol', string>>>;

/** Parses a number format such as `yyyy-mm-dd` or `"SRR"0000`, with its sections for negative numbers and zero. */
export function parseNumberFormat(code: string): NumberFormat {
  const matches = code.slice(0, maxFormatLength).matchAll(formatPart);
  const parts: readonly FormatPart[] = Array.from(matches, ({ groups = {} }) => groups);
  const hasCondition = parts.some(({ bracketed = '' }) => /^[<>=]/.test(bracketed));
  const [first = [], ...others] = splitSections(parts);
  const describe = (section: readonly FormatPart[], sign?: RegExp): NumberFormat => {
    const format = describeSection(section, sign);
    const isHidden = others.length > 0 && !format.hasDate && !format.hasTime && !hasPlace(section);
    return { ...format, hasText: format.hasText || isHidden, hasCondition };
  };
  const [negative, zero] = others;
  return {
    ...describe(first),
    negative: negative && describe(negative, /[-()]/g),
    zero: zero && describe(zero),
  };
}

function splitSections(parts: readonly FormatPart[]): readonly (readonly FormatPart[])[] {
  const sections: FormatPart[][] = [[]];
  for (const part of parts)
    if (part.symbol === ';') sections.push([]);
    else sections.at(-1)?.push(part);
  // The section for text.
  const isOfText = sections.length > 1 && sections.at(-1)?.some(({ whole }) => whole === '@');
  return (isOfText ? sections.slice(0, -1) : sections).slice(0, 3);
}

function hasPlace(parts: readonly FormatPart[]): boolean {
  return parts.some(({ whole, symbol = '' }) => whole !== undefined || /[0#?]/.test(symbol));
}

function describeSection(parts: readonly FormatPart[], sign?: RegExp): Omit<NumberFormat, 'hasCondition'> {
  let [symbols, pattern, shown] = ['', '', ''];
  for (const { quoted, escaped, bracketed, whole, symbol = whole && '#' } of parts) {
    const text = quoted ?? escaped ?? getCurrency(bracketed);
    symbols += symbol?.toLowerCase() ?? (/^(?:h+|m+|s+)$/i.test(bracketed ?? '') ? `[${bracketed}]` : '');
    pattern += text ?? toPatternSymbol(symbol);
    shown += text ?? '';
  }
  const hasTime = /[hs]|am\/pm/.test(symbols);
  const isPattern = /^[-0#+():!^&'~{}<>= $]*[0#][-0#+():!^&'~{}<>= $]*$/.test(symbols);
  return {
    hasDate: /[yd]|m{3}/.test(symbols) || (!hasTime && symbols.includes('m')),
    hasTime,
    hasFraction: /s\.?0|\.0/.test(symbols) && hasTime,
    isDuration: symbols.includes('['),
    // A sign isn't text, although it can be quoted.
    hasText: (sign ? shown.replace(sign, '') : shown).trim() !== '',
    ...(isPattern && { pattern }),
  };
}

function getCurrency(bracketed: string | undefined): string | undefined {
  // A currency, such as `$€-407`, can be any text.
  return bracketed?.startsWith('$') ? bracketed.slice(1).replace(/-.*/, '') : undefined;
}

function toPatternSymbol(symbol = ''): string {
  if (symbol === '0') return digit;
  return symbol === '#' ? optionalDigit : symbol;
}

const secondsPerDay = 86_400;
/** Day 0 of the two date systems, in days since 1970. */
const firstDay1900 = -25_569;
const firstDay1904 = -24_107;
/** The day that doesn't exist, 1900-02-29, which Excel counts nevertheless. */
const phantomDay = 60;
const lastDay = 2_958_465;

/**
 * Returns the text of a stored number as a spreadsheet shows it: a date or time in ISO 8601 without a zone; an integer
 * with all its digits, because it may be an ID. Doubts a number whose shown text isn't known.
 */
export function formatNumber(stored: string, format?: NumberFormat, is1904 = false): CellText {
  const value = Number(stored);
  if (Number.isNaN(value)) return { text: stored };
  const section = chooseSection(value, format);
  const hasSign = value < 0 && section === format;
  const isTime = section?.hasDate === true || section?.hasTime === true;
  if (section && isUnclear(value, section, hasSign)) return { text: stored, doubt: { kind: 'formatted' } };
  if (isTime && value >= 0 && value <= lastDay) return { text: formatSerial(value, section, is1904) };
  if (!Number.isInteger(value)) return { text: String(value) };
  const text = /^-?[1-9]\d*$/.test(stored) ? stored : BigInt(value).toString();
  if (mayBeRounded(value)) return { text, doubt: { kind: 'rounded' } };
  return isTime || hasSign ? { text } : fillPattern(text, section?.pattern);
}

function chooseSection(value: number, format: NumberFormat | undefined): NumberFormat | undefined {
  if (value === 0) return format?.zero ?? format;
  return value < 0 ? (format?.negative ?? format) : format;
}

function isUnclear(value: number, section: NumberFormat, hasSign: boolean): boolean {
  const { hasText, hasDate, hasTime, hasCondition, pattern } = section;
  return hasCondition || (hasText && !hasDate && !hasTime && (!Number.isInteger(value) || hasSign || !pattern));
}

/**
 * Returns true for an integer that may have lost its last digits: above 2^53, or with a zero as its 16th digit, because
 * spreadsheet programs keep 15 digits.
 */
function mayBeRounded(integer: number): boolean {
  return Math.abs(integer) >= 1e15 && (integer % 10 === 0 || !Number.isSafeInteger(integer));
}

function fillPattern(number: string, pattern: string | undefined): CellText {
  const symbols = pattern === undefined ? [] : Array.from(pattern);
  const first = symbols.findIndex((symbol) => symbol === digit || symbol === optionalDigit);
  let rest = number.replace('-', '');
  const shown = symbols.reduceRight((text, symbol, index) => {
    if (symbol !== digit && symbol !== optionalDigit) return symbol + text;
    const taken = index === first ? rest : rest.slice(-1);
    rest = rest.slice(0, rest.length - taken.length);
    return (taken || (symbol === digit ? '0' : '')) + text;
  }, '');
  return toPadded(number, first < 0 ? number : shown.trim());
}

/** Returns the text that a cell shows, with a doubt if it isn't the number alone. */
export function toPadded(number: string, shown: string): CellText {
  return shown === number ? { text: number } : { text: shown, doubt: { kind: 'padded', other: number } };
}

function formatSerial(value: number, format: NumberFormat, is1904: boolean): string {
  // A time is rounded as the cell shows it, because a spreadsheet stores 10:00 as 0.41666666666666.
  const unit = format.hasTime && !format.hasFraction ? 1 : 1_000;
  const seconds = Math.round(value * secondsPerDay * unit) / unit;
  if (format.isDuration) return formatTime(seconds);
  const days = Math.floor(seconds / secondsPerDay);
  const time = format.hasTime ? [formatTime(seconds - days * secondsPerDay)] : [];
  return [...(format.hasDate ? [formatDay(days, is1904)] : []), ...time].join('T');
}

function formatDay(day: number, is1904: boolean): string {
  if (is1904) return toIsoDay(firstDay1904 + day);
  if (day === phantomDay) return '1900-02-29';
  return toIsoDay(firstDay1900 + day + (day < phantomDay ? 1 : 0));
}

function toIsoDay(days: number): string {
  return new Date(days * secondsPerDay * 1_000).toISOString().slice(0, 10);
}

function formatTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const fraction = (seconds - whole)
    .toFixed(3)
    .slice(1)
    .replace(/\.?0+$/, '');
  return parts.map((part) => String(part).padStart(2, '0')).join(':') + fraction;
}

/** Returns an ISO date or time with at most three digits after its seconds. */
export function formatIsoTime(text: string): string {
  const [, day = '', hours, minutes, seconds] = /^(.*T)?(\d+):(\d+):(\d+\.\d+)$/.exec(text) ?? [];
  if (seconds === undefined) return text;
  const time = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return day + formatTime(Math.round(time * 1_000) / 1_000);
}

/** Returns a duration such as `PT26H30M00S` as `26:30:00`. */
export function formatDuration(text: string): string {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+(?:\.\d+)?)S$/.exec(text) ?? [];
  return seconds === undefined ? text : formatIsoTime(`${hours}:${minutes}:${Number(seconds).toFixed(9)}`);
}
