/** Returns an error's code, such as `ENOENT`, or its name if it has no code. Returns other values as text. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const missingCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

const fileLimitCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Returns true if an error means that too many files are open. Such an error says nothing about the requested file. */
export function isFileLimitError(error: unknown): boolean {
  return fileLimitCodes.has(getErrorCode(error));
}

/** Returns true if an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(getErrorCode(error));
}

/** Formats a thrown value for a log. Returns the stack trace of an error, and any other value as text. */
export function formatErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
