/**
 * The id of a file: its path in the database, with `%` and `,` percent-encoded, so that ids can be joined by commas
 * (§4.4, D8).
 */
export function fileIdOf(path: string): string {
  return path.replaceAll('%', '%25').replaceAll(',', '%2C');
}

/** The path that an id stands for; undefined when it is no id that {@link fileIdOf} makes. */
export function pathOfFileId(id: string): string | undefined {
  const path = id.replaceAll('%2C', ',').replaceAll('%25', '%');
  return fileIdOf(path) === id ? path : undefined;
}
