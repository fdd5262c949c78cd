import { createHash } from 'node:crypto';

/**
 * Derives a connection's ID from its address as entered, ignoring trailing slashes. The extension and the command line
 * derive the same ID, so that each recognizes the other's transfers (D63: shared ledger folder).
 */
export function createConnectionId(server: string, port?: number): string {
  const start = server.trim().replace(/\/+$/, '');
  const address = port === undefined ? start : `${start}:${port}`;
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}
