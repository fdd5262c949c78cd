/** Remembers the ids that ended the connection of a metadata request: sending one may stop a server (D37). */
export class UnsafeIds {
  /** By connection and database. */
  private readonly databases = new Map<string, Set<string>>();

  /** Adds ids that ended a connection, and removes those that were answered. */
  note(connectionId: string, database: string, unsafe: readonly string[], answered: readonly string[]): void {
    const key = keyFor(connectionId, database);
    const ids = this.databases.get(key) ?? new Set();
    for (const id of answered) ids.delete(id);
    for (const id of unsafe) ids.add(id);
    if (ids.size > 0) this.databases.set(key, ids);
    else this.databases.delete(key);
  }

  /** Returns those of some ids of a database that ended a connection. */
  among(connectionId: string, database: string, ids: readonly string[]): readonly string[] {
    const unsafe = this.databases.get(keyFor(connectionId, database));
    return unsafe ? ids.filter((id) => unsafe.has(id)) : [];
  }
}

function keyFor(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
