import type { Transfer } from '../model/transfer.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';

const recordVersion = 1;

/** The text of a transfer's file. */
export function writeRecord(transfer: Transfer): string {
  return `${JSON.stringify({ version: recordVersion, transfer }, undefined, 1)}\n`;
}

/** Reads a transfer's file; undefined for text that is torn, foreign, or of a version this program does not know. */
export function readRecord(text: string): Transfer | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(record) || record['version'] !== recordVersion) return undefined;
  const transfer = record['transfer'];
  return isJsonObject(transfer) && isTransfer(transfer) ? transfer : undefined;
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
