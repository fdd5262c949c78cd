import { getMachine } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';

/**
 * The ID of the connection to the local service: `id` in a window, `storedId` in the ledger. The windows of all editors
 * use the same `id`, but each editor has its own local service (D63: shared ledger folder).
 */
export interface ConnectionAlias {
  readonly id: string;
  readonly storedId: string;
}

/** Converts the ID of a connection in this window to its ID in the ledger. */
export function toStoredId(alias: ConnectionAlias | undefined, id: string): string {
  return alias?.id === id ? alias.storedId : id;
}

/** Converts the ID of a connection in the ledger to its ID in this window. */
export function fromStoredId(alias: ConnectionAlias | undefined, storedId: string): string {
  return alias?.storedId === storedId ? alias.id : storedId;
}

/**
 * Returns the ledger's ID for a connection that an editor recorded in its own storage. The editor's storage can be in a
 * home folder that multiple machines share (D30: network file systems), and can then contain records of each machine's
 * local service.
 */
export function toImportedId(alias: ConnectionAlias | undefined, id: string): string {
  const isLocal = alias !== undefined && getMachine(id) !== undefined && !id.includes(':');
  return isLocal ? id + alias.storedId.slice(alias.id.length) : id;
}

/** Returns a transfer with its connection ID replaced. */
export function replaceConnection(transfer: Transfer, connectionId: string): Transfer {
  if (transfer.order.connectionId === connectionId) return transfer;
  return { ...transfer, order: { ...transfer.order, connectionId } };
}
