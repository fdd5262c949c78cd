import { sqliteErrorCode } from '../sqlite.ts';

/** Code of {@link FolderUnavailableError}, which identifies it across threads. */
export const folderUnavailableCode = 'FOLDER_UNAVAILABLE';

/** Thrown if a folder is missing or can't be read. The message is shown to users. */
export class FolderUnavailableError extends Error {
  override readonly name = 'FolderUnavailableError';
  readonly code = folderUnavailableCode;
}

/** Returns why a folder is unavailable, given an error code, in words that follow the folder in a message. */
export function describeFolderFailure(code: string): string {
  if (code === sqliteErrorCode) return "can't be searched: its catalog can't be written";
  return code === 'ENOENT' || code === 'ENOTDIR' ? "doesn't exist" : "can't be read";
}
