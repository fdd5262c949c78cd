import type { Transfer, TransferOrder } from '../../../src/core/model/transfer.ts';
import { orcid } from '../../support/surroundings.ts';

/** What a transfer is asked to do: to carry no file from A to B. */
export const order: TransferOrder = { connectionId: 'c', orcid, source: 'A', destination: 'B', files: [] };

/** A transfer that is being submitted, since 1970. */
export const begun: Transfer = {
  key: 'one',
  order,
  createdAt: 0,
  state: 'submitting',
  changes: [{ state: 'submitting', at: 0 }],
};

/** A transfer that the service has accepted, and that has been active since 1970. */
export const running: Transfer = {
  ...begun,
  key: 'k',
  id: 'id',
  state: 'active',
  changes: [{ state: 'active', at: 0 }],
};
