import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { orcid } from '../../support/explorerDependencies.ts';

/** An order that transfers no files from A to B. */
export const order: TransferOrder = { connectionId: 'c', orcid, source: 'A', destination: 'B', files: [] };

/** A transfer that is being submitted. */
export const submittingTransfer: Transfer = {
  key: 'one',
  order,
  createdAt: 0,
  state: 'submitting',
  changes: [{ state: 'submitting', at: 0 }],
};

/** A transfer that the service accepted, active since 1970. */
export const running: Transfer = {
  ...submittingTransfer,
  key: 'k',
  id: 'id',
  state: 'active',
  changes: [{ state: 'active', at: 0 }],
};
