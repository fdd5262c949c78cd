import { sqliteErrorCode } from '../sqlite.ts';

/** The `code` of {@link DatabaseUnavailableError}, which identifies the error across threads. */
export const databaseUnavailableCode = 'DATABASE_UNAVAILABLE';

/** Thrown if a folder or a store is missing or can't be read. The message is shown to users. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code = databaseUnavailableCode;
}

/** Converts an error code to a phrase that follows the folder in a message, such as `doesn't exist`. */
export function describeFolderFailure(code: string): string {
  if (code === sqliteErrorCode) return "can't be searched: its catalog can't be written";
  return code === 'ENOENT' || code === 'ENOTDIR' ? "doesn't exist" : "can't be read";
}
