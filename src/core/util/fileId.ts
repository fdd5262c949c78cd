/** Returns the ID for a file's path. Percent-encodes `%` and `,`, so that IDs can be joined by commas (§4.4). */
export function toFileId(path: string): string {
  return path.replaceAll('%', '%25').replaceAll(',', '%2C');
}

/** Returns the path for an ID; undefined for an ID that {@link toFileId} cannot return. */
export function parseFileId(id: string): string | undefined {
  const path = id.replaceAll('%2C', ',').replaceAll('%25', '%');
  return toFileId(path) === id ? path : undefined;
}
