import { createHash } from 'node:crypto';

/**
 * Creates the ID of a connection to a service that isn't saved yet. Windows and commands that are given the same
 * address create the same ID (D63: shared ledger folder).
 */
export function createConnectionId(server: string, port?: number): string {
  const start = server.trim().replace(/\/+$/, '');
  const address = port === undefined ? start : `${start}:${port}`;
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}
