import type { PageTransfer } from '../../src/messages/transferMessages.ts';
import { orcid } from './surroundings.ts';

/** A transfer of four files as its page gets it: it is active, none of it is counted, and it can be cancelled. */
export function pageTransfer(changed: Partial<PageTransfer> = {}): PageTransfer {
  return {
    key: 'k',
    order: { connectionId: 'c', orcid, source: 'A', destination: 'B' },
    firstFiles: [],
    askedFileCount: 4,
    ended: false,
    canCancel: true,
    canSubmitAgain: false,
    createdAt: 1000,
    state: 'active',
    changes: [
      { state: 'submitting', at: 1000 },
      { state: 'staging', at: 3000 },
      { state: 'active', at: 9000 },
    ],
    ...changed,
  };
}
