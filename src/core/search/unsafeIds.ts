/** Stores the IDs that made the server drop a metadata request without a response (D37: crashing file ids). */
export class UnsafeIds {
  private readonly databases = new Map<string, Set<string>>();

  /** Adds the `unsafe` IDs, which made the server drop the connection. Removes the `answered` IDs. */
  update(connectionId: string, database: string, unsafe: readonly string[], answered: readonly string[]): void {
    const key = toKey(connectionId, database);
    const ids = this.databases.get(key) ?? new Set();
    for (const id of answered) ids.delete(id);
    for (const id of unsafe) ids.add(id);
    if (ids.size > 0) this.databases.set(key, ids);
    else this.databases.delete(key);
  }

  /** Returns the given IDs that made the server drop the connection when they were requested from this database. */
  filterUnsafe(connectionId: string, database: string, ids: readonly string[]): readonly string[] {
    const unsafe = this.databases.get(toKey(connectionId, database));
    return unsafe ? ids.filter((id) => unsafe.has(id)) : [];
  }
}

function toKey(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
