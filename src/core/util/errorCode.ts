/** Returns the system's code for an error, or the error's name if it has no code. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const missingCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** Returns true if an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(getErrorCode(error));
}
