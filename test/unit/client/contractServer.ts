import { empty, json } from '../../support/faultBehaviors.ts';
import type { FaultServer } from '../../support/faultServer.ts';
import { transferId } from './contractCalls.ts';

/** Makes a server respond to every operation with a valid, minimal response. */
export function answerAll(server: FaultServer): void {
  server.on('GET /api/v1/databases', json([]));
  server.on('GET /api/v1/databases/*', json({}));
  server.on('POST /api/v1/files', json({ resources: [] }));
  server.on('GET /api/v1/files/by-id', json({ resources: [] }));
  server.on('POST /api/v1/files/by-id', json({ resources: [] }));
  server.on('POST /api/v1/transfers', json({ id: transferId }, 201));
  server.on('GET /api/v1/transfers/*', json({ id: transferId, status: 'active' }));
  server.on('DELETE /api/v1/transfers/*', empty(202));
}
