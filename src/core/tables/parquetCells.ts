import { parseFloat16 } from 'hyparquet/src/convert.js';
import type { SchemaElement } from 'hyparquet';
import { maxCellLength } from './previewKinds.ts';

/** A value of a cell, before it is part of a text. */
type Leaf = string | number | bigint | boolean | null;

/** A value as it is stored. */
export type RawValue = number | bigint | boolean | Uint8Array;

/** Maximum number of bytes of a binary value that are shown. */
const maxShownBytes = 100;

/**
 * Returns a function that converts stored values of a column: dates and times to ISO 8601, decimals and large integers
 * without rounding, binary values to hexadecimal digits.
 */
export function createConverter(element: SchemaElement): (value: RawValue) => Leaf {
  const { type, converted_type: old, logical_type: logical } = element;
  const kind = logical?.type ?? toLogical(old);
  if (kind === 'DECIMAL') {
    const scale = logical?.type === 'DECIMAL' ? logical.scale : element.scale;
    return (value) => formatDecimal(toUnscaled(value), scale ?? 0);
  }
  if (kind === 'DATE') return (value) => formatDate(Number(value));
  if (kind === 'TIMESTAMP') return createTimeConverter(element, formatTimestamp);
  if (kind === 'TIME') return createTimeConverter(element, formatTime);
  if (type === 'INT96') return (value) => formatTimestamp(toNanoseconds(value as bigint), 9, false);
  if (kind === 'INTEGER') return createIntegerConverter(element);
  if (type === 'FLOAT') return (value) => shortenFloat(Number(value));
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') return createByteConverter(kind);
  return (value) => toSmall(value as number | bigint | boolean);
}

function toLogical(old: SchemaElement['converted_type']): string | undefined {
  if (old === undefined) return undefined;
  if (old.startsWith('TIMESTAMP_')) return 'TIMESTAMP';
  if (old.startsWith('TIME_')) return 'TIME';
  return /^U?INT_/.test(old) ? 'INTEGER' : old;
}

function createByteConverter(kind: string | undefined): (value: RawValue) => Leaf {
  if (['STRING', 'UTF8', 'ENUM', 'JSON'].includes(kind ?? ''))
    // A character of a cell has up to 4 bytes.
    return (value) => new TextDecoder().decode((value as Uint8Array).subarray(0, 4 * (maxCellLength + 1)));
  if (kind === 'FLOAT16') return (value) => parseFloat16(value as Uint8Array) ?? null;
  if (kind === 'UUID')
    return (value) => toHex(value as Uint8Array).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return (value) => toHex(value as Uint8Array);
}

function toHex(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.subarray(0, maxShownBytes)).toString('hex');
  return bytes.length > maxShownBytes ? `${shown}…` : shown;
}

function createIntegerConverter({
  converted_type: old,
  logical_type: logical,
}: SchemaElement): (value: RawValue) => Leaf {
  const isUnsigned = logical?.type === 'INTEGER' ? !logical.isSigned : (old?.startsWith('UINT_') ?? false);
  return (value) => {
    if (!isUnsigned) return toSmall(value as number | bigint);
    return typeof value === 'bigint' ? toSmall(BigInt.asUintN(64, value)) : Number(value) >>> 0;
  };
}

function toSmall(value: number | bigint | boolean): Leaf {
  if (typeof value !== 'bigint') return value;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function shortenFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function toUnscaled(value: RawValue): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value);
  const hex = Buffer.from(value).toString('hex');
  return hex === '' ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`));
}

function formatDecimal(unscaled: bigint, scale: number): string {
  if (scale <= 0 || scale > 1000) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function formatDate(days: number): string {
  const date = new Date(days * 86_400_000);
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().replace(/T.*$/, '');
}

type TimeFormat = (units: bigint, digits: number, isUtc: boolean) => string;

function createTimeConverter(element: SchemaElement, format: TimeFormat): (value: RawValue) => Leaf {
  const { converted_type: old = '', logical_type: logical } = element;
  const isTime = logical?.type === 'TIMESTAMP' || logical?.type === 'TIME';
  const unit = isTime ? logical.unit : old.endsWith('_MICROS') ? 'MICROS' : 'MILLIS';
  const digits = { MILLIS: 3, MICROS: 6, NANOS: 9 }[unit];
  return (value) => format(BigInt(value as number | bigint), digits, isTime ? logical.isAdjustedToUTC : true);
}

function formatTimestamp(units: bigint, digits: number, isUtc: boolean): string {
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const date = new Date(Number((units - fraction) / perSecond) * 1000);
  if (Number.isNaN(date.getTime())) return String(units);
  return `${date.toISOString().slice(0, -5)}${formatFraction(fraction, digits)}${isUtc ? 'Z' : ''}`;
}

function formatTime(units: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = Number(units / perSecond);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return units < 0n ? String(units) : `${text}${formatFraction(units % perSecond, digits)}`;
}

function formatFraction(fraction: bigint, digits: number): string {
  return fraction === 0n ? '' : `.${String(fraction).padStart(digits, '0').replace(/0+$/, '')}`;
}

const julianEpoch = 2_440_588n;

function toNanoseconds(value: bigint): bigint {
  return ((value >> 64n) - julianEpoch) * 86_400_000_000_000n + BigInt.asUintN(64, value);
}

/** Formats a value of a cell: nested ones as JSON. A missing value is empty. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : formatJson(value);
}

function formatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatJson).join(',')}]`;
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${formatJson(member)}`);
  return `{${members.join(',')}}`;
}
