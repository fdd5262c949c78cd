import { closeSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** An open SQLite file. */
export type SqliteFile = DatabaseSync;

type SqliteModule = typeof import('node:sqlite');

/** Opens a database. Creates it, if necessary, as a file that only the user can read. Throws if it can't be opened. */
export function openSqlite(file: string): SqliteFile {
  const { DatabaseSync: Database } = loadQuietly();
  try {
    // SQLite gives the files that it creates next to this one the same mode.
    if (file !== ':memory:') closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports why it can't be created.
  }
  return new Database(file, { timeout: 2_000 });
}

/** Removes a database and the files that SQLite creates next to it. */
export function removeSqliteFile(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Loads `node:sqlite` without its ExperimentalWarning. Throws if this version of Node.js does not have it. */
function loadQuietly(): SqliteModule {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => undefined;
  try {
    const sqlite = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
    if (sqlite === undefined) throw new Error(`it needs Node.js 22.16 or later, not ${process.version}`);
    return sqlite;
  } finally {
    if (emitWarning !== undefined) Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}

/** Runs `work` in a transaction; rolls back if it throws. */
export function runInTransaction<T>(database: SqliteFile, work: () => T, begin = 'BEGIN IMMEDIATE'): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Runs reads in one transaction; locking the file for each takes longer than the read itself. */
export function runInReadTransaction<T>(database: SqliteFile, work: () => T): T {
  return database.isTransaction ? work() : runInTransaction(database, work, 'BEGIN');
}

/** The `code` of the errors that Node.js throws for SQLite. */
export const sqliteErrorCode = 'ERR_SQLITE_ERROR';

const sqliteError = 1;
/** Error codes for a locked file or table, and for a lack of memory or disk space. */
const temporaryCodes: ReadonlySet<number> = new Set([5, 6, 7, 13]);
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;
const sqliteReadonlyDbMoved = 1_032;

/** Returns true for an error caused by a corrupt or moved SQLite file. */
export function isCorruption(error: unknown): boolean {
  const code = getErrorCode(error);
  // The upper bits of an extended error code contain details.
  return (code & 0xff) === sqliteCorrupt || code === sqliteNotADatabase || code === sqliteReadonlyDbMoved;
}

/** Returns true for an error that may not recur: a locked file or table, or a lack of memory or disk space. */
export function isTemporary(error: unknown): boolean {
  return temporaryCodes.has(getErrorCode(error) & 0xff);
}

/** Returns true for an error caused by an invalid statement, for example one that names a missing table. */
export function isSqlError(error: unknown): boolean {
  return getErrorCode(error) === sqliteError;
}

function getErrorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
}
