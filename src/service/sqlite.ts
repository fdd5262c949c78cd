import type { DatabaseSync } from 'node:sqlite';

/** An open SQLite file. */
export type SqliteFile = DatabaseSync;

type SqliteModule = typeof import('node:sqlite');

/**
 * Opens a SQLite file, making it when it is not there. The module is loaded here, and not by an import,
 * so that its warning of being experimental, and no other, can be kept from standard error.
 */
export function openSqlite(file: string): SqliteFile {
  const { DatabaseSync: Database } = loadQuietly();
  return new Database(file, { timeout: 2_000 });
}

function loadQuietly(): SqliteModule {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => undefined;
  try {
    const sqlite = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
    if (sqlite === undefined) throw new Error(`it needs Node.js 22.13 or later, and this is ${process.version}`);
    return sqlite;
  } finally {
    if (emitWarning !== undefined) Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}

/** Runs `work` in one transaction: all of it counts, or, when it throws, nothing. */
export function inTransaction<T>(database: SqliteFile, work: () => T): T {
  return within(database, 'BEGIN IMMEDIATE', work);
}

/** Runs many readings as one: the file is locked once for all of them, which takes longer than a reading does. */
export function readTogether<T>(database: SqliteFile, work: () => T): T {
  return database.isTransaction ? work() : within(database, 'BEGIN', work);
}

function within<T>(database: SqliteFile, begin: string, work: () => T): T {
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

/** The code of every error that SQLite gives. */
export const sqliteErrorCode = 'ERR_SQLITE_ERROR';

const corrupt = 11;
const noDatabase = 26;
const moved = 1_032;

const sqlError = 1;

/** Whether an error tells that a SQLite file is broken, or no longer where it was opened. */
export function isCorruption(error: unknown): boolean {
  const code = codeOf(error);
  // What is broken in it stands in the upper bits.
  return (code & 0xff) === corrupt || code === noDatabase || code === moved;
}

/** Whether an error tells that a statement makes no sense to SQLite, as when a table is missing. */
export function isSqlError(error: unknown): boolean {
  return codeOf(error) === sqlError;
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
}
