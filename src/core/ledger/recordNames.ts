const suffix = '.json';

/** The name of the file that holds the record of a transfer. */
export function recordName(key: string): string {
  return `${key}${suffix}`;
}

/** The key of the transfer whose record a file with this name holds; undefined where it holds none. */
export function keyOf(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}
