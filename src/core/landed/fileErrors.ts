/** The system's code of an error, or what it is called where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const notThere: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** Whether an error says that there is nothing of this name. */
export function isNotThere(error: unknown): boolean {
  return notThere.has(codeOf(error));
}
