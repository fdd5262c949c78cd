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
