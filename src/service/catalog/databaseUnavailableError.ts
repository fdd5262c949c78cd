import { sqliteErrorCode } from '../sqlite.ts';

/** Code of {@link DatabaseUnavailableError}, which identifies it across threads. */
export const databaseUnavailableCode = 'DATABASE_UNAVAILABLE';

/** Thrown if a folder or a store is missing or can't be read. The message is shown to users. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code = databaseUnavailableCode;
}

/** Returns why a folder is unavailable, given an error code, in words that follow the folder in a message. */
export function describeFolderFailure(code: string): string {
  if (code === sqliteErrorCode) return "can't be searched: its catalog can't be written";
  return code === 'ENOENT' || code === 'ENOTDIR' ? "doesn't exist" : "can't be read";
}
