/**
 * The folders in the ledger that contain records. `removed` contains the records of removed transfers while they can be
 * restored.
 */
export const recordFolders = ['running', 'ended', 'removed'] as const;

/** One of {@link recordFolders}. */
export type RecordFolder = (typeof recordFolders)[number];

const suffix = '.json';

/** Returns the file name of a transfer's record. */
export function toRecordName(key: string): string {
  return `${key}${suffix}`;
}

/** Returns the transfer key in a record's file name; undefined for any other file name. */
export function parseRecordKey(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}
