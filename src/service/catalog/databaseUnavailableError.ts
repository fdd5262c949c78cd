import { sqliteErrorCode } from '../sqlite.ts';
import { cannotBeRead } from '../../core/util/sharedTexts.ts';

/** The `code` of a {@link DatabaseUnavailableError}, which identifies the error across threads. */
export const databaseUnavailableCode = 'DATABASE_UNAVAILABLE';

/** The `code` of a {@link DatabaseUnavailableError} that is thrown while a scan that the query needs is running. */
export const databaseScanningCode = 'DATABASE_SCANNING';

/** The `code` of a {@link DatabaseUnavailableError} that is thrown because the catalog was closed. */
export const databaseClosingCode = 'DATABASE_CLOSING';

type UnavailableCode = typeof databaseUnavailableCode | typeof databaseScanningCode | typeof databaseClosingCode;

/** Thrown if a database can't be used, for example because its folder is missing. Users see the message. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code: UnavailableCode;

  constructor(message: string, code: UnavailableCode = databaseUnavailableCode) {
    super(message);
    this.code = code;
  }
}

/** The reason why the service takes no more work, as a clause. */
export const stoppingCause = 'the service is stopping';

/** Maximum time that a query waits for a scan. */
export const scanWaitMs = 5_000;

/** Maximum time that a request by ID, such as a submission, waits for a scan: nothing repeats it by itself. */
export const lookupWaitMs = 60_000;

/** Creates the error for a query that needs a running scan of `subject`, which found `fileCount` files. */
export function createScanningError(subject: string, fileCount: number): DatabaseUnavailableError {
  const message = `${subject} is being scanned. Files found so far: ${fileCount}.`;
  return new DatabaseUnavailableError(message, databaseScanningCode);
}

/** Converts an error code to a phrase, such as `doesn't exist`, that completes a sentence about a folder. */
export function describeFolderFailure(code: string): string {
  if (code === sqliteErrorCode) return "can't be searched: its catalog can't be used";
  if (code === 'ETIMEDOUT') return "doesn't respond";
  return code === 'ENOENT' || code === 'ENOTDIR' ? "doesn't exist" : cannotBeRead;
}
