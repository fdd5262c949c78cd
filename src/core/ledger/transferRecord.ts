import type { Transfer } from '../model/transfer.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';

/** What the text of a transfer's file turned out to be. */
export type RecordReading =
  | { readonly kind: 'transfer'; readonly transfer: Transfer; readonly record: JsonObject }
  /** Written by a later version of this program, which knows what it means. */
  | { readonly kind: 'later'; readonly version: number }
  /** Torn, or not a record of a transfer. */
  | { readonly kind: 'unreadable' };

/** How to read the record of each version; a new version is one more row, and the last row is the one that is written. */
const readers: readonly ((record: JsonObject) => Transfer | undefined)[] = [
  (record) => {
    const transfer = record['transfer'];
    return isJsonObject(transfer) && isTransfer(transfer) ? transfer : undefined;
  },
];

/** The text of a transfer's file. Fields of the record it replaces that this version does not know are kept. */
export function writeRecord(transfer: Transfer, replaced?: JsonObject): string {
  return `${JSON.stringify({ ...replaced, version: readers.length, transfer }, undefined, 1)}\n`;
}

/** Reads the text of a transfer's file, of this version or an earlier one. */
export function readRecord(text: string): RecordReading {
  const record = parse(text);
  const version = isJsonObject(record) ? record['version'] : undefined;
  if (!isJsonObject(record) || !Number.isSafeInteger(version)) return { kind: 'unreadable' };
  if (Number(version) > readers.length) return { kind: 'later', version: Number(version) };
  const transfer = readers[Number(version) - 1]?.(record);
  return transfer ? { kind: 'transfer', transfer, record } : { kind: 'unreadable' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTransfer(value: JsonObject): value is JsonObject & Transfer {
  const { key, createdAt, state, changes, order } = value;
  return (
    typeof key === 'string' &&
    typeof createdAt === 'number' &&
    typeof state === 'string' &&
    Array.isArray(changes) &&
    isJsonObject(order) &&
    ['connectionId', 'orcid', 'source', 'destination'].every((field) => typeof order[field] === 'string') &&
    Array.isArray(order['files'])
  );
}
