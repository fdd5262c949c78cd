const suffix = '.json';

/** Returns the file name of a transfer's record. */
export function toRecordName(key: string): string {
  return `${key}${suffix}`;
}

/** Returns the transfer key in a record's file name; undefined for any other file name. */
export function parseRecordKey(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}
