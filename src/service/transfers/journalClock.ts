import type { SqliteFile } from '../sqlite.ts';

const dayMs = 86_400_000;
/** A difference below this is no jump: clocks are corrected by seconds all the time. */
const leastJumpMs = 3_600_000;

/** The table that {@link followClock} needs. */
export const clockTable = 'CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, seen_at REAL NOT NULL);';

/**
 * Shifts the ends of transfers along with a clock that was set back or forward since the last call, so that their age
 * stays what it was (D25). Of the time between two calls at most a day counts: a jump and a long rest look alike.
 * To be called within a transaction, before an end is written and before ends are compared with the time.
 */
export function followClock(database: SqliteFile, nowMs: number): void {
  const seen = database.prepare('SELECT seen_at FROM clock').get();
  const passedMs = seen === undefined ? 0 : nowMs - Number(seen['seen_at']);
  const jumpMs = passedMs - Math.min(Math.max(passedMs, 0), dayMs);
  if (Math.abs(jumpMs) >= leastJumpMs) {
    database.prepare('UPDATE transfers SET ended_at = ended_at + ? WHERE ended_at IS NOT NULL').run(jumpMs);
  }
  database.prepare('INSERT OR REPLACE INTO clock (id, seen_at) VALUES (1, ?)').run(nowMs);
}
