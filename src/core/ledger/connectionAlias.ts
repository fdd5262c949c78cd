/**
 * The ID that a window's local service has in the ledger. Every editor has a local service of its own, and all of them
 * have the same ID in their windows (D63: shared ledger folder).
 */
export interface ConnectionAlias {
  readonly id: string;
  readonly storedId: string;
}

/** Returns the ID of a connection in the ledger. */
export function toStoredId(alias: ConnectionAlias | undefined, id: string): string {
  return alias?.id === id ? alias.storedId : id;
}

/** Returns the ID of a connection in this window, given the one in the ledger. */
export function fromStoredId(alias: ConnectionAlias | undefined, storedId: string): string {
  return alias?.storedId === storedId ? alias.id : storedId;
}
