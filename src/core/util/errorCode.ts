/** Returns the system's code for an error, or the error's name if it has no code. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const missingCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

const fileLimitCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Returns true if the process or the system has too many open files, which says nothing about the requested one. */
export function isFileLimitError(error: unknown): boolean {
  return fileLimitCodes.has(getErrorCode(error));
}

/** Returns true if an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(getErrorCode(error));
}
