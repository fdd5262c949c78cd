import type { Transfer, TransferState } from '../model/transferModel.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';

type RecordReadResult =
  | { readonly kind: 'transfer'; readonly transfer: Transfer; readonly record: JsonObject }
  /** Written by a later version of the extension. */
  | { readonly kind: 'later'; readonly version: number }
  /** Incomplete, or not a transfer record. */
  | { readonly kind: 'unreadable' };

const recordVersion = 1;

/** Formats a transfer as a record. Preserves unknown fields of the record that it replaces. */
export function formatRecord(transfer: Transfer, replaced?: JsonObject): string {
  return `${JSON.stringify({ ...replaced, version: recordVersion, transfer }, undefined, 1)}\n`;
}

/** Parses a record. Returns the kind `later` for a record written by a later version. Never throws. */
export function parseRecord(text: string): RecordReadResult {
  const record = parseJsonObject(text);
  const version = record?.['version'];
  if (!record || !Number.isSafeInteger(version)) return { kind: 'unreadable' };
  if (Number(version) > recordVersion) return { kind: 'later', version: Number(version) };
  const { transfer } = record;
  const isReadable = version === recordVersion && isJsonObject(transfer) && isTransfer(transfer);
  return isReadable ? { kind: 'transfer', transfer: correctRefusal(transfer), record } : { kind: 'unreadable' };
}

/**
 * Returns a transfer as not confirmed if version 0.2 recorded it as refused because of an argument. That version
 * mistook its own errors for invalid arguments, also those after sending (D12: never resubmit).
 */
function correctRefusal(transfer: Transfer): Transfer {
  const { state, problem, sendingAt, replacedBy, changes } = transfer;
  const isKnown = sendingAt !== undefined || replacedBy !== undefined;
  if (isKnown || state !== 'refused' || problem?.kind !== 'badArgument') return transfer;
  const correct = (from: TransferState): TransferState => (from === 'refused' ? 'notConfirmed' : from);
  return { ...transfer, state: 'notConfirmed', changes: changes.map((one) => ({ ...one, state: correct(one.state) })) };
}

function isTransfer(value: JsonObject): value is JsonObject & Transfer {
  const { key, createdAt, state, changes, order } = value;
  return (
    typeof key === 'string' &&
    isTime(createdAt) &&
    typeof state === 'string' &&
    Array.isArray(changes) &&
    changes.every((change: unknown) => isJsonObject(change) && isTime(change['at'])) &&
    isJsonObject(order) &&
    ['connectionId', 'orcid', 'source', 'destination'].every((field) => typeof order[field] === 'string') &&
    Array.isArray(order['files'])
  );
}

/** Returns true for a number of milliseconds since 1970 that a `Date` can represent. */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}
