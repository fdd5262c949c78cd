import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import type { TransferPlan } from '../../../src/core/agents/transferPlan.ts';

/** A plan that was created at time 0 and has no ID yet. */
export const planDraft: Omit<TransferPlan, 'id'> = {
  createdAt: 0,
  expiresAt: planLifetimeMs,
  requestedBy: 'agent',
  source: 'Alpha',
  destination: 'Beta',
  service: { connectionId: 'c', name: 'Test', address: 'http://localhost:1', orcid: 'me' },
  files: [
    { id: 'f1', path: 'a/f1.csv', bytes: 5, hash: 'a'.repeat(32), licenses: [{ name: 'X', url: 'https://x.org' }] },
  ],
  description: 'For May',
  instructions: { a: 1 },
  textOrigin: 'server',
  freeBytes: 1.5,
  licenses: [{ name: 'X', fileCount: 1, forbidsSharing: true }],
  copies: { atDestination: 1, isComplete: true, received: 2, underWay: 3 },
};
