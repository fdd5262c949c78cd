import type { FollowUpStatus } from '../../core/util/followUp.ts';
import type { SqliteFile } from '../sqlite.ts';

/** A follow-up in the journal. */
export interface StoredFollowUp extends FollowUpStatus {
  /** True from before it is started until the result is known (D12: never resubmit). */
  readonly isStarting?: boolean | undefined;
}

/** SQL that creates the table of follow-ups, which earlier versions leave as it is. */
const table = `CREATE TABLE IF NOT EXISTS follow_ups (
  transfer TEXT PRIMARY KEY, status TEXT NOT NULL
) WITHOUT ROWID;`;

/** The follow-ups in the journal, by transfer (D72: follow-ups). */
export class FollowUpTable {
  private readonly database: SqliteFile;

  constructor(database: SqliteFile) {
    this.database = database;
    database.exec(table);
  }

  get(transferId: string): StoredFollowUp | undefined {
    const row = this.database.prepare('SELECT status FROM follow_ups WHERE transfer = ?').get(transferId);
    return row === undefined ? undefined : parseStatus(row['status']);
  }

  /** Returns the follow-ups in a state, by transfer. */
  list(wanted: StoredFollowUp['state']): ReadonlyMap<string, StoredFollowUp> {
    const rows = this.database.prepare('SELECT transfer, status FROM follow_ups').all();
    const all = rows.map((row) => [String(row['transfer']), parseStatus(row['status'])] as const);
    return new Map(all.filter(([, { state }]) => state === wanted));
  }

  put(transferId: string, followUp: StoredFollowUp): void {
    this.database.prepare('INSERT OR REPLACE INTO follow_ups VALUES (?, ?)').run(transferId, JSON.stringify(followUp));
  }

  /** Removes the follow-ups of transfers that the journal no longer has. */
  prune(): void {
    this.database.exec('DELETE FROM follow_ups WHERE transfer NOT IN (SELECT id FROM transfers)');
  }
}

function parseStatus(text: unknown): StoredFollowUp {
  return JSON.parse(String(text)) as StoredFollowUp;
}
