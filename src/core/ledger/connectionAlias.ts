import { getMachine } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';

/**
 * The ID that a window's local service has in the ledger. Every editor has its own local service, but all of them have
 * the same ID in their windows (D63: shared ledger folder).
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

/**
 * Returns the ID in the ledger of a connection that an editor recorded in its own storage. The storage can be in the home
 * folder of several machines (D30: network file systems), and have the local service of each.
 */
export function toImportedId(alias: ConnectionAlias | undefined, id: string): string {
  const isLocal = alias !== undefined && getMachine(id) !== undefined && !id.includes(':');
  return isLocal ? id + alias.storedId.slice(alias.id.length) : id;
}

/** Returns a transfer with another connection ID. */
export function replaceConnection(transfer: Transfer, connectionId: string): Transfer {
  if (transfer.order.connectionId === connectionId) return transfer;
  return { ...transfer, order: { ...transfer.order, connectionId } };
}
