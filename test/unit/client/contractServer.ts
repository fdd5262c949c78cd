import { empty, json } from '../../support/faultBehaviours.ts';
import type { FaultServer } from '../../support/faultServer.ts';
import { transferId } from './contractCalls.ts';

/** Lets a server answer every operation well, and with as little as possible. */
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
