import type { SqliteFile } from '../sqlite.ts';

const dayMs = 86_400_000;
/** Minimum size of a jump; smaller differences are normal clock corrections. */
const minJumpMs = 3_600_000;

/** SQL that creates the table with the time of the journal's last use. */
export const clockTable = 'CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, seen_at REAL NOT NULL);';

/**
 * Shifts transfers' end times if the clock has jumped since the last call, so that their ages stay correct. A jump is a
 * step back of at least {@link minJumpMs}, or a step forward that exceeds one day by at least that much. Must run in a
 * transaction, before an end time is written or compared.
 */
export function applyClockJump(database: SqliteFile, nowMs: number): void {
  const last = database.prepare('SELECT seen_at FROM clock').get();
  const passedMs = last === undefined ? 0 : nowMs - Number(last['seen_at']);
  const jumpMs = passedMs - Math.min(Math.max(passedMs, 0), dayMs);
  if (Math.abs(jumpMs) >= minJumpMs) {
    database.prepare('UPDATE transfers SET ended_at = ended_at + ? WHERE ended_at IS NOT NULL').run(jumpMs);
  }
  database.prepare('INSERT OR REPLACE INTO clock (id, seen_at) VALUES (1, ?)').run(nowMs);
}

/**
 * Columns of files that later versions added. Earlier versions neither read nor write them. Transfers can't have more:
 * version 0.1 inserts rows without naming their columns.
 */
const laterColumns = { store_hash: 'TEXT', modified: 'REAL', attempts: 'INTEGER', problem: 'TEXT' } as const;

/** Adds the columns that a journal of an earlier version lacks. */
export function addLaterColumns(database: SqliteFile): void {
  const columns = new Set(
    database
      .prepare('PRAGMA table_info(transfer_files)')
      .all()
      .map(({ name }) => name),
  );
  for (const [name, type] of Object.entries(laterColumns))
    if (!columns.has(name)) database.exec(`ALTER TABLE transfer_files ADD COLUMN ${name} ${type}`);
  database.exec(`CREATE INDEX IF NOT EXISTS problem_files ON transfer_files (transfer, position)
    WHERE problem IS NOT NULL`);
}

/** Removes the files of transfers that version 0.2 has removed: it knows only files of unfinished ones. */
export function removeOrphans(database: SqliteFile): void {
  const next = database.prepare('SELECT min(transfer) AS id FROM transfer_files WHERE transfer > ?');
  const known = database.prepare('SELECT 1 FROM transfers WHERE id = ?');
  for (let id = next.get('')?.['id']; typeof id === 'string'; id = next.get(id)?.['id'])
    if (known.get(id) === undefined) database.prepare('DELETE FROM transfer_files WHERE transfer = ?').run(id);
}

interface Destination {
  readonly destinationId: string;
  readonly folderName?: string | undefined;
}

/**
 * Returns the ID of a transfer's destination, followed by the chosen name of its folder, if any. Earlier versions would
 * write to another folder: they find no database with such an ID, and wait.
 */
export function toStoredDestination({ destinationId, folderName }: Destination): string {
  return folderName === undefined ? destinationId : `${destinationId}/${folderName}`;
}

/** Reads what {@link toStoredDestination} returned. */
export function readStoredDestination(stored: string): Destination {
  // Neither an ID nor a name has a slash.
  const [destinationId = '', folderName] = stored.split('/');
  return { destinationId, ...(folderName !== undefined && { folderName }) };
}
