import { getOutcome, getProgress } from '../../src/core/model/transferOutcome.ts';
import type { PageTransfer } from '../../src/messages/transferMessages.ts';
import { orcid } from './surroundings.ts';

type Derived = 'statusText' | 'progress' | 'outcome' | 'paused';

/** Returns a transfer as its page gets it, with what the host derives from state and counts; the words are the state's. */
export function withDerived(given: Omit<PageTransfer, Derived> & Partial<Pick<PageTransfer, Derived>>): PageTransfer {
  const { order, firstFiles, askedFileCount, problem, ...rest } = given;
  const [file = { id: 'f', name: 'f' }] = firstFiles;
  const transfer = { ...rest, order: { ...order, files: Array<typeof file>(askedFileCount).fill(file) } };
  const outcome = getOutcome(transfer);
  return {
    statusText: given.state,
    progress: getProgress(transfer),
    ...(outcome !== undefined && { outcome }),
    paused: false,
    ...given,
  };
}

/** A transfer of four files as its page gets it: it is active, none of it is counted, and it can be cancelled. */
export function pageTransfer(changed: Partial<PageTransfer> = {}): PageTransfer {
  return withDerived({
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
  });
}
