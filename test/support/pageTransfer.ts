import type { TransferStatus } from '../../src/core/model/transferModel.ts';
import { getOutcome, getProgress } from '../../src/core/model/transferOutcome.ts';
import type { PageTransfer } from '../../src/webviews/messages/transferMessages.ts';
import { orcid } from './explorerDependencies.ts';

type Derived = 'statusText' | 'progress' | 'outcome' | 'paused' | 'wasSent' | 'facts';

/** A transfer as its page receives it, with the whole status, from which the host derives values. */
export type GivenTransfer = Omit<PageTransfer, 'status'> & { readonly status?: TransferStatus };

/**
 * Returns a transfer as its page receives it, with the values that the host derives. The status text defaults to the
 * name of the state.
 */
export function withDerived(given: Omit<GivenTransfer, Derived> & Partial<Pick<PageTransfer, Derived>>): PageTransfer {
  const { order, firstFiles, requestedFileCount, problem, ...rest } = given;
  const [file = { id: 'f', name: 'f' }] = firstFiles;
  const transfer = { ...rest, order: { ...order, files: Array<typeof file>(requestedFileCount).fill(file) } };
  const outcome = getOutcome(transfer);
  return {
    statusText: given.state,
    facts: [],
    progress: getProgress(transfer),
    ...(outcome !== undefined && { outcome }),
    paused: false,
    wasSent: true,
    ...given,
  };
}

/**
 * Returns an active transfer of four files as its page receives it. It can be canceled, and its server has not counted
 * its files yet.
 */
export function pageTransfer(changed: Partial<GivenTransfer> = {}): PageTransfer {
  return withDerived({
    key: 'k',
    order: { connectionId: 'c', orcid, source: 'A', destination: 'B' },
    firstFiles: [],
    requestedFileCount: 4,
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
